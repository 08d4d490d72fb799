package headrace.messages;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import org.apache.avro.Schema;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.spark.types.variant.Variant;
import org.apache.spark.types.variant.VariantBuilder;
import org.apache.spark.types.variant.VariantBuilder.FieldEntry;
import org.apache.spark.unsafe.types.VariantVal;

/**
 * One value that Avro has written, as a variant. The bytes may be anything: all lengths are
 * checked.
 */
final class AvroBody {
  private static final int DEEPEST = 200;
  private static final int MOST_VALUES = 1 << 22;

  private final BinaryDecoder in;
  private final int size;
  private final VariantBuilder out = new VariantBuilder(false);
  private final AvroScalars scalars = new AvroScalars(out);
  private int values;

  private AvroBody(byte[] message, int offset) {
    this.size = message.length - offset;
    this.in = DecoderFactory.get().binaryDecoder(message, offset, size, null);
  }

  static VariantVal read(byte[] message, int offset, Schema schema) {
    try {
      return new AvroBody(message, offset).whole(schema);
    } catch (EOFException error) {
      throw new BadMessage("the message ends within a value");
    } catch (BadMessage error) {
      throw error;
    } catch (IOException | RuntimeException error) {
      throw new BadMessage("the message does not fit its schema: " + error.getMessage());
    }
  }

  private VariantVal whole(Schema schema) throws IOException {
    value(schema, 0);
    if (!in.isEnd()) {
      throw new BadMessage("the message goes on after its last value");
    }
    Variant variant = out.result();
    return new VariantVal(variant.getValue(), variant.getMetadata());
  }

  private void value(Schema schema, int depth) throws IOException {
    if (depth > DEEPEST) {
      throw new BadMessage("the message has more than " + DEEPEST + " levels");
    }
    if (++values > MOST_VALUES) {
      throw new BadMessage("the message has more than " + MOST_VALUES + " values");
    }
    switch (schema.getType()) {
      case NULL -> out.appendNull();
      case BOOLEAN -> out.appendBoolean(in.readBoolean());
      case INT -> scalars.integer(in.readInt(), schema.getLogicalType());
      case LONG -> scalars.integer(in.readLong(), schema.getLogicalType());
      case FLOAT -> out.appendFloat(in.readFloat());
      case DOUBLE -> out.appendDouble(in.readDouble());
      case STRING -> out.appendString(text());
      case BYTES -> scalars.bytes(bytes(in.readLong()), schema.getLogicalType());
      case FIXED -> scalars.bytes(bytes(schema.getFixedSize()), schema.getLogicalType());
      case ENUM -> out.appendString(schema.getEnumSymbols().get(in.readEnum()));
      case UNION -> value(schema.getTypes().get(in.readIndex()), depth + 1);
      case RECORD -> record(schema, depth);
      case ARRAY -> array(schema, depth);
      case MAP -> map(schema, depth);
    }
  }

  private void record(Schema schema, int depth) throws IOException {
    int start = out.getWritePos();
    ArrayList<FieldEntry> fields = new ArrayList<>(schema.getFields().size());
    for (Schema.Field field : schema.getFields()) {
      fields.add(entry(field.name(), start));
      value(field.schema(), depth + 1);
    }
    out.finishWritingObject(start, fields);
  }

  private void map(Schema schema, int depth) throws IOException {
    int start = out.getWritePos();
    ArrayList<FieldEntry> fields = new ArrayList<>();
    for (long count = in.readMapStart(); count != 0; count = in.mapNext()) {
      for (long each = 0; each < count; each++) {
        fields.add(entry(text(), start));
        value(schema.getValueType(), depth + 1);
      }
    }
    out.finishWritingObject(start, fields);
  }

  private void array(Schema schema, int depth) throws IOException {
    int start = out.getWritePos();
    ArrayList<Integer> places = new ArrayList<>();
    for (long count = in.readArrayStart(); count != 0; count = in.arrayNext()) {
      for (long each = 0; each < count; each++) {
        places.add(out.getWritePos() - start);
        value(schema.getElementType(), depth + 1);
      }
    }
    out.finishWritingArray(start, places);
  }

  private FieldEntry entry(String name, int start) {
    return new FieldEntry(name, out.addKey(name), out.getWritePos() - start);
  }

  private String text() throws IOException {
    byte[] bytes = bytes(in.readLong());
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
  }

  private byte[] bytes(long length) throws IOException {
    if (length < 0 || length > size) {
      throw new EOFException();
    }
    byte[] bytes = new byte[(int) length];
    in.readFixed(bytes);
    return bytes;
  }
}
