package headrace.lookup;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Comparator;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.parquet.column.values.ValuesReader;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * How values of a key column are compared, whichever way a file stores them: numbers, moments and
 * decimals of up to 18 digits as long, longer decimals by their unscaled value, text and binary by
 * its bytes.
 */
enum KeyType {
  LONG {
    @Override
    Object ofRow(InternalRow row, int place, Type type) {
      return switch (type.typeId()) {
        case BOOLEAN -> row.getBoolean(place) ? 1L : 0L;
        case INTEGER, DATE -> (long) row.getInt(place);
        case DECIMAL -> decimal(row, place, type).unscaledValue().longValueExact();
        default -> row.getLong(place);
      };
    }

    @Override
    Object ofBound(ByteBuffer bound, PrimitiveTypeName stored) {
      ByteBuffer bytes = bound.duplicate().order(ByteOrder.LITTLE_ENDIAN);
      return switch (stored) {
        case BOOLEAN -> bytes.get() == 0 ? 0L : 1L;
        case INT32 -> (long) bytes.getInt();
        case INT64 -> bytes.getLong();
        default -> unscaled(Binary.fromConstantByteBuffer(bytes)).longValueExact();
      };
    }

    @Override
    Object ofValues(ValuesReader values, PrimitiveTypeName stored) {
      return readLong(values, stored);
    }

    @Override
    Comparator<Object> order() {
      return Comparator.comparing(Long.class::cast);
    }
  },
  LONG_DECIMAL {
    @Override
    Object ofRow(InternalRow row, int place, Type type) {
      return decimal(row, place, type).unscaledValue();
    }

    @Override
    Object ofBound(ByteBuffer bound, PrimitiveTypeName stored) {
      ByteBuffer bytes = bound.duplicate().order(ByteOrder.LITTLE_ENDIAN);
      return switch (stored) {
        case INT32 -> BigInteger.valueOf(bytes.getInt());
        case INT64 -> BigInteger.valueOf(bytes.getLong());
        default -> unscaled(Binary.fromConstantByteBuffer(bytes));
      };
    }

    @Override
    Object ofValues(ValuesReader values, PrimitiveTypeName stored) {
      return switch (stored) {
        case INT32, INT64 -> BigInteger.valueOf(readLong(values, stored));
        default -> unscaled(values.readBytes());
      };
    }

    @Override
    Comparator<Object> order() {
      return Comparator.comparing(BigInteger.class::cast);
    }
  },
  BYTES {
    @Override
    Object ofRow(InternalRow row, int place, Type type) {
      boolean isText = type.typeId() == Type.TypeID.STRING;
      return Binary.fromConstantByteArray(
          isText ? row.getUTF8String(place).getBytes() : row.getBinary(place));
    }

    @Override
    Object ofBound(ByteBuffer bound, PrimitiveTypeName stored) {
      return Binary.fromConstantByteBuffer(bound.duplicate());
    }

    @Override
    Object ofValues(ValuesReader values, PrimitiveTypeName stored) {
      return values.readBytes();
    }

    @Override
    Comparator<Object> order() {
      var text = org.apache.parquet.schema.Types.required(PrimitiveTypeName.BINARY).named("text");
      Comparator<Binary> unsigned = text.comparator();
      return (one, other) -> unsigned.compare((Binary) one, (Binary) other);
    }
  };

  private static final int LONG_DIGITS = 18;

  /** A value of a row as Spark has it, not NULL. */
  abstract Object ofRow(InternalRow row, int place, Type type);

  /** A bound of a page. */
  abstract Object ofBound(ByteBuffer bound, PrimitiveTypeName stored);

  /** The next value of a column, not NULL. */
  abstract Object ofValues(ValuesReader values, PrimitiveTypeName stored);

  abstract Comparator<Object> order();

  /** Null if rows cannot be found by values of that type. */
  static KeyType of(Type type) {
    return switch (type.typeId()) {
      case BOOLEAN, INTEGER, LONG, DATE, TIMESTAMP -> LONG;
      case STRING, BINARY -> BYTES;
      case DECIMAL -> ((Types.DecimalType) type).precision() <= LONG_DIGITS ? LONG : LONG_DECIMAL;
      default -> null;
    };
  }

  static long readLong(ValuesReader values, PrimitiveTypeName stored) {
    return switch (stored) {
      case INT64 -> values.readLong();
      case INT32 -> values.readInteger();
      case BOOLEAN -> values.readBoolean() ? 1 : 0;
      default -> unscaled(values.readBytes()).longValueExact();
    };
  }

  private static BigInteger unscaled(Binary value) {
    return new BigInteger(value.getBytesUnsafe());
  }

  private static BigDecimal decimal(InternalRow row, int place, Type type) {
    var decimal = (Types.DecimalType) type;
    return row.getDecimal(place, decimal.precision(), decimal.scale())
        .toJavaBigDecimal()
        .setScale(decimal.scale());
  }
}
