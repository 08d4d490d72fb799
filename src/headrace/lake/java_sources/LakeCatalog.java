package headrace;

import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.spark.SparkCatalog;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.analysis.NoSuchViewException;
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException;
import org.apache.spark.sql.catalyst.analysis.ViewAlreadyExistsException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.StagedTable;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.catalog.TableInfo;
import org.apache.spark.sql.connector.catalog.View;
import org.apache.spark.sql.connector.catalog.ViewChange;
import org.apache.spark.sql.connector.catalog.ViewInfo;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;

/** Iceberg's catalog, with table streams next to its views, and names that are found whatever their case.
 *
 * Each table has a directory of its own.
 *
 * What has exactly the name that is asked for is found first, at no further cost.
 */
public final class LakeCatalog extends SparkCatalog {
    private boolean ignoresCase = false;

    public LakeCatalog() {}

    public void ignoreCase(boolean ignores) {
        ignoresCase = ignores;
    }

    public Table loadTable(Identifier identifier) throws NoSuchTableException {
        try {
            return super.loadTable(identifier);
        } catch (NoSuchTableException missing) {
            return super.loadTable(other(identifier, missing));
        }
    }

    public Table loadTable(Identifier identifier, String version) throws NoSuchTableException {
        try {
            return super.loadTable(identifier, version);
        } catch (NoSuchTableException missing) {
            return super.loadTable(other(identifier, missing), version);
        }
    }

    public Table loadTable(Identifier identifier, long timestamp) throws NoSuchTableException {
        try {
            return super.loadTable(identifier, timestamp);
        } catch (NoSuchTableException missing) {
            return super.loadTable(other(identifier, missing), timestamp);
        }
    }

    public boolean tableExists(Identifier identifier) {
        return super.tableExists(identifier) || super.tableExists(table(identifier));
    }

    public Table createTable(Identifier identifier, TableInfo info) throws TableAlreadyExistsException {
        return super.createTable(free(placed(identifier), info.properties()), info);
    }

    public Table createTable(Identifier identifier, StructType columns, Transform[] partitions, Map properties)
            throws TableAlreadyExistsException {
        return super.createTable(free(placed(identifier), properties), columns, partitions, properties);
    }

    public StagedTable stageCreate(Identifier identifier, TableInfo info) throws TableAlreadyExistsException {
        return super.stageCreate(free(placed(identifier), info.properties()), info);
    }

    public StagedTable stageCreate(
            Identifier identifier, StructType columns, Transform[] partitions, Map properties)
            throws TableAlreadyExistsException {
        return super.stageCreate(free(placed(identifier), properties), columns, partitions, properties);
    }

    public StagedTable stageReplace(Identifier identifier, TableInfo info) throws NoSuchTableException {
        return super.stageReplace(free(table(identifier), info.properties()), info);
    }

    public StagedTable stageReplace(
            Identifier identifier, StructType columns, Transform[] partitions, Map properties)
            throws NoSuchTableException {
        return super.stageReplace(free(table(identifier), properties), columns, partitions, properties);
    }

    public StagedTable stageCreateOrReplace(Identifier identifier, TableInfo info) {
        return super.stageCreateOrReplace(free(table(identifier), info.properties()), info);
    }

    public StagedTable stageCreateOrReplace(
            Identifier identifier, StructType columns, Transform[] partitions, Map properties) {
        return super.stageCreateOrReplace(free(table(identifier), properties), columns, partitions, properties);
    }

    public Table alterTable(Identifier identifier, TableChange[] changes) throws NoSuchTableException {
        return super.alterTable(free(table(identifier), placesIn(changes)), changes);
    }

    public boolean dropTable(Identifier identifier) {
        return super.dropTable(table(identifier));
    }

    public boolean purgeTable(Identifier identifier) {
        return super.purgeTable(table(identifier));
    }

    public void renameTable(Identifier from, Identifier to)
            throws NoSuchTableException, TableAlreadyExistsException {
        super.renameTable(table(from), placed(to));
    }

    public Identifier[] listTables(String[] namespace) {
        return super.listTables(schema(namespace));
    }

    public View loadView(Identifier identifier) throws NoSuchViewException {
        View stream = StreamViews.find(identifier);
        if (stream != null) {
            return stream;
        }
        try {
            return super.loadView(identifier);
        } catch (NoSuchViewException missing) {
            stream = ignoresCase ? StreamViews.findAlike(identifier) : null;
            if (stream != null) {
                return stream;
            }
            Identifier known = only(identifier);
            if (known == null) {
                throw missing;
            }
            return super.loadView(known);
        }
    }

