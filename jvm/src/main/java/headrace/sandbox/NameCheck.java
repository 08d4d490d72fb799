package headrace.sandbox;

import java.util.List;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunctionName;
import org.apache.spark.sql.catalyst.analysis.UnresolvedIdentifier;
import org.apache.spark.sql.catalyst.analysis.UnresolvedNamespace;
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation;
import org.apache.spark.sql.catalyst.analysis.UnresolvedTable;
import org.apache.spark.sql.catalyst.analysis.UnresolvedTableOrView;
import org.apache.spark.sql.catalyst.analysis.UnresolvedView;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.DataSource;
import org.apache.spark.sql.internal.SQLConf;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Refuses names that lead outside before Spark resolves them, as resolving one may read files. */
final class NameCheck {
  private final SandboxPolicy policy;

  NameCheck(SandboxPolicy policy) {
    this.policy = policy;
  }

  void check(LogicalPlan plan) {
    if (plan instanceof UnresolvedRelation relation) {
      checkRelation(relation);
    } else if (plan instanceof UnresolvedTable table) {
      checkName(table.multipartIdentifier());
    } else if (plan instanceof UnresolvedTableOrView relation) {
      checkName(relation.multipartIdentifier());
    } else if (plan instanceof UnresolvedView view) {
      checkName(view.multipartIdentifier());
    } else if (plan instanceof UnresolvedIdentifier identifier) {
      checkName(identifier.nameParts());
    } else if (plan instanceof UnresolvedNamespace namespace) {
      checkName(namespace.multipartIdentifier());
    } else if (plan instanceof UnresolvedFunctionName function) {
      checkName(function.multipartIdentifier());
    }
  }

  static void checkName(Seq<String> name) {
    List<String> parts = CollectionConverters.asJava(name);
    if (parts.size() < 2) {
      return;
    }
    String first = parts.get(0);
    if (first.equalsIgnoreCase("spark_catalog")) {
      throw new SandboxRefusal("the catalog spark_catalog");
    }
    if (first.equalsIgnoreCase("global_temp")) {
      throw new SandboxRefusal("global_temp");
    }
  }

  private void checkRelation(UnresolvedRelation relation) {
    checkName(relation.multipartIdentifier());
    List<String> parts = CollectionConverters.asJava(relation.multipartIdentifier());
    if (parts.size() == 2) {
      checkPath(parts.get(0), parts.get(1));
    }
    for (String option : relation.options().asCaseSensitiveMap().keySet()) {
      if (!policy.takesReadOption(option) && !isInternalOption(option)) {
        throw new SandboxRefusal("the option " + option);
      }
    }
  }

  private void checkPath(String format, String path) {
    boolean namesFile = path.contains("/") || path.contains(":") || path.startsWith(".");
    boolean mayBeFile = namesFile || policy.hasDirectories();
    if (mayBeFile && isDataSource(format) && !policy.holdsFile(path)) {
      throw new SandboxRefusal(format + ".`path`");
    }
  }

  /** Spark itself marks relations with options of this prefix. */
  private static boolean isInternalOption(String option) {
    return option.startsWith("__");
  }

  private static boolean isDataSource(String name) {
    try {
      DataSource.lookupDataSource(name, SQLConf.get());
      return true;
    } catch (Throwable unknown) {
      return false;
    }
  }
}
