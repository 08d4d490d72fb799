package headrace.sandbox;

import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.analysis.GlobalTempView$;
import org.apache.spark.sql.catalyst.analysis.PlanWithUnresolvedIdentifier;
import org.apache.spark.sql.catalyst.analysis.ResolvedProcedure;
import org.apache.spark.sql.catalyst.analysis.UnresolvedProcedure;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedArgumentExpression;
import org.apache.spark.sql.catalyst.plans.logical.Call;
import org.apache.spark.sql.catalyst.plans.logical.CreateNamespace;
import org.apache.spark.sql.catalyst.plans.logical.CreateView;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OptionList;
import org.apache.spark.sql.catalyst.plans.logical.SetNamespaceLocation;
import org.apache.spark.sql.catalyst.plans.logical.SetNamespaceProperties;
import org.apache.spark.sql.catalyst.plans.logical.SetTableLocation;
import org.apache.spark.sql.catalyst.plans.logical.SetTableProperties;
import org.apache.spark.sql.catalyst.plans.logical.SetViewProperties;
import org.apache.spark.sql.catalyst.plans.logical.TableSpec;
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedTableSpec;
import org.apache.spark.sql.execution.command.CreateViewCommand;
import org.apache.spark.sql.execution.command.ResetCommand;
import org.apache.spark.sql.execution.command.SetCatalogCommand;
import org.apache.spark.sql.execution.command.SetCommand;
import scala.Option;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Refuses settings, locations, properties and procedures that lead outside. */
final class CommandCheck {
  private static final Set<String> ORPHAN_PLACES =
      Set.of(
          "location",
          "file_list_view",
          "equal_schemes",
          "equal_authorities",
          "prefix_mismatch_mode");
  private static final int ORPHAN_ARGUMENTS = 2;

  private final SandboxPolicy policy;

  CommandCheck(SandboxPolicy policy) {
    this.policy = policy;
  }

  void check(LogicalPlan plan) {
    if (plan instanceof SetCommand set) {
      checkSetting(set);
    } else if (plan instanceof ResetCommand reset) {
      checkReset(reset);
    } else if (plan instanceof SetCatalogCommand use) {
      checkCatalogName(use.catalogName());
    } else if (plan instanceof SetTableLocation set) {
      checkLocation(set.location());
    } else if (plan instanceof SetNamespaceLocation set) {
      checkLocation(set.location());
    } else if (plan instanceof SetTableProperties set) {
      checkProperties(set.properties());
    } else if (plan instanceof SetNamespaceProperties set) {
      checkProperties(set.properties());
    } else if (plan instanceof SetViewProperties set) {
      checkProperties(set.properties());
    } else if (plan instanceof CreateNamespace create) {
      checkProperties(create.properties());
    } else if (plan instanceof CreateView create) {
      checkProperties(create.properties());
    } else if (plan instanceof CreateViewCommand create) {
      checkViewType(create);
    } else if (plan instanceof Call call) {
      checkCall(call);
    }
  }

  /** What Spark has of a command as an expression. */
  void check(Expression expression) {
    if (expression instanceof UnresolvedTableSpec spec) {
      checkSpec(spec.provider(), spec.serde(), spec.location(), spec.external());
      checkProperties(spec.properties());
    } else if (expression instanceof OptionList options) {
      checkOptions(options);
    }
  }

  void checkTableSpec(TableSpec spec) {
    checkSpec(spec.provider(), spec.serde(), spec.location(), spec.external());
    checkProperties(spec.properties());
    checkProperties(spec.options());
  }

  private void checkSetting(SetCommand set) {
    if (set.kv().isEmpty()) {
      throw new SandboxRefusal("SET without a name");
    }
    String key = set.kv().get()._1();
    if (key.equals("-v") || !policy.maySet(key)) {
      throw new SandboxRefusal("the setting " + key);
    }
  }

  private void checkReset(ResetCommand reset) {
    Option<String> key = reset.config();
    if (key.isEmpty()) {
      throw new SandboxRefusal("RESET of all settings");
    }
    if (!policy.maySet(key.get())) {
      throw new SandboxRefusal("the setting " + key.get());
    }
  }

  private void checkCatalogName(String name) {
    if (!policy.holdsCatalog(name)) {
      throw new SandboxRefusal("the catalog " + name);
    }
  }

  private static void checkViewType(CreateViewCommand create) {
    if (create.viewType() == GlobalTempView$.MODULE$) {
      throw new SandboxRefusal("a global temporary view");
    }
  }

  private void checkLocation(String location) {
    if (!policy.holdsTable(location)) {
      throw new SandboxRefusal("LOCATION");
    }
  }

  private void checkProperties(scala.collection.Map<String, String> properties) {
    CollectionConverters.asJava(properties)
        .forEach((key, value) -> checkProperty(key, String.valueOf(value)));
  }

  private void checkProperty(String key, String value) {
    if (SandboxPolicy.namesPlace(key) && !policy.holdsTable(value)) {
      throw new SandboxRefusal("the property " + key);
    }
  }

  private void checkOptions(OptionList options) {
    for (Tuple2<String, Expression> pair : CollectionConverters.asJava(options.options())) {
      boolean isLiteral = pair._2() instanceof Literal;
      String value = isLiteral ? String.valueOf(((Literal) pair._2()).value()) : "";
      checkProperty(pair._1(), value);
    }
  }

  private void checkSpec(
      Option<String> provider, Option<?> serde, Option<String> location, boolean external) {
    if (provider.isDefined() && !provider.get().equalsIgnoreCase("iceberg")) {
      throw new SandboxRefusal("USING " + provider.get());
    }
    if (serde.isDefined()) {
      throw new SandboxRefusal("STORED AS or ROW FORMAT");
    }
    if (location.isDefined()) {
      checkLocation(location.get());
    }
    if (external && location.isEmpty()) {
      throw new SandboxRefusal("EXTERNAL");
    }
  }

  /** Spark runs procedures while it analyses: all must be known from the text. */
  private void checkCall(Call call) {
    if (call.procedure() instanceof UnresolvedProcedure procedure) {
      checkCall(procedure.nameParts(), call.args());
    } else if (call.procedure() instanceof PlanWithUnresolvedIdentifier named) {
      Seq<String> parts = IdentifierClause.nameOf(named.identifierExpr());
      if (parts == null) {
        throw new SandboxRefusal("CALL by IDENTIFIER() of an expression");
      }
      checkCall(parts, call.args());
    } else if (call.procedure() instanceof ResolvedProcedure procedure) {
      checkProcedure(procedure.ident().name());
    }
  }

  private void checkCall(Seq<String> qualified, Seq<Expression> arguments) {
    NameCheck.checkName(qualified);
    List<String> parts = CollectionConverters.asJava(qualified);
    String name = parts.get(parts.size() - 1);
    checkProcedure(name);
    if (name.equalsIgnoreCase("remove_orphan_files")) {
      checkOrphanArguments(CollectionConverters.asJava(arguments));
    }
  }

  private void checkProcedure(String name) {
    if (!policy.holdsProcedure(name)) {
      throw new SandboxRefusal("CALL " + name);
    }
  }

  private static void checkOrphanArguments(List<Expression> arguments) {
    for (int position = 0; position < arguments.size(); position++) {
      boolean namesPath =
          arguments.get(position) instanceof NamedArgumentExpression named
              ? ORPHAN_PLACES.contains(SandboxPolicy.lower(named.key()))
              : position >= ORPHAN_ARGUMENTS;
      if (namesPath) {
        throw new SandboxRefusal("CALL remove_orphan_files with a path");
      }
    }
  }
}
