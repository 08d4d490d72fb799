package headrace.sandbox;

import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier;
import org.apache.spark.sql.catalyst.analysis.ResolvedNamespace;
import org.apache.spark.sql.catalyst.analysis.ResolvedPersistentFunc;
import org.apache.spark.sql.catalyst.analysis.ResolvedPersistentView;
import org.apache.spark.sql.catalyst.analysis.ResolvedProcedure;
import org.apache.spark.sql.catalyst.analysis.ResolvedTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import scala.jdk.javaapi.CollectionConverters;

/** Refuses what Spark has resolved to something outside: other catalogs, and files elsewhere. */
final class CatalogCheck {
  private static final Set<String> FILE_FORMATS =
      Set.of(
          "AvroFileFormat",
          "CSVFileFormat",
          "JsonFileFormat",
          "ParquetFileFormat",
          "OrcFileFormat",
          "TextFileFormat",
          "XmlFileFormat",
          "BinaryFileFormat");

  private final SandboxPolicy policy;

  CatalogCheck(SandboxPolicy policy) {
    this.policy = policy;
  }

  void check(LogicalPlan plan) {
    if (plan instanceof ResolvedIdentifier identifier) {
      checkCatalog(identifier.catalog());
    } else if (plan instanceof ResolvedTable table) {
      checkCatalog(table.catalog());
    } else if (plan instanceof ResolvedNamespace namespace) {
      checkCatalog(namespace.catalog());
    } else if (plan instanceof ResolvedProcedure procedure) {
      checkCatalog(procedure.catalog());
    } else if (plan instanceof ResolvedPersistentView view) {
      checkCatalog(view.catalog());
    } else if (plan instanceof ResolvedPersistentFunc function) {
      checkCatalog(function.catalog());
    } else if (plan instanceof DataSourceV2Relation relation) {
      checkTable(relation);
    } else if (plan instanceof LogicalRelation relation) {
      checkFiles(relation);
    }
  }

  /** Without a catalog, Iceberg's procedures read the metadata of a table that they have loaded. */
  private void checkTable(DataSourceV2Relation relation) {
    Class<?> kind = relation.table().getClass();
    if (relation.catalog().isDefined()) {
      checkCatalog(relation.catalog().get());
    } else if (!kind.getName().startsWith("org.apache.iceberg.")) {
      throw new SandboxRefusal("the table " + kind.getSimpleName());
    }
  }

  private void checkCatalog(CatalogPlugin catalog) {
    boolean holdsVariables =
        catalog.getClass().getName().startsWith(SandboxCheck.SPARK + "catalyst.analysis.Fake");
    if (!holdsVariables && !policy.holdsCatalog(catalog.name())) {
      throw new SandboxRefusal("the catalog " + catalog.name());
    }
  }

  private void checkFiles(LogicalRelation plan) {
    if (!(plan.relation() instanceof HadoopFsRelation files)) {
      String kind = plan.relation().getClass().getSimpleName();
      if (kind.equals("KafkaRelation") && policy.readsKafka()) {
        return;
      }
      throw new SandboxRefusal("the data source " + kind);
    }
    String format = files.fileFormat().getClass().getSimpleName();
    if (!FILE_FORMATS.contains(format)) {
      throw new SandboxRefusal("the data source " + format);
    }
    for (Path path : CollectionConverters.asJava(files.location().rootPaths())) {
      if (!policy.holdsFile(path.toString())) {
        throw new SandboxRefusal("a file by its path");
      }
    }
  }
}
