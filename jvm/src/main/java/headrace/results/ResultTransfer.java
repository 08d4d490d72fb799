package headrace.results;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.SparkPlan;
import scala.Function2;
import scala.Option;
import scala.reflect.ClassTag$;
import scala.runtime.BoxedUnit;

/** Runs a query and sends its rows to the Python process that waits for them. */
public final class ResultTransfer {
  private static final int DRIVER = -1;
  private static final int NO_MORE = -1;

  private final Dataset<Row> frame;
  private final boolean largeTypes;

  public ResultTransfer(Dataset<Row> frame, boolean largeTypes) {
    this.frame = frame;
    this.largeTypes = largeTypes;
  }

  /** Ends when the receiver has all rows. */
  public void send(int port, String secret) throws IOException {
    String host = frame.sparkSession().sparkContext().conf().get("spark.driver.host");
    var receiver = new Receiver(host, port, secret);
    try (var connection = receiver.connect(DRIVER)) {
      int partitions = run(receiver, connection.out());
      connection.out().writeInt(NO_MORE);
      connection.out().writeInt(partitions);
      connection.awaitStored();
    }
  }

  private int run(Receiver receiver, DataOutputStream out) {
    QueryExecution execution = frame.queryExecution();
    SparkPlan plan = execution.executedPlan();
    return SQLExecution.withNewExecutionId(
        execution,
        Option.empty(),
        () -> {
          plan.resetMetrics();
          RDD<InternalRow> rows = plan.execute();
          var task = new SendPartition(receiver, plan.schema(), largeTypes);
          Function2<Object, byte[], BoxedUnit> handOver =
              (index, frames) -> handOver((Integer) index, frames, out);
          frame
              .sparkSession()
              .sparkContext()
              .runJob(rows, task, handOver, ClassTag$.MODULE$.<byte[]>apply(byte[].class));
          return rows.getNumPartitions();
        });
  }

  private static BoxedUnit handOver(int partition, byte[] frames, DataOutputStream out) {
    try {
      if (frames.length > 0) {
        out.writeInt(partition);
        out.write(frames);
        out.flush();
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return BoxedUnit.UNIT;
  }
}
