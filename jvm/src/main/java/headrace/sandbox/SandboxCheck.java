package headrace.sandbox;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;
import org.apache.spark.sql.catalyst.analysis.ExpressionWithUnresolvedIdentifier;
import org.apache.spark.sql.catalyst.analysis.PlanWithUnresolvedIdentifier;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction;
import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.TableSpec;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.types.DataType;
import scala.Product;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;

/**
 * Looks at every node of one plan, as parsed or as analysed, and refuses what is not known to stay
 * inside the lake. Whatever a node holds is looked at, whether Spark counts it as a child or not.
 */
final class SandboxCheck {
  static final String SPARK = "org.apache.spark.sql.";

  private final SandboxPolicy policy;
  private final NameCheck names;
  private final CatalogCheck catalogs;
  private final CommandCheck commands;
  private final FunctionCheck functions;
  private final Set<LogicalPlan> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Deque<Object> pending = new ArrayDeque<>();

  SandboxCheck(SandboxPolicy policy) {
    this.policy = policy;
    this.names = new NameCheck(policy);
    this.catalogs = new CatalogCheck(policy);
    this.commands = new CommandCheck(policy);
    this.functions = new FunctionCheck(policy);
  }

  void check(Object root) {
    pending.push(root);
    while (!pending.isEmpty()) {
      visit(pending.pop());
    }
  }

  private void visit(Object value) {
    if (value instanceof DataType || value instanceof Literal || value instanceof CatalogTable) {
      return;
    }
    if (value instanceof LogicalPlan plan) {
      if (!seen.add(plan)) {
        return;
      }
      checkPlan(plan);
    } else if (value instanceof Expression expression) {
      checkExpression(expression);
    } else if (value instanceof TableSpec spec) {
      commands.checkTableSpec(spec);
    }
    pushParts(value);
  }

  private void pushParts(Object value) {
    if (value instanceof LocalRelation || value instanceof LogicalRelation) {
      return;
    }
    Iterator<?> parts = partsOf(value);
    while (parts.hasNext()) {
      Object part = parts.next();
      if (part instanceof Product || part instanceof scala.collection.Iterable) {
        pending.push(part);
      }
    }
  }

  private static Iterator<?> partsOf(Object value) {
    if (value instanceof scala.collection.Iterable<?> several) {
      return several.iterator();
    }
    return value instanceof Product product ? product.productIterator() : Iterator.empty();
  }

  private void checkPlan(LogicalPlan plan) {
    String name = plan.getClass().getName().replace("$", "");
    if (!name.startsWith(SPARK) || !policy.knowsPlan(name.substring(SPARK.length()))) {
      throw new SandboxRefusal("the plan node " + plan.getClass().getSimpleName());
    }
    if (policy.withholdsPlan(name.substring(SPARK.length()))) {
      throw new PermissionRefusal(plan.getClass().getSimpleName());
    }
    names.check(plan);
    catalogs.check(plan);
    commands.check(plan);
    if (plan instanceof UnresolvedTableValuedFunction function) {
      functions.checkFunction(function.name(), function.functionArgs());
    } else if (plan instanceof PlanWithUnresolvedIdentifier named) {
      pushNamed(named);
    }
  }

  private void pushNamed(PlanWithUnresolvedIdentifier named) {
    Seq<String> parts = IdentifierClause.nameOf(named.identifierExpr());
    if (parts == null && policy.hasDirectories()) {
      throw new SandboxRefusal("IDENTIFIER() of an expression");
    }
    Seq<String> name = parts == null ? IdentifierClause.placeholder() : parts;
    pending.push(named.planBuilder().apply(name, named.children()));
  }

  private void checkExpression(Expression expression) {
    functions.checkClass(expression);
    if (expression instanceof ExpressionWithUnresolvedIdentifier named) {
      pushNamed(named);
    } else {
      commands.check(expression);
      functions.check(expression);
    }
  }

  private void pushNamed(ExpressionWithUnresolvedIdentifier named) {
    Seq<String> parts = IdentifierClause.nameOf(named.identifierExpr());
    Seq<String> name = parts == null ? IdentifierClause.placeholder() : parts;
    Expression built = named.exprBuilder().apply(name, named.otherExprs());
    if (parts == null && built instanceof UnresolvedFunction) {
      throw new SandboxRefusal("a function by IDENTIFIER() of an expression");
    }
    pending.push(built);
  }
}
