package headrace;

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

/** A row of Spark as Iceberg's partitioning reads it. */
public final class PartitionedRow implements StructLike {
    private final StructType sparkType;
    private final Types.StructType icebergType;
    private InternalRow row;

    public PartitionedRow(StructType sparkType, Types.StructType icebergType) {
        this.sparkType = sparkType;
        this.icebergType = icebergType;
    }

    public PartitionedRow wrap(InternalRow row) {
        this.row = row;
        return this;
    }

    public int size() {
        return icebergType.fields().size();
    }

    public Object get(int place, Class asked) {
        DataType type = sparkType.fields()[place].dataType();
        Object value = row.isNullAt(place) ? null : row.get(place, type);
        if (value instanceof UTF8String) {
            Type.TypeID id = ((Types.NestedField) icebergType.fields().get(place)).type().typeId();
            return id == Type.TypeID.UUID ? (Object) UUID.fromString(value.toString()) : value.toString();
        }
        if (value instanceof Decimal) {
            return ((Decimal) value).toJavaBigDecimal();
        }
        if (value instanceof byte[]) {
            return ByteBuffer.wrap((byte[]) value);
        }
        if (value instanceof InternalRow) {
            Types.NestedField field = (Types.NestedField) icebergType.fields().get(place);
            return new PartitionedRow((StructType) type, field.type().asStructType()).wrap((InternalRow) value);
        }
        return value;
    }

    public void set(int place, Object value) {
        throw new UnsupportedOperationException();
    }
}
