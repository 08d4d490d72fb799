package headrace.queries;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.AttributeMap$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Nondeterministic;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.UserDefinedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.catalyst.plans.physical.SinglePartition$;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.CoalesceExec;
import org.apache.spark.sql.execution.CommandExecutionMode;
import org.apache.spark.sql.execution.LocalTableScanExec;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.RDDScanExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.UnionExec;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.ArraySeq;
import scala.jdk.javaapi.CollectionConverters;
import scala.math.BigInt;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/**
 * The plan of a query that reads only rows of the driver's memory, for any such rows: one task, in
 * which nothing is shuffled.
 *
 * <p>In place of the rows it has empty inputs, of which Spark does not know that they are empty.
 */
final class PreparedQuery {
  /** Of an input: one that is taken for large would be shuffled. */
  private static final Statistics SMALL =
      new Statistics(BigInt.apply(1), Option.empty(), AttributeMap$.MODULE$.empty(), false);

  private final SparkPlan plan;
  private final StructType type;
  private final List<RDD<InternalRow>> inputs;

  private PreparedQuery(SparkPlan plan, StructType type, List<RDD<InternalRow>> inputs) {
    this.plan = plan;
    this.type = type;
    this.inputs = inputs;
  }

  StructType type() {
    return type;
  }

  /** Null if it reads other rows as well, or if it may mean something else when it runs again. */
  static PreparedQuery of(SparkSession session, LogicalPlan analyzed, List<LocalRelation> rows) {
    if (changesItsMeaning(analyzed) || readsTables(analyzed)) {
      return null;
    }
    List<RDD<InternalRow>> inputs = new ArrayList<>();
    rows.forEach(each -> inputs.add(rdd(session, new InternalRow[0])));
    LogicalPlan open = analyzed.transformUpWithSubqueries(new Opened(session, rows, inputs));
    return session.withActive(
        () -> {
          QueryExecution query =
              session.sessionState().executePlan(open, CommandExecutionMode.ALL());
          if (!readsOnly(query.optimizedPlan(), inputs)) {
            return null;
          }
          SparkPlan planned = query.sparkPlan().transformUp(new OnePartition());
          SparkPlan prepared = QueryExecution.prepareExecutedPlan(session, planned);
          return new PreparedQuery(prepared, analyzed.schema(), inputs);
        });
  }

  /**
   * The plan on these rows, in the order of the inputs. All of it is new: operators such as sorts
   * have a state while they run, also those above constant rows.
   */
  SparkPlan on(SparkSession session, List<InternalRow[]> rows) {
    List<RDD<InternalRow>> given = rows.stream().map(each -> rdd(session, each)).toList();
    return session.withActive(() -> plan.clone().transformUp(new Filled(inputs, given)));
  }

  private static RDD<InternalRow> rdd(SparkSession session, InternalRow[] rows) {
    var data = ArraySeq.<InternalRow>unsafeWrapArray(rows);
    return session.sparkContext().parallelize(data, 1, ClassTag$.MODULE$.apply(InternalRow.class));
  }

  private static boolean readsOnly(LogicalPlan optimized, List<RDD<InternalRow>> inputs) {
    return CollectionConverters.asJava(optimized.subqueriesAll()).isEmpty()
        && CollectionConverters.asJava(optimized.collectLeaves()).stream()
            .allMatch(
                leaf ->
                    leaf instanceof LogicalRDD read && inputs.contains(read.rdd())
                        || leaf instanceof LocalRelation
                        || leaf instanceof OneRowRelation);
  }

  /** Known without optimizing it. */
  private static boolean readsTables(LogicalPlan analyzed) {
    return analyzed.collectFirstWithSubqueries(new Table()).isDefined();
  }

  /** Whether it depends on the time, on chance, on who runs it, or on functions of a user. */
  private static boolean changesItsMeaning(LogicalPlan plan) {
    var found = new boolean[1];
    plan.foreachWithSubqueries(
        node -> {
          found[0] |= isOfUser(node) || hasOneThatChanges(node);
          return BoxedUnit.UNIT;
        });
    return found[0];
  }

  private static boolean hasOneThatChanges(LogicalPlan node) {
    return CollectionConverters.asJava(node.expressions()).stream()
        .anyMatch(each -> each.exists(PreparedQuery::mayChange));
  }

  private static boolean mayChange(Expression expression) {
    String name = expression.getClass().getSimpleName();
    return expression instanceof Nondeterministic
        || expression instanceof UserDefinedExpression
        || isOfUser(expression)
        || name.startsWith("Current") && !name.startsWith("CurrentRow")
        || name.equals("Now")
        || name.equals("LocalTimestamp");
  }

  /** Functions that are defined by SQL. */
  private static boolean isOfUser(Object node) {
    return node.getClass().getSimpleName().startsWith("SQL");
  }

  private static final class Opened extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
    private final SparkSession session;
    private final List<LocalRelation> rows;
    private final List<RDD<InternalRow>> inputs;

    Opened(SparkSession session, List<LocalRelation> rows, List<RDD<InternalRow>> inputs) {
      this.session = session;
      this.rows = rows;
      this.inputs = inputs;
    }

    @Override
    public boolean isDefinedAt(LogicalPlan plan) {
      return plan instanceof LocalRelation local && place(local) >= 0;
    }

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
      var local = (LocalRelation) plan;
      return new LogicalRDD(
          local.output(),
          inputs.get(place(local)),
          SinglePartition$.MODULE$,
          ArraySeq.unsafeWrapArray(new SortOrder[0]),
          false,
          Option.empty(),
          session,
          Option.apply(SMALL),
          Option.empty());
    }

    /** A relation that is read twice has other columns there, and the same rows. */
    private int place(LocalRelation local) {
      for (int i = 0; i < rows.size(); i++) {
        if (rows.get(i).data() == local.data()) {
          return i;
        }
      }
      return -1;
    }
  }

  private static final class Table extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
    @Override
    public boolean isDefinedAt(LogicalPlan plan) {
      return plan instanceof DataSourceV2Relation;
    }

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
      return plan;
    }
  }

  /** A union has those of all its parts. */
  private static final class OnePartition extends AbstractPartialFunction<SparkPlan, SparkPlan> {
    @Override
    public boolean isDefinedAt(SparkPlan plan) {
      return plan instanceof LocalTableScanExec || plan instanceof UnionExec;
    }

    @Override
    public SparkPlan apply(SparkPlan plan) {
      return new CoalesceExec(1, plan);
    }
  }

  private static final class Filled extends AbstractPartialFunction<SparkPlan, SparkPlan> {
    private final List<RDD<InternalRow>> inputs;
    private final List<RDD<InternalRow>> given;

    Filled(List<RDD<InternalRow>> inputs, List<RDD<InternalRow>> given) {
      this.inputs = inputs;
      this.given = given;
    }

    @Override
    public boolean isDefinedAt(SparkPlan plan) {
      return plan instanceof RDDScanExec scan && inputs.contains(scan.rdd());
    }

    @Override
    public SparkPlan apply(SparkPlan plan) {
      var scan = (RDDScanExec) plan;
      return new RDDScanExec(
          scan.output(),
          given.get(inputs.indexOf(scan.rdd())),
          scan.nodeName(),
          scan.outputPartitioning(),
          scan.outputOrdering(),
          Option.empty());
    }
  }
}
