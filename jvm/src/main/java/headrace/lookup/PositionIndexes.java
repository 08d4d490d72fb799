package headrace.lookup;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
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
  private static final int LARGEST_PASS = 1 << 22;
  private static final int SHARE = 128;

  /** Entries that are in memory at once while an index is made, by each thread that makes one. */
  private static final int PASS =
      (int) Math.min(LARGEST_PASS, Runtime.getRuntime().maxMemory() / SHARE / Long.BYTES);

  private static final int MOST_IN_PASS = 4 * PASS;
  private static final long USED_SECONDS = 600;

  private static final int OPEN_SHARE = 64;

  /** Those that were used last, with the first entries of their blocks in memory. */
  private static final Cache<Path, PositionIndex> OPEN =
      Caffeine.newBuilder()
          .maximumWeight(Runtime.getRuntime().maxMemory() / OPEN_SHARE)
          .weigher((Path file, PositionIndex index) -> index.bytesInMemory())
          .build();

  private static final Logger LOG = LoggerFactory.getLogger(PositionIndexes.class);

  private final Path directory;
  private final long mostBytes;
  private final long fewRows;

  /** Pages that have no more than {@code fewRows} are searched without an index. */
  PositionIndexes(Path directory, long mostBytes, long fewRows) {
    this.directory = directory;
    this.mostBytes = mostBytes;
    this.fewRows = fewRows;
  }

  long fewRows() {
    return fewRows;
  }

  /** Gives the hash of the key of each row of a data file, in the order of the rows. */
  interface Hashes {
    interface Taker {
      void take(int hash, long position) throws IOException;
    }

    void each(Taker taker) throws IOException, InterruptedException;
  }

  /** Null if there is none. */
  PositionIndex find(DataFile data, List<KeyColumn> keys) throws IOException {
    byte[] name = name(data, keys);
    Path file = file(name);
    try {
      markUsed(file);
      PositionIndex known = OPEN.getIfPresent(file);
      PositionIndex found = known == null ? PositionIndex.open(file, name) : known;
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
    remove(file(name(data, keys)));
  }

  private static void remove(Path file) throws IOException {
    OPEN.invalidate(file);
    Files.deleteIfExists(file);
  }

  /**
   * Null if it does not fit, into memory while it is made or into the room that there is, or cannot
   * be written: rows are found without it, too.
   */
  PositionIndex build(DataFile data, List<KeyColumn> keys, Hashes hashes)
      throws InterruptedException {
    if (data.recordCount() * Long.BYTES > mostBytes) {
      return null;
    }
    byte[] name = name(data, keys);
    try {
      return build(file(name), name, data.recordCount(), hashes);
    } catch (IOException failed) {
      LOG.warn("no index of the keys of {}", data.location(), failed);
      return null;
    }
  }

  private PositionIndex build(Path file, byte[] name, long rows, Hashes hashes)
      throws IOException, InterruptedException {
    Files.createDirectories(directory);
    Path unfinished = directory.resolve("." + UUID.randomUUID());
    try {
      if (!write(unfinished, name, rows, hashes)) {
        return null;
      }
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(unfinished);
    }
    makeRoom(file);
    return PositionIndex.open(file, name);
  }

  /** In as many passes as keep memory bounded, each for a range of hashes. */
  private static boolean write(Path file, byte[] name, long rows, Hashes hashes)
      throws IOException, InterruptedException {
    int passes = Math.toIntExact((rows + PASS - 1) / PASS);
    try (var writer = new PositionIndex.Writer(file, name, rows)) {
      for (int pass = 0; pass < passes; pass++) {
        long first = Integer.MIN_VALUE + (1L << Integer.SIZE) * pass / passes;
        long next = Integer.MIN_VALUE + (1L << Integer.SIZE) * (pass + 1) / passes;
        var entries = new LongList();
        hashes.each(
            (hash, position) -> {
              if (hash >= first && hash < next && entries.size() <= MOST_IN_PASS) {
                entries.add(KeyPositions.entry(hash, position));
              }
            });
        if (entries.size() > MOST_IN_PASS) {
          return false;
        }
        entries.sort();
        for (int i = 0; i < entries.size(); i++) {
          writer.add(entries.get(i));
        }
      }
      writer.finish();
    }
    return true;
  }

  private Path file(byte[] name) {
    return directory.resolve(HexFormat.of().formatHex(name) + SUFFIX);
  }

  /** Of what it is an index of. */
  private static byte[] name(DataFile data, List<KeyColumn> keys) {
    var text = new StringBuilder(data.location()).append('\n').append(data.fileSizeInBytes());
    for (KeyColumn key : keys) {
      text.append('\n').append(key.field().fieldId()).append(' ').append(key.type());
    }
    try {
      return MessageDigest.getInstance("SHA-256")
          .digest(text.toString().getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
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

  private void makeRoom(Path except) throws IOException {
    List<Stored> all;
    try (var files = Files.list(directory)) {
      all = files.filter(file -> file.toString().endsWith(SUFFIX)).map(Stored::of).toList();
    }
    long bytes = all.stream().mapToLong(Stored::bytes).sum();
    for (Stored each : all.stream().sorted(Comparator.comparing(Stored::used)).toList()) {
      if (bytes > mostBytes && !each.file().equals(except)) {
        bytes -= each.bytes();
        remove(each.file());
      }
    }
  }
}
