package headrace.commit;

import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.SparkPlan;
import scala.Option;
import scala.collection.immutable.ArraySeq;

/** The rows of a query in the driver's memory, as Spark has them: Python never sees them. */
public final class SmallRows {
  private final Dataset<Row> frame;
  private InternalRow[] rows;

  public SmallRows(Dataset<Row> frame) {
    this.frame = frame;
  }

  /** How many there are. */
  public int collect() {
    QueryExecution execution = frame.queryExecution();
    SparkPlan plan = execution.executedPlan();
    rows = SQLExecution.withNewExecutionId(execution, Option.empty(), plan::executeCollect);
    return rows.length;
  }

  public InternalRow[] rows() {
    return rows;
  }

  /** To be read again, as often as one likes. */
  public Dataset<Row> again() {
    return Dataset.ofRows(
        frame.sparkSession(),
        new LocalRelation(
            frame.queryExecution().analyzed().output(),
            ArraySeq.<InternalRow>unsafeWrapArray(rows),
            false,
            Option.empty()));
  }
}
