package headrace.changes;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.shaded.com.github.benmanes.caffeine.cache.Cache;
import org.apache.iceberg.shaded.com.github.benmanes.caffeine.cache.Caffeine;

/**
 * The live files of small manifests that were read before: a manifest never changes, and to open
 * one takes longer than to read the few files in it.
 */
final class ManifestCache {
  private static final int LARGE = 1_000;
  private static final int MOST_FILES = 10_000;

  private static final Cache<String, List<DataFile>> DATA = newCache();
  private static final Cache<String, List<DeleteFile>> DELETES = newCache();

  private ManifestCache() {}

  private static <F> Cache<String, List<F>> newCache() {
    return Caffeine.newBuilder()
        .maximumWeight(MOST_FILES)
        .weigher((String key, List<F> files) -> 1 + files.size())
        .build();
  }

  static boolean isTooLarge(ManifestFile manifest) {
    Integer added = manifest.addedFilesCount();
    Integer existing = manifest.existingFilesCount();
    return added == null || existing == null || added + existing > LARGE;
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
