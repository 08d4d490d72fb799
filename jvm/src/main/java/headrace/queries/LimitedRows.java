package headrace.queries;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.LocalTableScanExec;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.joins.BroadcastNestedLoopJoinExec;
import org.apache.spark.sql.execution.joins.CartesianProductExec;
import scala.Function2;
import scala.Option;
import scala.collection.Iterator;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;
import scala.runtime.BoxedUnit;

/**
 * All rows of a query, or none where there are too many: a task that has more than are wanted, in
 * number or in bytes, returns none, so neither it nor the driver ever holds more.
 */
final class LimitedRows {
  private final int most;
  private final long mostBytes;

  LimitedRows(int most, long mostBytes) {
    this.most = most;
    this.mostBytes = mostBytes;
  }

  /** Null if there are more. */
  InternalRow[] of(QueryExecution execution) {
    SparkPlan plan = execution.executedPlan();
    return SQLExecution.withNewExecutionId(execution, Option.empty(), () -> rows(plan));
  }

  /**
   * The same of a plan that is not that of its query. If it reads few rows it is computed in this
   * thread, without a Spark job, unless all of these are joined with each other: that takes long,
   * and what this thread does cannot be cancelled.
   */
  InternalRow[] of(SparkSession session, SparkPlan plan, boolean readsFew) {
    return SQLExecution.withSQLConfPropagated(
        session, () -> readsFew && !joinsAll(plan) ? rowsHere(plan) : rows(plan));
  }

  private static boolean joinsAll(SparkPlan plan) {
    return plan.exists(
        each ->
            each instanceof CartesianProductExec || each instanceof BroadcastNestedLoopJoinExec);
  }

  private InternalRow[] rowsHere(SparkPlan plan) {
    plan.resetMetrics();
    RDD<InternalRow> found = plan.execute();
    if (!DriverTask.canRun(found)) {
      return rows(plan);
    }
    var collected = new Collected(1);
    SparkContext context = plan.session().sparkContext();
    collected.add(0, DriverTask.run(context, found, new Take(most, mostBytes)));
    return collected.rows(plan.schema().length());
  }

  private InternalRow[] rows(SparkPlan plan) {
    if (plan instanceof LocalTableScanExec) {
      InternalRow[] rows = plan.executeCollect();
      return rows.length > most ? null : rows;
    }
    plan.resetMetrics();
    RDD<InternalRow> found = plan.execute();
    var collected = new Collected(found.getNumPartitions());
    Function2<Object, byte[], BoxedUnit> add =
        (partition, rows) -> collected.add((Integer) partition, rows);
    SparkContext context = plan.session().sparkContext();
    context.runJob(
        found, new Take(most, mostBytes), add, ClassTag$.MODULE$.<byte[]>apply(byte[].class));
    return collected.rows(plan.schema().length());
  }

  /** What tasks have returned so far. */
  private final class Collected {
    private final List<byte[]> partitions = new ArrayList<>();
    private long bytes;
    private boolean isTooMuch;

    Collected(int count) {
      for (int i = 0; i < count; i++) {
        partitions.add(new byte[0]);
      }
    }

    BoxedUnit add(int partition, byte[] rows) {
      bytes += rows == null ? 0 : rows.length;
      isTooMuch |= rows == null || bytes > mostBytes;
      partitions.set(partition, isTooMuch ? new byte[0] : rows);
      if (isTooMuch) {
        partitions.replaceAll(each -> new byte[0]);
      }
      return BoxedUnit.UNIT;
    }

    InternalRow[] rows(int width) {
      var found = new ArrayList<InternalRow>();
      for (int i = 0; i < partitions.size() && found.size() <= most; i++) {
        ByteBuffer buffer = ByteBuffer.wrap(partitions.set(i, null));
        while (buffer.hasRemaining()) {
          var own = new byte[buffer.getInt()];
          buffer.get(own);
          var row = new UnsafeRow(width);
          row.pointTo(own, own.length);
          found.add(row);
        }
      }
      return isTooMuch || found.size() > most ? null : found.toArray(InternalRow[]::new);
    }
  }

  /** What a task does: its rows, each after its length, or null. */
  private static final class Take
      extends AbstractFunction2<TaskContext, Iterator<InternalRow>, byte[]>
      implements Serializable {
    private static final long serialVersionUID = 1;

    /** For rows that are not in an array of bytes, as those of a sort or a hash table. */
    private static final int BUFFER = 4096;

    private final int most;
    private final long mostBytes;

    Take(int most, long mostBytes) {
      this.most = most;
      this.mostBytes = mostBytes;
    }

    @Override
    public byte[] apply(TaskContext context, Iterator<InternalRow> rows) {
      var bytes = new ByteArrayOutputStream();
      var out = new DataOutputStream(bytes);
      var buffer = new byte[BUFFER];
      int count = 0;
      try {
        while (rows.hasNext()) {
          var row = (UnsafeRow) rows.next();
          count++;
          if (count > most || bytes.size() + row.getSizeInBytes() > mostBytes) {
            return null;
          }
          out.writeInt(row.getSizeInBytes());
          row.writeToStream(out, buffer);
        }
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
      return bytes.toByteArray();
    }
  }
}
