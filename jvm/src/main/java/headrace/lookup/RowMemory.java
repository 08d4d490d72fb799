package headrace.lookup;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.unsafe.types.VariantVal;

/**
 * The memory that rows may take in the driver: a share of the heap, because a number of rows says
 * nothing about their width. Threads that read rows for the same purpose take from the same one.
 */
public final class RowMemory {
  private static final int OBJECT = 16;
  private static final int REFERENCE = 8;

  private final AtomicLong left;

  /** One part of so many of the heap. */
  public RowMemory(int share) {
    this.left = new AtomicLong(bytes(share));
  }

  public static long bytes(int share) {
    return Runtime.getRuntime().maxMemory() / share;
  }

  /** For a row that is kept, without its values. */
  void takeRow(int width) throws TooManyRows {
    take(OBJECT + OBJECT + (long) width * REFERENCE);
  }

  /** For a value of such a row. */
  void takeValue(Object value) throws TooManyRows {
    take(size(value));
  }

  private void take(long bytes) throws TooManyRows {
    if (left.addAndGet(-bytes) < 0) {
      throw new TooManyRows();
    }
  }

  private static long size(Object[] values) {
    long size = OBJECT + OBJECT;
    for (Object value : values) {
      size += REFERENCE + size(value);
    }
    return size;
  }

  private static long size(Object value) {
    if (value == null) {
      return 0;
    } else if (value instanceof UTF8String text) {
      return 3 * OBJECT + text.numBytes();
    } else if (value instanceof byte[] binary) {
      return OBJECT + binary.length;
    } else if (value instanceof GenericInternalRow row) {
      return size(row.values());
    } else if (value instanceof GenericArrayData array) {
      return size(array.array());
    } else if (value instanceof ArrayBasedMapData map) {
      return size(map.keyArray()) + size(map.valueArray());
    } else if (value instanceof VariantVal variant) {
      return 3 * OBJECT + variant.getValue().length + variant.getMetadata().length;
    } else if (value instanceof InternalRow) {
      throw new IllegalArgumentException("a row of unknown size: " + value.getClass());
    }
    return value instanceof Decimal ? 5 * OBJECT : OBJECT;
  }
}
