package headrace.manifests;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.shaded.com.github.benmanes.caffeine.cache.Cache;
import org.apache.iceberg.shaded.com.github.benmanes.caffeine.cache.Caffeine;

/**
 * Manifest lists, and the live files of manifests, that were read before: neither ever changes, and
 * to open one takes longer than to read the few entries in it. Each kind takes a share of the heap
 * at most.
 */
final class ManifestCache {
  private static final int SHARE = 64;
  private static final int LARGE_SHARE = 16;
  private static final int BYTES_PER_FILE = 600;
  private static final int BYTES_PER_BOUND = 100;
  private static final int BYTES_PER_MANIFEST = 500;

  private static final long MOST_BYTES = Runtime.getRuntime().maxMemory() / SHARE;

  private static final Cache<String, List<DataFile>> DATA = newCache();
  private static final Cache<String, List<DeleteFile>> DELETES = newCache();
  private static final Cache<String, List<ManifestFile>> LISTS =
      Caffeine.newBuilder()
          .maximumWeight(MOST_BYTES)
          .weigher((String key, List<ManifestFile> list) -> BYTES_PER_MANIFEST * (1 + list.size()))
          .build();

  private ManifestCache() {}

  private static <F extends ContentFile<F>> Cache<String, List<F>> newCache() {
    return Caffeine.newBuilder()
        .maximumWeight(MOST_BYTES)
        .weigher((String key, List<F> files) -> bytes(files))
        .build();
  }

  private static <F extends ContentFile<F>> int bytes(List<F> files) {
    long bytes = BYTES_PER_FILE;
    for (F file : files) {
      Map<Integer, ?> bounds = file.lowerBounds();
      bytes += BYTES_PER_FILE + (bounds == null ? 0 : bounds.size() * 2L * BYTES_PER_BOUND);
    }
    return (int) Math.min(bytes, Integer.MAX_VALUE);
  }

  static List<ManifestFile> manifests(Snapshot snapshot, FileIO io) {
    String location = snapshot.manifestListLocation();
    if (location == null) {
      return snapshot.allManifests(io);
    }
    List<ManifestFile> known = LISTS.getIfPresent(location);
    if (known == null) {
      known = snapshot.allManifests(io);
      LISTS.put(location, known);
    }
    return known;
  }

  /** Of one manifest: more would take too much of the room for all. */
  static int mostFiles() {
    return (int) (MOST_BYTES / LARGE_SHARE / BYTES_PER_FILE);
  }

  static boolean isTooLarge(ManifestFile manifest) {
    Integer added = manifest.addedFilesCount();
    Integer existing = manifest.existingFilesCount();
    return added == null || existing == null || added + existing > mostFiles();
  }

  static List<DataFile> dataFiles(ManifestFile manifest, Supplier<ManifestReader<DataFile>> reader)
      throws IOException {
    return files(DATA, manifest, reader);
  }

  static List<DeleteFile> deleteFiles(
      ManifestFile manifest, Supplier<ManifestReader<DeleteFile>> reader) throws IOException {
    return files(DELETES, manifest, reader);
  }

  private static <F extends ContentFile<F>> List<F> files(
      Cache<String, List<F>> cache, ManifestFile manifest, Supplier<ManifestReader<F>> reader)
      throws IOException {
    if (isTooLarge(manifest)) {
      return read(reader);
    }
    List<F> known = cache.getIfPresent(key(manifest));
    if (known == null) {
      known = read(reader);
      cache.put(key(manifest), known);
    }
    return known;
  }

  /** The files in it inherit both numbers from the snapshot that lists the manifest. */
  private static String key(ManifestFile manifest) {
    return manifest.path() + " " + manifest.firstRowId() + " " + manifest.sequenceNumber();
  }

  private static <F extends ContentFile<F>> List<F> read(Supplier<ManifestReader<F>> reader)
      throws IOException {
    var found = new ArrayList<F>();
    try (ManifestReader<F> opened = reader.get()) {
      opened.forEach(found::add);
    }
    return List.copyOf(found);
  }
}
