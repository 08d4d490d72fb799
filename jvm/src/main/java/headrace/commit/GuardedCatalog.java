package headrace.commit;

import org.apache.iceberg.Table;
import org.apache.iceberg.spark.SparkRewriteTableCatalog;
import org.apache.iceberg.spark.SparkTableCache;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.FunctionCatalog;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Where Spark finds guarded tables, and the functions by which Iceberg distributes their rows. */
public final class GuardedCatalog implements TableCatalog, FunctionCatalog {
  private final SparkRewriteTableCatalog functions = new SparkRewriteTableCatalog();
  private String name;

  @Override
  public void initialize(String name, CaseInsensitiveStringMap options) {
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public org.apache.spark.sql.connector.catalog.Table loadTable(Identifier identifier)
      throws NoSuchTableException {
    Table found = SparkTableCache.get().get(identifier.name());
    if (found == null) {
      throw new NoSuchTableException(identifier);
    }
    return new SparkTable(found);
  }

  @Override
  public Identifier[] listTables(String[] namespace) {
    return new Identifier[0];
  }

  @Override
  public Identifier[] listFunctions(String[] namespace) throws NoSuchNamespaceException {
    return functions.listFunctions(namespace);
  }

  @Override
  public UnboundFunction loadFunction(Identifier identifier) throws NoSuchFunctionException {
    return functions.loadFunction(identifier);
  }

  @Override
  public org.apache.spark.sql.connector.catalog.Table alterTable(
      Identifier identifier, TableChange... changes) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean dropTable(Identifier identifier) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void renameTable(Identifier from, Identifier to) {
    throw new UnsupportedOperationException();
  }
}
