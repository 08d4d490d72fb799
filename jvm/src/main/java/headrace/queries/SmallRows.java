package headrace.queries;

import headrace.lookup.LocalRows;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.SparkPlan;
import scala.Option;
import scala.math.BigInt;

/** The rows of a query in the driver's memory, as Spark has them: Python never sees them. */
public final class SmallRows {
  private final SparkSession session;
  private final Dataset<Row> frame;
  private InternalRow[] rows;
  private String view;

  /** As the session's settings are, also when it is collected. */
  public SmallRows(SparkSession session, String query) {
    this.session = session;
    this.frame = session.sql(query);
  }

  /**
   * How many there are.
   *
   * <p>{@code settings} hold for a query that reads no more than {@code fewRows}, from its physical
   * plan on: only its optimized plan says how many it reads.
   */
  public int collect(long fewRows, String settings) throws Exception {
    boolean readsFew =
        InputRows.of(frame.queryExecution().optimizedPlan()).$less$eq(BigInt.apply(fewRows));
    Map<String, String> wanted = readsFew ? TemporarySettings.read(settings) : Map.of();
    var temporary = new TemporarySettings(session, wanted);
    try {
      rows = collected(frame.queryExecution());
    } finally {
      temporary.restore();
    }
    return rows.length;
  }

  private static InternalRow[] collected(QueryExecution execution) {
    SparkPlan plan = execution.executedPlan();
    return SQLExecution.withNewExecutionId(execution, Option.empty(), plan::executeCollect);
  }

  /** See {@link QueryMetrics}. */
  public String metrics(String group) throws Exception {
    return QueryMetrics.of(session.sparkContext(), frame.queryExecution().executedPlan(), group);
  }

  /** Of its columns, as Spark writes them, separated by semicolons. */
  public String types() {
    return Arrays.stream(frame.schema().fields())
        .map(field -> field.dataType().simpleString())
        .collect(Collectors.joining(";"));
  }

  public InternalRow[] rows() {
    return rows;
  }

  /** Whether a row has one in its first column. */
  public boolean hasNull() {
    return Arrays.stream(rows).anyMatch(row -> row.isNullAt(0));
  }

  /** The rows and one whose only value is NULL. */
  public InternalRow[] rowsAndNull() {
    InternalRow[] more = Arrays.copyOf(rows, rows.length + 1, InternalRow[].class);
    more[rows.length] = new GenericInternalRow(new Object[1]);
    return more;
  }

  /** The rows can be read under a name then, as often as one likes. */
  public void register(String name) throws AnalysisException {
    again().createOrReplaceTempView(name);
    view = name;
  }

  /** Takes the name away, if there is one. */
  public void unregister() {
    if (view != null) {
      session.catalog().dropTempView(view);
      view = null;
    }
  }

  public Dataset<Row> again() {
    return LocalRows.frame(session, frame.schema(), rows);
  }
}
