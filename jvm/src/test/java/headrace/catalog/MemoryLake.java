package headrace.catalog;

import java.util.Map;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Types;

/** A catalog in memory with a schema, for tests that need tables and no Spark. */
final class MemoryLake {
  static final Schema COLUMNS =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));

  private final InMemoryCatalog catalog = new InMemoryCatalog();

  MemoryLake(String warehouse) {
    catalog.initialize("lake", Map.of("warehouse", warehouse));
    createSchema("public");
  }

  InMemoryCatalog catalog() {
    return catalog;
  }

  void createSchema(String name) {
    catalog.createNamespace(Namespace.of(name));
  }

  TableIdentifier createTable(String name, String location, Map<String, String> properties) {
    TableIdentifier identifier = TableIdentifier.of("public", name);
    catalog.createTable(identifier, COLUMNS, PartitionSpec.unpartitioned(), location, properties);
    return identifier;
  }

  TableIdentifier createTable(String name) {
    return createTable(name, null, Map.of());
  }

  void createView(String name, String query) {
    catalog
        .buildView(TableIdentifier.of("public", name))
        .withSchema(COLUMNS)
        .withDefaultNamespace(Namespace.of("public"))
        .withQuery("spark", query)
        .create();
  }
}
