package headrace.catalog;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.HistoryEntry;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotParser;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.catalog.ViewCatalog;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchIcebergTableException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NoSuchViewException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.util.JsonUtil;
import org.apache.iceberg.view.View;

/**
 * What Python needs of a catalog and its tables, each in one call and answered in JSON, as every
 * call from Python takes a fraction of a millisecond.
 */
public final class CatalogGateway {
  private final Catalog catalog;

  public CatalogGateway(Catalog catalog) {
    this.catalog = catalog;
  }

  /** Null if there is none. */
  public Table table(String schema, String name) {
    try {
      return catalog.loadTable(identifier(schema, name));
    } catch (NoSuchIcebergTableException other) {
      throw other;
    } catch (NoSuchTableException | NoSuchNamespaceException missing) {
      return null;
    }
  }

  /** The table as one of its metadata files has it, to be read only; null if the file is gone. */
  public Table tableAt(Table table, String location) {
    try {
      var operations = new StaticTableOperations(location, table.io());
      operations.current();
      return new BaseTable(operations, table.name());
    } catch (NotFoundException gone) {
      return null;
    }
  }

  /** Null if there is none. */
  public String view(String schema, String name) throws IOException {
    View view = loadView(schema, name);
    if (view == null) {
      return null;
    }
    var state = new LinkedHashMap<String, Object>();
    state.put("sql", view.sqlFor("spark").sql());
    state.put("fields", SchemaParser.toJson(view.schema()));
    state.put("comment", view.properties().get("comment"));
    state.put("workspace", view.currentVersion().defaultCatalog());
    state.put("schema", view.currentVersion().defaultNamespace().toString());
    return json(state);
  }

  private View loadView(String schema, String name) {
    if (!(catalog instanceof ViewCatalog views)) {
      return null;
    }
    try {
      return views.loadView(identifier(schema, name));
    } catch (NoSuchViewException | NoSuchNamespaceException missing) {
      return null;
    }
  }

  public String tables(String schema) throws IOException {
    return names(catalog.listTables(Namespace.of(schema)));
  }

  public String views(String schema) throws IOException {
    return catalog instanceof ViewCatalog views
        ? names(views.listViews(Namespace.of(schema)))
        : "[]";
  }

  private static String names(List<TableIdentifier> identifiers) throws IOException {
    return json(identifiers.stream().map(TableIdentifier::name).toList());
  }

  /** Tables and views whose names differ from this in case at most. */
  public String alike(String schema, String name) throws IOException {
    return json(CaseInsensitiveNames.alike(catalog, schema, name));
  }

  /** As it is spelled; null if there is none, or if there are several. */
  public String schemaLike(String schema) {
    return CaseInsensitiveNames.resolveSchema(catalog, schema);
  }

  public String schemas() throws IOException {
    return json(namespaces().listNamespaces().stream().map(Namespace::toString).toList());
  }

  public boolean hasSchema(String schema) {
    return namespaces().namespaceExists(Namespace.of(schema));
  }

  public void ensureSchema(String schema) {
    if (!hasSchema(schema)) {
      namespaces().createNamespace(Namespace.of(schema));
    }
  }

  private SupportsNamespaces namespaces() {
    return (SupportsNamespaces) catalog;
  }

  /** Throws if another table has files in the directories of this one, or may have. */
  public void expectOwnDirectories(String schema, String name) {
    new TableDirectories(catalog).expectOwn(identifier(schema, name));
  }

  /** With its files. */
  public boolean drop(String schema, String name) {
    return catalog.dropTable(identifier(schema, name), true);
  }

  /** Identity, snapshots and files stay as they are. */
  public void rename(String schema, String name, String newSchema, String newName) {
    catalog.renameTable(identifier(schema, name), identifier(newSchema, newName));
  }

  /**
   * What {@link #rename} does, in a catalog that cannot: the metadata file gets an entry of the new
   * name, then the old entry goes. Cut short, it leaves both entries; a commit in between is kept,
   * and the old entry with it.
   */
  public void reregister(String schema, String name, String newSchema, String newName) {
    TableIdentifier from = identifier(schema, name);
    TableIdentifier to = identifier(newSchema, newName);
    String location = metadataLocation(from);
    catalog.registerTable(to, location);
    if (!location.equals(metadataLocation(from))) {
      catalog.dropTable(to, false);
      throw new CommitFailedException("%s was changed while it was moved to %s", from, to);
    }
    catalog.dropTable(from, false);
  }

  private String metadataLocation(TableIdentifier table) {
    return operations(catalog.loadTable(table)).current().metadataFileLocation();
  }

  /** The files stay. */
  public boolean removeEntry(String schema, String name) {
    return catalog.dropTable(identifier(schema, name), false);
  }

  /** Files first, and the entry last: what was cut short can be repeated. */
  public void purge(String schema, String name) {
    TableIdentifier table = identifier(schema, name);
    try {
      TableOperations operations = operations(catalog.loadTable(table));
      deleteFiles(operations.io(), operations.current());
    } catch (NoSuchTableException gone) {
      return;
    } catch (NotFoundException gone) {
      // its metadata file, which is deleted after all others
    }
    catalog.dropTable(table, false);
  }