    public boolean viewExists(Identifier identifier) {
        return super.viewExists(identifier) || super.viewExists(view(identifier));
    }

    public View createView(ViewInfo info) throws ViewAlreadyExistsException, NoSuchNamespaceException {
        Identifier taken = only(info.ident());
        if (taken != null && !taken.name().equals(info.ident().name())) {
            throw new ViewAlreadyExistsException(taken);
        }
        return super.createView(
                new ViewInfo(
                        placed(info.ident()),
                        info.sql(),
                        info.currentCatalog(),
                        info.currentNamespace(),
                        info.schema(),
                        info.queryColumnNames(),
                        info.columnAliases(),
                        info.columnComments(),
                        info.properties()));
    }

    public View replaceView(
            Identifier identifier,
            String sql,
            String currentCatalog,
            String[] currentNamespace,
            StructType columns,
            String[] queryColumnNames,
            String[] columnAliases,
            String[] columnComments,
            Map properties)
            throws NoSuchNamespaceException, NoSuchViewException {
        return super.replaceView(
                view(identifier),
                sql,
                currentCatalog,
                currentNamespace,
                columns,
                queryColumnNames,
                columnAliases,
                columnComments,
                properties);
    }

    public View alterView(Identifier identifier, ViewChange[] changes) throws NoSuchViewException {
        return super.alterView(view(identifier), changes);
    }

    public boolean dropView(Identifier identifier) {
        return super.dropView(view(identifier));
    }

    public void renameView(Identifier from, Identifier to)
            throws NoSuchViewException, ViewAlreadyExistsException {
        super.renameView(view(from), placed(to));
    }

    public Identifier[] listViews(String[] namespace) {
        return super.listViews(schema(namespace));
    }

    public boolean namespaceExists(String[] namespace) {
        return super.namespaceExists(namespace) || super.namespaceExists(schema(namespace));
    }

    public Map loadNamespaceMetadata(String[] namespace) throws NoSuchNamespaceException {
        return super.loadNamespaceMetadata(schema(namespace));
    }

    public void alterNamespace(String[] namespace, NamespaceChange[] changes) throws NoSuchNamespaceException {
        super.alterNamespace(schema(namespace), changes);
    }

    public boolean dropNamespace(String[] namespace, boolean cascade) throws NoSuchNamespaceException {
        return super.dropNamespace(schema(namespace), cascade);
    }

    /** A table, unless it would have files in the directory of another one, or be one of Hive's. */
    private Identifier free(Identifier identifier, Map properties) {
        for (Object key : properties.keySet()) {
            if (key.toString().startsWith("hive.")) {
                throw new UnsupportedOperationException(
                        "STORED AS and ROW FORMAT are not supported. Tables of a lake are Iceberg tables");
            }
        }
        Namespace schema = Namespace.of(identifier.namespace());
        new TableDirectories(icebergCatalog())
                .expectFree(TableIdentifier.of(schema, identifier.name()), TableDirectories.named(properties));
        return identifier;
    }

    private static Map placesIn(TableChange[] changes) {
        Map found = new HashMap();
        for (int i = 0; i < changes.length; i++) {
            if (changes[i] instanceof TableChange.SetProperty) {
                TableChange.SetProperty change = (TableChange.SetProperty) changes[i];
                found.put(change.property(), change.value());
            }
        }
        return found;
    }

    /** A table that is there under another spelling; a view or stream of exactly this name comes before it. */
    private Identifier other(Identifier identifier, NoSuchTableException missing) throws NoSuchTableException {
        boolean isView = StreamViews.find(identifier) != null || super.viewExists(identifier);
        Identifier known = isView ? null : only(identifier);
        if (known == null) {
            throw missing;
        }
        return known;
    }

    private Identifier table(Identifier identifier) {
        return super.tableExists(identifier) ? identifier : known(identifier);
    }

    private Identifier view(Identifier identifier) {
        return super.viewExists(identifier) ? identifier : known(identifier);
    }

    private Identifier known(Identifier identifier) {
        Identifier known = only(identifier);
        return known == null ? placed(identifier) : known;
    }

    private Identifier only(Identifier identifier) {
        return ignoresCase ? KnownNames.only(icebergCatalog(), identifier) : null;
    }

    /** A new name, in a schema as it is spelled. */
    private Identifier placed(Identifier identifier) {
        return Identifier.of(schema(identifier.namespace()), identifier.name());
    }

    private String[] schema(String[] namespace) {
        if (namespace.length != 1 || !ignoresCase || super.namespaceExists(namespace)) {
            return namespace;
        }
        String known = KnownNames.schema(icebergCatalog(), namespace[0]);
        return known == null ? namespace : new String[] {known};
    }
}
