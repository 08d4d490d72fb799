package headrace.results;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction2;

/**
 * What a task does with its rows. Few of them are its result, which Spark brings to the driver;
 * more go to the receiver over a connection of their own, batch by batch, so that no process ever
 * holds a whole partition.
 */
final class SendPartition extends AbstractFunction2<TaskContext, Iterator<InternalRow>, byte[]>
    implements Serializable {
  private static final long serialVersionUID = 1;
  private static final int MOST_RETURNED = 1 << 18;
  private static final int NO_MORE = 0;

  private final Receiver receiver;
  private final StructType schema;
  private final boolean largeTypes;

  SendPartition(Receiver receiver, StructType schema, boolean largeTypes) {
    this.receiver = receiver;
    this.schema = schema;
    this.largeTypes = largeTypes;
  }

  /** Frames that are not sent; empty if all of them are. */
  @Override
  public byte[] apply(TaskContext context, Iterator<InternalRow> rows) {
    try (var batches = new ArrowBatches(rows, schema, largeTypes)) {
      var first = new ByteArrayOutputStream();
      var out = new DataOutputStream(first);
      while (batches.hasNext() && first.size() <= MOST_RETURNED) {
        batches.writeNext(out);
      }
      if (first.size() <= MOST_RETURNED) {
        out.writeInt(NO_MORE);
        return first.toByteArray();
      }
      send(context.partitionId(), first.toByteArray(), batches);
      return new byte[0];
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private void send(int partition, byte[] first, ArrowBatches batches) throws IOException {
    try (var connection = receiver.connect(partition)) {
      connection.out().write(first);
      while (batches.hasNext()) {
        batches.writeNext(connection.out());
      }
      connection.out().writeInt(NO_MORE);
      connection.awaitStored();
    }
  }
}