  private static void deleteFiles(FileIO io, TableMetadata metadata) {
    try {
      CatalogUtil.dropTableData(io, metadata);
    } catch (NotFoundException interrupted) {
      // a manifest list, which is deleted after the data and the manifests
      metadata.snapshots().forEach(each -> deleteIfThere(io, each.manifestListLocation()));
      metadata.previousFiles().forEach(each -> deleteIfThere(io, each.file()));
      metadata.statisticsFiles().forEach(each -> deleteIfThere(io, each.path()));
      metadata.partitionStatisticsFiles().forEach(each -> deleteIfThere(io, each.path()));
      deleteIfThere(io, metadata.metadataFileLocation());
    }
  }

  private static void deleteIfThere(FileIO io, String location) {
    try {
      io.deleteFile(location);
    } catch (NotFoundException gone) {
      // as it should be
    }
  }

  /**
   * A loaded table's state; of its history the current snapshot, and those before it so far as they
   * rewrite.
   */
  public String state(Table table) throws IOException {
    TableMetadata metadata = operations(table).current();
    Snapshot current = metadata.currentSnapshot();
    var state = new LinkedHashMap<String, Object>();
    state.put("location", metadata.metadataFileLocation());
    state.put("directory", metadata.location());
    state.put("uuid", metadata.uuid());
    state.put("schema_id", metadata.currentSchemaId());
    state.put("format", metadata.formatVersion());
    state.put("schema", SchemaParser.toJson(metadata.schema()));
    state.put("properties", metadata.properties());
    state.put("partitioning", metadata.spec().toString());
    state.put("snapshots", newest(metadata));
    state.put("versions_kept", metadata.snapshots().size());
    state.put("snapshot_schema", current == null ? null : schema(metadata, current.schemaId()));
    return json(state);
  }

  private static List<String> newest(TableMetadata metadata) {
    var found = new ArrayList<String>();
    Snapshot at = metadata.currentSnapshot();
    while (at != null) {
      found.add(SnapshotParser.toJson(at));
      boolean rewrites = DataOperations.REPLACE.equals(at.operation()) && at.parentId() != null;
      at = rewrites ? metadata.snapshot(at.parentId()) : null;
    }
    return found;
  }

  /** The newest snapshot whose summary has a key; null if none is kept. */
  public String lastMarked(Table table, String key) {
    return newestWhere(table, snapshot -> snapshot.summary().containsKey(key));
  }

  /** The newest snapshot whose summary has that value for a key; null if none is kept. */
  public String markedWith(Table table, String key, String value) {
    return newestWhere(table, snapshot -> value.equals(snapshot.summary().get(key)));
  }

  private static String newestWhere(Table table, Predicate<Snapshot> isWanted) {
    for (Snapshot at = table.currentSnapshot(); at != null; at = parent(table, at)) {
      if (isWanted.test(at)) {
        return SnapshotParser.toJson(at);
      }
    }
    return null;
  }

  /** Whether a commit, on any branch, has this value of a key in its summary. */
  public boolean isMarked(Table table, String key, String value) {
    return StreamSupport.stream(table.snapshots().spliterator(), false)
        .anyMatch(snapshot -> value.equals(snapshot.summary().get(key)));
  }

  /** Null if it is no longer kept. */
  public String snapshot(Table table, long id) {
    Snapshot found = table.snapshot(id);
    return found == null ? null : SnapshotParser.toJson(found);
  }

  /** All that were ever current and are kept, and which one was current from when on. */
  public String versions(Table table) throws IOException {
    var found = new LinkedHashMap<Long, String>();
    var times = new ArrayList<List<Long>>();
    for (HistoryEntry entry : table.history()) {
      put(found, table.snapshot(entry.snapshotId()));
      times.add(List.of(entry.timestampMillis(), entry.snapshotId()));
    }
    for (Snapshot at = table.currentSnapshot(); at != null; at = parent(table, at)) {
      put(found, at);
    }
    var versions = new LinkedHashMap<String, Object>();
    versions.put("snapshots", found.values());
    versions.put("times", times);
    versions.put("named", table.refs().values().stream().map(SnapshotRef::snapshotId).toList());
    return json(versions);
  }

  private static void put(Map<Long, String> found, Snapshot snapshot) {
    if (snapshot != null) {
      found.put(snapshot.snapshotId(), SnapshotParser.toJson(snapshot));
    }
  }

  /** An older schema; null if it is no longer known. */
  public String schema(Table table, int id) {
    return schema(operations(table).current(), id);
  }

  private static String schema(TableMetadata metadata, Integer id) {
    Schema found = id == null ? null : metadata.schemasById().get(id);
    return found == null ? null : SchemaParser.toJson(found);
  }

  private static Snapshot parent(Table table, Snapshot child) {
    return child.parentId() == null ? null : table.snapshot(child.parentId());
  }

  private static TableOperations operations(Table table) {
    return ((HasTableOperations) table).operations();
  }

  private static TableIdentifier identifier(String schema, String name) {
    return TableIdentifier.of(Namespace.of(schema), name);
  }

  private static String json(Object value) throws IOException {
    return JsonUtil.mapper().writeValueAsString(value);
  }
}
