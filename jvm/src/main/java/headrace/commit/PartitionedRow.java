package headrace.commit;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** A row of Spark as Iceberg's partitioning reads it, whose values have other classes there. */
final class PartitionedRow implements StructLike {
  private final StructType sparkType;
  private final Types.StructType icebergType;
  private InternalRow row;

  PartitionedRow(StructType sparkType, Types.StructType icebergType) {
    this.sparkType = sparkType;
    this.icebergType = icebergType;
  }

  PartitionedRow wrap(InternalRow wrapped) {
    this.row = wrapped;
    return this;
  }

  @Override
  public int size() {
    return icebergType.fields().size();
  }

  @Override
  public <T> T get(int place, Class<T> javaClass) {
    return javaClass.cast(value(place));
  }

  private Object value(int place) {
    DataType sparkField = sparkType.fields()[place].dataType();
    Type icebergField = icebergType.fields().get(place).type();
    Object value = row.isNullAt(place) ? null : row.get(place, sparkField);
    if (value instanceof UTF8String text) {
      boolean isUuid = icebergField.typeId() == Type.TypeID.UUID;
      return isUuid ? UUID.fromString(text.toString()) : text.toString();
    }
    if (value instanceof Decimal decimal) {
      return decimal.toJavaBigDecimal();
    }
    if (value instanceof byte[] bytes) {
      return ByteBuffer.wrap(bytes);
    }
    if (value instanceof InternalRow nested) {
      return new PartitionedRow((StructType) sparkField, icebergField.asStructType()).wrap(nested);
    }
    return value;
  }

  @Override
  public <T> void set(int place, T value) {
    throw new UnsupportedOperationException();
  }
}
