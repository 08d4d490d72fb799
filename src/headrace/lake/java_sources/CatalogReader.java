package headrace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.HistoryEntry;
import org.apache.iceberg.PartitionStatisticsFile;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotParser;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.StatisticsFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.catalog.ViewCatalog;
import org.apache.iceberg.exceptions.NoSuchIcebergTableException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NoSuchViewException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.util.JsonUtil;
import org.apache.iceberg.view.SQLViewRepresentation;
import org.apache.iceberg.view.View;

/** What a catalog and its tables say of themselves, each answer in one call, as JSON. */
public final class CatalogReader {
    private final Catalog catalog;

    public CatalogReader(Catalog catalog) {
        this.catalog = catalog;
    }

    /** Null if there is none. */
    public Table table(String schema, String name) {
        try {
            return catalog.loadTable(identifier(schema, name));
        } catch (NoSuchIcebergTableException other) {
            throw other;
        } catch (NoSuchTableException missing) {
            return null;
        } catch (NoSuchNamespaceException missing) {
            return null;
        }
    }

    /** The table as one of its metadata files has it, to be read only; null if the file is gone. */
    public Table tableAt(Table table, String location) {
        try {
            StaticTableOperations operations = new StaticTableOperations(location, table.io());
            operations.current();
            return new BaseTable(operations, table.name());
        } catch (NotFoundException gone) {
            return null;
        }
    }

    /** Null if there is none. */
    public String view(String schema, String name) throws IOException {
        if (!(catalog instanceof ViewCatalog)) {
            return null;
        }
        View view;
        try {
            view = ((ViewCatalog) catalog).loadView(identifier(schema, name));
        } catch (NoSuchViewException missing) {
            return null;
        } catch (NoSuchNamespaceException missing) {
            return null;
        }
        SQLViewRepresentation sql = view.sqlFor("spark");
        Map told = new LinkedHashMap();
        told.put("sql", sql.sql());
        told.put("fields", SchemaParser.toJson(view.schema()));
        told.put("comment", view.properties().get("comment"));
        told.put("workspace", view.currentVersion().defaultCatalog());
        told.put("schema", view.currentVersion().defaultNamespace().toString());
        return JsonUtil.mapper().writeValueAsString(told);
    }

    public String tables(String schema) throws IOException {
        return names(catalog.listTables(Namespace.of(new String[] {schema})));
    }

    public String views(String schema) throws IOException {
        if (!(catalog instanceof ViewCatalog)) {
            return "[]";
        }
        return names(((ViewCatalog) catalog).listViews(Namespace.of(new String[] {schema})));
    }

    /** Tables and views whose names differ from this in case at most. */
    public String alike(String schema, String name) throws IOException {
        return JsonUtil.mapper().writeValueAsString(KnownNames.alike(catalog, schema, name));
    }

    /** As it is spelled; null if there is none, or if there are several. */
    public String schemaLike(String schema) {
        return KnownNames.schema(catalog, schema);
    }

    public String schemas() throws IOException {
        List found = new ArrayList();
        for (Iterator it = ((SupportsNamespaces) catalog).listNamespaces().iterator(); it.hasNext(); ) {
            found.add(it.next().toString());
        }
        return JsonUtil.mapper().writeValueAsString(found);
    }

    public boolean hasSchema(String schema) {
        return ((SupportsNamespaces) catalog).namespaceExists(Namespace.of(new String[] {schema}));
    }

    /** Throws if another table has files in the directories of this one, or may have. */
    public void expectOwnDirectories(String schema, String name) {
        new TableDirectories(catalog).expectOwn(identifier(schema, name));
    }

    /** With its files. */
    public boolean drop(String schema, String name) {
        return catalog.dropTable(identifier(schema, name), true);
    }

    public void ensureSchema(String schema) {
        Namespace namespace = Namespace.of(new String[] {schema});
        SupportsNamespaces namespaces = (SupportsNamespaces) catalog;
        if (!namespaces.namespaceExists(namespace)) {
            namespaces.createNamespace(namespace);
        }
    }

    /** Identity, snapshots and files stay as they are. */
    public void rename(String schema, String name, String newSchema, String newName) {
        catalog.renameTable(identifier(schema, name), identifier(newSchema, newName));
    }

    /** Files first, and the entry last: what was cut short can be repeated. */
    public void purge(String schema, String name) {
        TableIdentifier table = identifier(schema, name);
        try {
            TableOperations operations = ((HasTableOperations) catalog.loadTable(table)).operations();
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
            for (Iterator it = metadata.snapshots().iterator(); it.hasNext(); ) {
                deleteQuietly(io, ((Snapshot) it.next()).manifestListLocation());
            }
            for (Iterator it = metadata.previousFiles().iterator(); it.hasNext(); ) {
                deleteQuietly(io, ((TableMetadata.MetadataLogEntry) it.next()).file());
            }
            for (Iterator it = metadata.statisticsFiles().iterator(); it.hasNext(); ) {
                deleteQuietly(io, ((StatisticsFile) it.next()).path());
            }
            for (Iterator it = metadata.partitionStatisticsFiles().iterator(); it.hasNext(); ) {
                deleteQuietly(io, ((PartitionStatisticsFile) it.next()).path());
            }
            deleteQuietly(io, metadata.metadataFileLocation());
        }
    }

