package headrace.queries;

import headrace.lookup.LocalRows;
import headrace.lookup.RowMemory;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.iceberg.util.JsonUtil;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.types.StructType;
import scala.math.BigInt;

/** The rows of a query in the driver's memory, as Spark has them: Python never sees them. */
public final class SmallRows {
  /** A query in this thread cannot be cancelled. */
  private static final long FEW_FOR_THIS_THREAD = 5_000;

  private final SparkSession session;
  private final String query;
  private Dataset<Row> frame;
  private StructType type;
  private SparkPlan plan;
  private InternalRow[] rows;
  private String view;

  /** As the session's settings are when it is collected. */
  public SmallRows(SparkSession session, String query) {
    this.session = session;
    this.query = query;
  }

  /**
   * How many there are; more than {@code most}, and none are kept, if there are more or they take
   * more than one part of the heap out of {@code share}.
   *
   * <p>{@code settings} hold for a query that reads no more than {@code fewRows}, from its physical
   * plan on: only its optimized plan says how many it reads. {@code localSettings} hold as well if
   * it reads nothing but rows of the driver's memory.
   */
  public int collect(long fewRows, String settings, String localSettings, int most, int share)
      throws Exception {
    var limit = new LimitedRows(most, RowMemory.bytes(share));
    var prepared = new PreparedQueries(session, query);
    if (!prepared.readsFew(fewRows) || !collectPrepared(prepared, settings, localSettings, limit)) {
      collectFrame(fewRows, settings, limit);
    }
    return rows == null ? most + 1 : rows.length;
  }

  /** False if the plan of the query cannot be kept. */
  private boolean collectPrepared(
      PreparedQueries queries, String settings, String localSettings, LimitedRows limit)
      throws Exception {
    PreparedQuery prepared = queries.find();
    Map<String, String> wanted = TemporarySettings.read(settings);
    wanted.putAll(TemporarySettings.read(localSettings));
    var temporary = new TemporarySettings(session, wanted);
    try {
      if (prepared == null) {
        frame = session.sql(query);
        LogicalPlan analyzed = frame.queryExecution().analyzed();
        prepared = PreparedQuery.of(session, analyzed, queries.inputs());
        if (prepared == null) {
          return false;
        }
        queries.keep(prepared);
      }
      plan = prepared.on(session, queries.inputs().stream().map(PreparedQueries::rows).toList());
      type = prepared.type();
      rows = limit.of(session, plan, queries.readsFew(FEW_FOR_THIS_THREAD));
      return true;
    } finally {
      temporary.restore();
    }
  }

  private void collectFrame(long fewRows, String settings, LimitedRows limit) throws Exception {
    if (frame == null) {
      frame = session.sql(query);
    }
    QueryExecution execution = frame.queryExecution();
    boolean readsFew = InputRows.of(execution.optimizedPlan()).$less$eq(BigInt.apply(fewRows));
    Map<String, String> wanted = readsFew ? TemporarySettings.read(settings) : Map.of();
    var temporary = new TemporarySettings(session, wanted);
    try {
      plan = execution.executedPlan();
      type = frame.schema();
      rows = limit.of(execution);
    } finally {
      temporary.restore();
    }
  }

  /** Of rows that are equal byte by byte one is left; how many there are then. */
  public int keepDistinct() {
    rows = new LinkedHashSet<>(Arrays.asList(rows)).toArray(InternalRow[]::new);
    return rows.length;
  }

  /**
   * Takes rows with weights for what is to be done for each key; see {@link NetChange}. The places
   * of the columns of the key are JSON. How many rows there are then; -1 if two change one row.
   */
  public int addUp(String keys) throws Exception {
    var change = new NetChange(type, JsonUtil.mapper().readValue(keys, int[].class));
    InternalRow[] actions = change.of(rows);
    if (actions == null) {
      return -1;
    }
    rows = actions;
    type = change.type();
    return rows.length;
  }

  /** See {@link QueryMetrics}. */
  public String metrics(String group) throws Exception {
    return QueryMetrics.of(session.sparkContext(), plan, group);
  }

  /** Of its columns, as Spark writes them, separated by semicolons. */
  public String types() {
    return Arrays.stream(type.fields())
        .map(field -> field.dataType().simpleString())
        .collect(Collectors.joining(";"));
  }

  public InternalRow[] rows() {
    return rows;
  }

  /** Of each row the values at these places, which are JSON. */
  public InternalRow[] values(String places) throws Exception {
    int[] wanted = JsonUtil.mapper().readValue(places, int[].class);
    return Arrays.stream(rows).map(row -> values(row, wanted)).toArray(InternalRow[]::new);
  }

  private InternalRow values(InternalRow row, int[] places) {
    return new GenericInternalRow(
        Arrays.stream(places)
            .mapToObj(i -> row.isNullAt(i) ? null : row.get(i, type.fields()[i].dataType()))
            .toArray());
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
    DriverViews.register(again(), name);
    view = name;
  }

  /** Takes the name away, if there is one. */
  public void unregister() {
    if (view != null) {
      DriverViews.drop(session, view);
      view = null;
    }
  }

  public Dataset<Row> again() {
    return LocalRows.frame(session, type, rows);
  }
}
