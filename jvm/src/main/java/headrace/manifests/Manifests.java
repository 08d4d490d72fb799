package headrace.manifests;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.util.DeleteFileSet;
import org.apache.iceberg.util.PartitionSet;

/** What the manifests of a table say of its files. */
public final class Manifests {
  private static final List<String> DATA_COLUMNS =
      List.of(
          "content",
          "file_path",
          "file_format",
          "partition",
          "record_count",
          "file_size_in_bytes",
          "key_metadata",
          "split_offsets",
          "sort_order_id",
          "first_row_id",
          "value_counts",
          "null_value_counts",
          "nan_value_counts",
          "lower_bounds",
          "upper_bounds");

  private final Table table;

  public Manifests(Table table) {
    this.table = table;
  }

  /** By location and first row id, which a manifest is given anew when a table gets lineage. */
  public Map<String, ManifestFile> of(Snapshot snapshot) {
    var found = new LinkedHashMap<String, ManifestFile>();
    if (snapshot != null) {
      for (ManifestFile manifest : ManifestCache.manifests(snapshot, table.io())) {
        found.put(manifest.path() + " " + manifest.firstRowId(), manifest);
      }
    }
    return found;
  }

  /** Live files by their location. */
  public Map<String, DataFile> dataFiles(Collection<ManifestFile> manifests) throws IOException {
    var found = new LinkedHashMap<String, DataFile>();
    for (ManifestFile manifest : manifests) {
      if (manifest.content() == ManifestContent.DATA) {
        dataFiles(manifest).forEach(file -> found.put(file.location(), file));
      }
    }
    return found;
  }

  public DeleteFileSet deletes(Collection<ManifestFile> manifests) throws IOException {
    DeleteFileSet found = DeleteFileSet.create();
    for (ManifestFile manifest : manifests) {
      if (manifest.content() == ManifestContent.DELETES) {
        found.addAll(
            ManifestCache.deleteFiles(
                manifest,
                () -> ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs())));
      }
    }
    return found;
  }

  /** Of the wanted files those that are live, looking only into the partitions of their vectors. */
  public Map<String, DataFile> find(
      Set<String> wanted, Collection<DeleteFile> vectors, Collection<ManifestFile> manifests)
      throws IOException {
    PartitionSet partitions = PartitionSet.create(table.specs());
    vectors.forEach(vector -> partitions.add(vector.specId(), vector.partition()));
    var found = new LinkedHashMap<String, DataFile>();
    for (ManifestFile manifest : manifests) {
      if (found.size() == wanted.size()) {
        break;
      }
      if (manifest.content() == ManifestContent.DATA) {
        if (ManifestCache.isTooLarge(manifest)) {
          collect(dataReader(manifest).filterPartitions(partitions), wanted, found);
        } else {
          collect(dataFiles(manifest), wanted, found);
        }
      }
    }
    return found;
  }

  /** Live files with the bounds of their columns. */
  List<DataFile> dataFiles(ManifestFile manifest) throws IOException {
    return ManifestCache.dataFiles(manifest, () -> dataReader(manifest));
  }

  /** Those that may have rows which the filter selects, read from the file itself. */
  List<DataFile> dataFiles(ManifestFile manifest, Expression filter) throws IOException {
    var found = new ArrayList<DataFile>();
    try (ManifestReader<DataFile> reader = dataReader(manifest).filterRows(filter)) {
      reader.forEach(found::add);
    }
    return found;
  }

  private ManifestReader<DataFile> dataReader(ManifestFile manifest) {
    return ManifestFiles.read(manifest, table.io(), table.specs()).select(DATA_COLUMNS);
  }

  private static void collect(
      ManifestReader<DataFile> reader, Set<String> wanted, Map<String, DataFile> found)
      throws IOException {
    try (reader) {
      collect((Iterable<DataFile>) reader, wanted, found);
    }
  }

  private static void collect(
      Iterable<DataFile> files, Set<String> wanted, Map<String, DataFile> found) {
    for (DataFile file : files) {
      if (wanted.contains(file.location())) {
        found.put(file.location(), file);
      }
    }
  }
}
