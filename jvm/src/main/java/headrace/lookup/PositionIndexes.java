package headrace.lookup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.shaded.com.github.benmanes.caffeine.cache.Cache;
import org.apache.iceberg.shaded.com.github.benmanes.caffeine.cache.Caffeine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The position indexes of a lake: a directory of files, each of which can be made again at any
 * time. Those that were not used for the longest time go first where they take too much room.
 */
final class PositionIndexes {
  private static final String SUFFIX = ".positions";
  private static final long USED_SECONDS = 600;

  private static final int OPEN_SHARE = 64;

  /** Those that were used last, with the first entries of their blocks in memory. */
  private static final Cache<Path, PositionIndex> OPEN =
      Caffeine.newBuilder()
          .maximumWeight(Runtime.getRuntime().maxMemory() / OPEN_SHARE)
          .weigher((Path file, PositionIndex index) -> index.bytesInMemory())
          .build();

  private static final Logger LOG = LoggerFactory.getLogger(PositionIndexes.class);

  private final IndexDescription.TableIdentity table;
  private final Path directory;
  private final long mostBytes;
  private final long fewRows;

  /** Pages that have no more than {@code fewRows} are searched without an index. */
  PositionIndexes(
      IndexDescription.TableIdentity table, Path directory, long mostBytes, long fewRows) {
    this.table = table;
    this.directory = directory;
    this.mostBytes = mostBytes;
    this.fewRows = fewRows;
  }

  long fewRows() {
    return fewRows;
  }

  /** Null if there is none. */
  PositionIndex find(DataFile data, List<KeyColumn> keys) throws IOException {
    byte[] id = describe(data, keys).id();
    Path file = file(id);
    try {
      markUsed(file);
      PositionIndex known = OPEN.getIfPresent(file);
      PositionIndex found = known == null ? PositionIndex.open(file, id) : known;
      if (found == null) {
        remove(file);
      } else if (known == null) {
        OPEN.put(file, found);
      }
      return found;
    } catch (NoSuchFileException none) {
      OPEN.invalidate(file);
      return null;
    }
  }

  void remove(DataFile data, List<KeyColumn> keys) throws IOException {
    remove(file(data, keys));
  }

  static void remove(Path file) throws IOException {
    OPEN.invalidate(file);
    Files.deleteIfExists(file);
  }

  /**
   * Null if it does not fit, into memory while it is made or into the room that there is, or cannot
   * be written: rows are found without it, too.
   */
  PositionIndex build(DataFile data, List<KeyColumn> keys, SortedEntries.Hashes hashes)
      throws InterruptedException {
    if (!fits(data)) {
      return null;
    }
    try {
      return build(describe(data, keys), new SortedEntries(data.recordCount(), hashes));
    } catch (TooManyRows doesNotFit) {
      return null;
    } catch (IOException failed) {
      LOG.warn("no index of the keys of {}", data.location(), failed);
      return null;
    }
  }

  private PositionIndex build(IndexDescription description, SortedEntries entries)
      throws IOException, InterruptedException, TooManyRows {
    Files.createDirectories(directory);
    Path unfinished = directory.resolve("." + UUID.randomUUID());
    Path file = file(description.id());
    try {
      try (var writer = new PositionIndex.Writer(unfinished, description, entries.count())) {
        entries.each(writer::add);
        writer.finish();
      }
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(unfinished);
    }
    makeRoom(file);
    return PositionIndex.open(file, description.id());
  }

  boolean fits(DataFile data) {
    return bytes(data) <= mostBytes;
  }

  /** Of an index of the file, its directory and description left out. */
  static long bytes(DataFile data) {
    return data.recordCount() * Long.BYTES;
  }

  /** Of the index that is there, or zero. */
  long bytesStored(DataFile data, List<KeyColumn> keys) {
    return file(data, keys).toFile().length();
  }

  Path file(DataFile data, List<KeyColumn> keys) {
    return file(describe(data, keys).id());
  }

  private IndexDescription describe(DataFile data, List<KeyColumn> keys) {
    return IndexDescription.of(table, data, keys);
  }

  private Path file(byte[] id) {
    return file(directory, id);
  }

  static Path file(Path directory, byte[] id) {
    return directory.resolve(HexFormat.of().formatHex(id) + SUFFIX);
  }

  private static void markUsed(Path file) throws IOException {
    Instant now = Instant.now();
    if (Files.getLastModifiedTime(file).toInstant().isBefore(now.minusSeconds(USED_SECONDS))) {
      Files.setLastModifiedTime(file, FileTime.from(now));
    }
  }

  private record Stored(Path file, long bytes, long used) {
    static Stored of(Path file) {
      return new Stored(file, file.toFile().length(), file.toFile().lastModified());
    }
  }

  /** None where the directory is gone. */
  static List<Path> files(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(SUFFIX)).toList();
    } catch (NoSuchFileException none) {
      return List.of();
    }
  }

  private void makeRoom(Path except) throws IOException {
    List<Stored> all = files(directory).stream().map(Stored::of).toList();
    long bytes = all.stream().mapToLong(Stored::bytes).sum();
    for (Stored each : all.stream().sorted(Comparator.comparing(Stored::used)).toList()) {
      if (bytes > mostBytes && !each.file().equals(except)) {
        bytes -= each.bytes();
        remove(each.file());
      }
    }
  }
}
