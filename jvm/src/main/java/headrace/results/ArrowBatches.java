package headrace.results;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.arrow.ArrowWriter;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.ArrowUtils;
import scala.collection.Iterator;

/**
 * The rows of one partition as record batches in Arrow's IPC format, each no larger than the limits
 * where its rows allow it: at least one row is in each.
 */
final class ArrowBatches implements AutoCloseable {
  static final int MOST_ROWS = 10_000;
  static final long MOST_BYTES = 2L << 20;

  private final Iterator<InternalRow> rows;
  private final BufferAllocator allocator;
  private final VectorSchemaRoot root;
  private final ArrowWriter writer;
  private final int rowSize;

  ArrowBatches(Iterator<InternalRow> rows, StructType schema, boolean largeTypes) {
    this.rows = rows;
    this.rowSize = schema.defaultSize();
    this.allocator =
        ArrowUtils.rootAllocator().newChildAllocator("headrace result", 0, Long.MAX_VALUE);
    var arrowSchema = ArrowUtils.toArrowSchema(schema, "UTC", true, largeTypes);
    this.root = VectorSchemaRoot.create(arrowSchema, allocator);
    this.writer = ArrowWriter.create(root);
  }

  boolean hasNext() {
    return rows.hasNext();
  }

  /**
   * Writes the next batch as a frame: the length of the message, the number of rows, the message.
   */
  void writeNext(DataOutputStream out) throws IOException {
    long bytes = 0;
    int count = 0;
    while (rows.hasNext() && count < MOST_ROWS && bytes < MOST_BYTES) {
      InternalRow row = rows.next();
      writer.write(row);
      bytes += row instanceof UnsafeRow unsafe ? unsafe.getSizeInBytes() : rowSize;
      count++;
    }
    writer.finish();
    byte[] message = message();
    writer.reset();
    out.writeInt(message.length);
    out.writeInt(count);
    out.write(message);
  }

  private byte[] message() throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (ArrowRecordBatch batch = new VectorUnloader(root).getRecordBatch()) {
      MessageSerializer.serialize(new WriteChannel(Channels.newChannel(bytes)), batch);
    }
    return bytes.toByteArray();
  }

  @Override
  public void close() {
    root.close();
    allocator.close();
  }
}
