package headrace.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

class ManifestsTest {
  private final Table table = newTable();
  private final Manifests manifests = new Manifests(table);

  private static Table newTable() {
    var catalog = new InMemoryCatalog();
    catalog.initialize("lake", Map.of("warehouse", "memory"));
    catalog.createNamespace(Namespace.of("public"));
    var columns = new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
    return catalog.createTable(TableIdentifier.of("public", "t"), columns);
  }

  private static DataFile file(String location) {
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath(location)
        .withFileSizeInBytes(10)
        .withRecordCount(1)
        .build();
  }

  private ManifestFile append(int files) {
    AppendFiles append = table.newFastAppend();
    for (int number = 0; number < files; number++) {
      append.appendFile(file("f" + number + ".parquet"));
    }
    append.commit();
    return table.currentSnapshot().allManifests(table.io()).get(0);
  }

  @Test
  void aSmallManifestIsReadOnce() throws IOException {
    ManifestFile manifest = append(2);
    manifests.dataFiles(List.of(manifest));
    table.io().deleteFile(manifest.path());
    assertEquals(
        Set.of("f0.parquet", "f1.parquet"), manifests.dataFiles(List.of(manifest)).keySet());
    assertEquals(
        Set.of("f1.parquet"),
        manifests.find(Set.of("f1.parquet"), List.of(), List.of(manifest)).keySet());
  }

  @Test
  void aLargeManifestIsNotKeptInMemory() throws IOException {
    int files = ManifestCache.mostFiles() + 1;
    ManifestFile manifest = append(files);
    assertEquals(files, manifests.dataFiles(List.of(manifest)).size());
    table.io().deleteFile(manifest.path());
    assertThrows(NotFoundException.class, () -> manifests.dataFiles(List.of(manifest)));
  }
}
