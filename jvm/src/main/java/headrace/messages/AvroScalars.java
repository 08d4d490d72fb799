package headrace.messages;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.UUID;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.spark.types.variant.VariantBuilder;

/** Numbers and bytes as what their logical types say; without loss, or as they are. */
final class AvroScalars {
  private static final int MOST_DIGITS = 38;

  private final VariantBuilder out;

  AvroScalars(VariantBuilder out) {
    this.out = out;
  }

  void integer(long value, LogicalType type) {
    if (type instanceof LogicalTypes.Date) {
      out.appendDate(Math.toIntExact(value));
    } else if (type instanceof LogicalTypes.TimestampMillis) {
      out.appendTimestamp(Math.multiplyExact(value, 1000L));
    } else if (type instanceof LogicalTypes.TimestampMicros) {
      out.appendTimestamp(value);
    } else if (type instanceof LogicalTypes.LocalTimestampMillis) {
      out.appendTimestampNtz(Math.multiplyExact(value, 1000L));
    } else if (type instanceof LogicalTypes.LocalTimestampMicros) {
      out.appendTimestampNtz(value);
    } else if (type instanceof LogicalTypes.TimeMillis) {
      out.appendString(time(Math.multiplyExact(value, 1_000_000L)));
    } else if (type instanceof LogicalTypes.TimeMicros) {
      out.appendString(time(Math.multiplyExact(value, 1000L)));
    } else {
      out.appendLong(value);
    }
  }

  void bytes(byte[] value, LogicalType type) {
    if (type instanceof LogicalTypes.Decimal decimal) {
      number(new BigDecimal(new BigInteger(value), decimal.getScale()));
    } else if (type instanceof LogicalTypes.Uuid) {
      ByteBuffer parts = ByteBuffer.wrap(value);
      out.appendString(new UUID(parts.getLong(), parts.getLong()).toString());
    } else {
      out.appendBinary(value);
    }
  }

  /** What is too long for a decimal of Spark is text. */
  private void number(BigDecimal value) {
    if (value.precision() > MOST_DIGITS || value.scale() > MOST_DIGITS) {
      out.appendString(value.toPlainString());
    } else {
      out.appendDecimal(value);
    }
  }

  private static String time(long nanoseconds) {
    return DateTimeFormatter.ISO_LOCAL_TIME.format(LocalTime.ofNanoOfDay(nanoseconds));
  }
}
