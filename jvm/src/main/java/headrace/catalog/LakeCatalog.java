package headrace.catalog;

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

/**
 * Iceberg's catalog, with table streams next to its views, names that are found whatever their
 * case, and a directory of its own for each table.
 *
 * <p>What has exactly the name that is wanted is found first, at no further cost.
 */
public final class LakeCatalog extends SparkCatalog {
  private boolean ignoresCase;

  public void ignoreCase(boolean ignores) {
    ignoresCase = ignores;
  }

  @Override
  public Table loadTable(Identifier identifier) throws NoSuchTableException {
    try {
      return super.loadTable(identifier);
    } catch (NoSuchTableException missing) {
      return super.loadTable(other(identifier, missing));
    }
  }

  @Override
  public Table loadTable(Identifier identifier, String version) throws NoSuchTableException {
    try {
      return super.loadTable(identifier, version);
    } catch (NoSuchTableException missing) {
      return super.loadTable(other(identifier, missing), version);
    }
  }

  @Override
  public Table loadTable(Identifier identifier, long timestamp) throws NoSuchTableException {
    try {
      return super.loadTable(identifier, timestamp);
    } catch (NoSuchTableException missing) {
      return super.loadTable(other(identifier, missing), timestamp);
    }
  }

  @Override
  public boolean tableExists(Identifier identifier) {
    return super.tableExists(identifier) || super.tableExists(table(identifier));
  }

  @Override
  public Table createTable(Identifier identifier, TableInfo info)
      throws TableAlreadyExistsException {
    return super.createTable(free(placed(identifier), info.properties()), info);
  }

  @Override
  @Deprecated
  public Table createTable(
      Identifier identifier,
      StructType columns,
      Transform[] partitions,
      Map<String, String> properties)
      throws TableAlreadyExistsException {
    return super.createTable(free(placed(identifier), properties), columns, partitions, properties);
  }

  @Override
  public StagedTable stageCreate(Identifier identifier, TableInfo info)
      throws TableAlreadyExistsException {
    return super.stageCreate(free(placed(identifier), info.properties()), info);
  }

  @Override
  @Deprecated
  public StagedTable stageCreate(
      Identifier identifier,
      StructType columns,
      Transform[] partitions,
      Map<String, String> properties)
      throws TableAlreadyExistsException {
    return super.stageCreate(free(placed(identifier), properties), columns, partitions, properties);
  }

  @Override
  public StagedTable stageReplace(Identifier identifier, TableInfo info)
      throws NoSuchTableException {
    return super.stageReplace(free(table(identifier), info.properties()), info);
  }

  @Override
  @Deprecated
  public StagedTable stageReplace(
      Identifier identifier,
      StructType columns,
      Transform[] partitions,
      Map<String, String> properties)
      throws NoSuchTableException {
    return super.stageReplace(free(table(identifier), properties), columns, partitions, properties);
  }

  @Override
  public StagedTable stageCreateOrReplace(Identifier identifier, TableInfo info) {
    return super.stageCreateOrReplace(free(table(identifier), info.properties()), info);
  }

  @Override
  @Deprecated
  public StagedTable stageCreateOrReplace(
      Identifier identifier,
      StructType columns,
      Transform[] partitions,
      Map<String, String> properties) {
    return super.stageCreateOrReplace(
        free(table(identifier), properties), columns, partitions, properties);
  }

  @Override
  public Table alterTable(Identifier identifier, TableChange... changes)
      throws NoSuchTableException {
    return super.alterTable(free(table(identifier), propertiesSetBy(changes)), changes);
  }

  @Override
  public boolean dropTable(Identifier identifier) {
    return super.dropTable(table(identifier));
  }

  @Override
  public boolean purgeTable(Identifier identifier) {
    return super.purgeTable(table(identifier));
  }

  @Override
  public void renameTable(Identifier from, Identifier to)
      throws NoSuchTableException, TableAlreadyExistsException {
    super.renameTable(table(from), placed(to));
  }

  @Override
  public Identifier[] listTables(String[] namespace) {
    return super.listTables(schema(namespace));
  }

  @Override
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

  @Override
  public boolean viewExists(Identifier identifier) {
    return super.viewExists(identifier) || super.viewExists(view(identifier));
  }

  @Override
  public View createView(ViewInfo info)
      throws ViewAlreadyExistsException, NoSuchNamespaceException {
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

  @Override
  public View replaceView(
      Identifier identifier,
      String sql,
      String currentCatalog,
      String[] currentNamespace,
      StructType columns,
      String[] queryColumnNames,
      String[] columnAliases,
      String[] columnComments,
      Map<String, String> properties)
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

  @Override
  public View alterView(Identifier identifier, ViewChange... changes) throws NoSuchViewException {
    return super.alterView(view(identifier), changes);
  }

  @Override
  public boolean dropView(Identifier identifier) {
    return super.dropView(view(identifier));
  }

  @Override
  public void renameView(Identifier from, Identifier to)
      throws NoSuchViewException, ViewAlreadyExistsException {
    super.renameView(view(from), placed(to));
  }

  @Override
  public Identifier[] listViews(String... namespace) {
    return super.listViews(schema(namespace));
  }

  @Override
  public boolean namespaceExists(String[] namespace) {
    return super.namespaceExists(namespace) || super.namespaceExists(schema(namespace));
  }

  @Override
  public Map<String, String> loadNamespaceMetadata(String[] namespace)
      throws NoSuchNamespaceException {
    return super.loadNamespaceMetadata(schema(namespace));
  }

  @Override
  public void alterNamespace(String[] namespace, NamespaceChange... changes)
      throws NoSuchNamespaceException {
    super.alterNamespace(schema(namespace), changes);
  }

  @Override
  public boolean dropNamespace(String[] namespace, boolean cascade)
      throws NoSuchNamespaceException {
    return super.dropNamespace(schema(namespace), cascade);
  }

  /** A table, unless it would have files in the directory of another one, or be one of Hive's. */
  private Identifier free(Identifier identifier, Map<String, String> properties) {
    if (properties.keySet().stream().anyMatch(key -> key.startsWith("hive."))) {
      throw new UnsupportedOperationException(
          "STORED AS and ROW FORMAT are not supported. Tables of a lake are Iceberg tables");
    }
    Namespace schema = Namespace.of(identifier.namespace());
    new TableDirectories(icebergCatalog())
        .expectFree(
            TableIdentifier.of(schema, identifier.name()), TableDirectories.named(properties));
    return identifier;
  }

  private static Map<String, String> propertiesSetBy(TableChange[] changes) {
    var found = new HashMap<String, String>();
    for (TableChange change : changes) {
      if (change instanceof TableChange.SetProperty set) {
        found.put(set.property(), set.value());
      }
    }
    return found;
  }

  /**
   * A table that is there under another spelling; a view or stream of exactly this name comes
   * before it.
   */
  private Identifier other(Identifier identifier, NoSuchTableException missing)
      throws NoSuchTableException {
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
    return ignoresCase ? CaseInsensitiveNames.resolve(icebergCatalog(), identifier) : null;
  }

  /** A new name, in a schema as it is spelled. */
  private Identifier placed(Identifier identifier) {
    return Identifier.of(schema(identifier.namespace()), identifier.name());
  }

  private String[] schema(String[] namespace) {
    if (namespace.length != 1 || !ignoresCase || super.namespaceExists(namespace)) {
      return namespace;
    }
    String known = CaseInsensitiveNames.resolveSchema(icebergCatalog(), namespace[0]);
    return known == null ? namespace : new String[] {known};
  }
}