    private static void deleteQuietly(FileIO io, String location) {
        try {
            io.deleteFile(location);
        } catch (NotFoundException gone) {
            // as it should be
        }
    }

    /** A loaded table's state; of its history the current snapshot, and those before it so far as they rewrite. */
    public String told(Table table) throws IOException {
        TableMetadata metadata = ((HasTableOperations) table).operations().current();
        Snapshot current = metadata.currentSnapshot();
        Map told = new LinkedHashMap();
        told.put("location", metadata.metadataFileLocation());
        told.put("directory", metadata.location());
        told.put("uuid", metadata.uuid());
        told.put("schema_id", Integer.valueOf(metadata.currentSchemaId()));
        told.put("format", Integer.valueOf(metadata.formatVersion()));
        told.put("schema", SchemaParser.toJson(metadata.schema()));
        told.put("properties", metadata.properties());
        told.put("partitioning", metadata.spec().toString());
        told.put("snapshots", newest(metadata));
        told.put("versions_kept", Integer.valueOf(metadata.snapshots().size()));
        told.put("snapshot_schema", current == null ? null : schema(metadata, current.schemaId()));
        return JsonUtil.mapper().writeValueAsString(told);
    }

    /** The newest snapshot whose summary has a key; null if none is kept. */
    public String lastMarked(Table table, String key) {
        for (Snapshot at = table.currentSnapshot(); at != null; at = parent(table, at)) {
            if (at.summary().containsKey(key)) {
                return SnapshotParser.toJson(at);
            }
        }
        return null;
    }

    /** The newest snapshot whose summary has that value for a key; null if none is kept. */
    public String markedWith(Table table, String key, String value) {
        for (Snapshot at = table.currentSnapshot(); at != null; at = parent(table, at)) {
            if (value.equals(at.summary().get(key))) {
                return SnapshotParser.toJson(at);
            }
        }
        return null;
    }

    /** Whether a commit, on any branch, has this value of a key in its summary. */
    public boolean isMarked(Table table, String key, String value) {
        for (Iterator it = table.snapshots().iterator(); it.hasNext(); ) {
            if (value.equals(((Snapshot) it.next()).summary().get(key))) {
                return true;
            }
        }
        return false;
    }

    /** Null if it is no longer kept. */
    public String snapshot(Table table, long id) {
        Snapshot found = table.snapshot(id);
        return found == null ? null : SnapshotParser.toJson(found);
    }

    /** All that were ever current and are kept, and which one was current from when on. */
    public String versions(Table table) throws IOException {
        Map found = new LinkedHashMap();
        List times = new ArrayList();
        for (Iterator it = table.history().iterator(); it.hasNext(); ) {
            HistoryEntry entry = (HistoryEntry) it.next();
            put(found, table.snapshot(entry.snapshotId()));
            times.add(new Object[] {Long.valueOf(entry.timestampMillis()), Long.valueOf(entry.snapshotId())});
        }
        for (Snapshot at = table.currentSnapshot(); at != null; at = parent(table, at)) {
            put(found, at);
        }
        Map told = new LinkedHashMap();
        told.put("snapshots", new ArrayList(found.values()));
        told.put("times", times);
        List named = new ArrayList();
        for (Iterator it = table.refs().values().iterator(); it.hasNext(); ) {
            named.add(Long.valueOf(((SnapshotRef) it.next()).snapshotId()));
        }
        told.put("named", named);
        return JsonUtil.mapper().writeValueAsString(told);
    }

    private static void put(Map found, Snapshot snapshot) {
        if (snapshot != null) {
            found.put(Long.valueOf(snapshot.snapshotId()), SnapshotParser.toJson(snapshot));
        }
    }

    /** An older schema; null if it is no longer known. */
    public String schema(Table table, int id) {
        return schema(((HasTableOperations) table).operations().current(), Integer.valueOf(id));
    }

    private static String schema(TableMetadata metadata, Integer id) {
        Schema found = id == null ? null : (Schema) metadata.schemasById().get(id);
        return found == null ? null : SchemaParser.toJson(found);
    }

    private static List newest(TableMetadata metadata) {
        List found = new ArrayList();
        for (Snapshot at = metadata.currentSnapshot(); at != null; ) {
            found.add(SnapshotParser.toJson(at));
            boolean rewrites = DataOperations.REPLACE.equals(at.operation()) && at.parentId() != null;
            at = rewrites ? metadata.snapshot(at.parentId().longValue()) : null;
        }
        return found;
    }

    private static Snapshot parent(Table table, Snapshot child) {
        return child.parentId() == null ? null : table.snapshot(child.parentId().longValue());
    }

    private static String names(List identifiers) throws IOException {
        List found = new ArrayList();
        for (Iterator it = identifiers.iterator(); it.hasNext(); ) {
            found.add(((TableIdentifier) it.next()).name());
        }
        return JsonUtil.mapper().writeValueAsString(found);
    }

    private static TableIdentifier identifier(String schema, String name) {
        return TableIdentifier.of(Namespace.of(new String[] {schema}), name);
    }
}
