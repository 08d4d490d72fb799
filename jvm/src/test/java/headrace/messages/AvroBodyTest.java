package headrace.messages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.spark.types.variant.Variant;
import org.apache.spark.unsafe.types.VariantVal;
import org.junit.jupiter.api.Test;

class AvroBodyTest {
  private static final Schema NODE =
      schema(
          """
          {"type": "record", "name": "node", "fields": [
            {"name": "next", "type": ["null", "node"]}]}
          """);

  @Test
  void aRecordWithARecordAUnionAListAndAMap() throws IOException {
    Schema schema =
        schema(
            """
            {"type": "record", "name": "r", "fields": [
              {"name": "z", "type": {"type": "record", "name": "inner", "fields": [
                {"name": "e", "type": {"type": "enum", "name": "sort", "symbols": ["A", "B"]}}]}},
              {"name": "a", "type": ["null", "string", "long"]},
              {"name": "list", "type": {"type": "array", "items": ["null", "int"]}},
              {"name": "map", "type": {"type": "map", "values": "boolean"}}]}
            """);
    GenericRecord inner = new GenericData.Record(schema.getField("z").schema());
    inner.put("e", new GenericData.EnumSymbol(inner.getSchema().getField("e").schema(), "B"));
    GenericRecord record = new GenericData.Record(schema);
    record.put("z", inner);
    record.put("a", Long.MAX_VALUE);
    record.put("list", Arrays.asList(1, null, -3));
    record.put("map", Map.of("ü", true));
    assertEquals(
        "{\"a\":9223372036854775807,\"list\":[1,null,-3],\"map\":{\"ü\":true},\"z\":{\"e\":\"B\"}}",
        json(schema, record));
  }

  @Test
  void logicalTypesKeepTheirMeaning() throws IOException {
    assertEquals("\"2024-02-29\"", json(logical("int", "date"), 19782));
    assertEquals(
        "\"1969-12-31 23:59:59.999+00:00\"", json(logical("long", "timestamp-millis"), -1L));
    assertEquals(
        "\"1970-01-01 00:00:00.000001+00:00\"", json(logical("long", "timestamp-micros"), 1L));
    assertEquals(
        "\"1970-01-01 00:00:00.000001\"", json(logical("long", "local-timestamp-micros"), 1L));
    assertEquals("1", json(logical("long", "timestamp-nanos"), 1L));
    assertEquals("\"10:00:00\"", json(logical("int", "time-millis"), 36_000_000));
    assertEquals("\"00:00:00.000001\"", json(logical("long", "time-micros"), 1L));
  }

  @Test
  void decimalsAreExact() throws IOException {
    Schema schema =
        schema(
            "{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 50, \"scale\": 2}");
    String most = "123456789012345678901234567890123456.78";
    for (String number : List.of("-0.01", "0.10", most)) {
      BigDecimal exact = new BigDecimal(number);
      Variant found = decoded(schema, ByteBuffer.wrap(exact.unscaledValue().toByteArray()));
      assertEquals(exact, found.getDecimalWithOriginalScale());
    }
    BigDecimal longer = new BigDecimal("9" + most);
    Variant text = decoded(schema, ByteBuffer.wrap(longer.unscaledValue().toByteArray()));
    assertEquals(longer.toPlainString(), text.getString());
  }

  @Test
  void bytesAreBytesAndUuidsAreText() throws IOException {
    byte[] bytes = {0, 1, -1};
    Variant binary = decoded(schema("\"bytes\""), ByteBuffer.wrap(bytes));
    assertEquals(ByteBuffer.wrap(bytes), ByteBuffer.wrap(binary.getBinary()));
    Schema uuid =
        schema("{\"type\": \"fixed\", \"name\": \"u\", \"size\": 16, \"logicalType\": \"uuid\"}");
    String expected = "\"00000000-0000-0000-0000-000000000000\"";
    assertEquals(expected, json(uuid, new GenericData.Fixed(uuid, new byte[16])));
  }

  @Test
  void bytesThatDoNotFitTheSchema() {
    assertBad("the message ends within a value", "\"string\"", 8, 'a');
    assertBad("the message ends within a value", "\"string\"", 1);
    assertBad("the message ends within a value", "\"bytes\"", 0xfe, 0xff, 0xff, 0xff, 0x0f);
    assertBad("the message goes on after its last value", "\"int\"", 2, 2);
    assertBad("does not fit its schema", "[\"null\", \"int\"]", 8);
    assertBad("does not fit its schema", "\"string\"", 2, 0xff);
    assertBad("does not fit its schema", "{\"type\": \"map\", \"values\": \"null\"}", 4, 0, 0, 0);
  }

  @Test
  void fewBytesThatComeToMuch() {
    String many = "{\"type\": \"array\", \"items\": \"null\"}";
    assertBad("more than 4194304 values", many, 0xfe, 0xff, 0xff, 0x7f, 0);
    byte[] deep = new byte[1000];
    Arrays.fill(deep, (byte) 2);
    BadMessage bad = assertThrows(BadMessage.class, () -> AvroBody.read(deep, 0, NODE));
    assertEquals("the message has more than 200 levels", bad.getMessage());
  }

  @Test
  void messagesNameTheirSchemas() {
    HashMap<Integer, Schema> schemas = new HashMap<>();
    schemas.put(258, schema("\"int\""));
    HashMap<Integer, String> missing = new HashMap<>(Map.of(1, "schema 1 is not there"));
    MessagesWithId reader = new MessagesWithId(schemas, missing);
    assertEquals("-1", reader.call(new byte[] {0, 0, 0, 1, 2, 1}).toJson(ZoneOffset.UTC));
    for (byte[] other : new byte[][] {{}, {0, 0, 0, 1}, {1, 0, 0, 1, 2, 1}}) {
      BadMessage bad = assertThrows(BadMessage.class, () -> reader.call(other));
      assertTrue(bad.getMessage().contains("byte 0"));
    }
    byte[] unknown = {0, 0, 0, 0, 1, 1};
    BadMessage bad = assertThrows(BadMessage.class, () -> reader.call(unknown));
    assertEquals("schema 1 is not there", bad.getMessage());
  }

  private static Schema schema(String text) {
    return new Schema.Parser().parse(text);
  }

  private static Schema logical(String type, String logicalType) {
    return schema("{\"type\": \"" + type + "\", \"logicalType\": \"" + logicalType + "\"}");
  }

  private static String json(Schema schema, Object value) throws IOException {
    return decoded(schema, value).toJson(ZoneOffset.UTC);
  }

  private static Variant decoded(Schema schema, Object value) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    new GenericDatumWriter<Object>(schema).write(value, encoder);
    encoder.flush();
    VariantVal found = AvroBody.read(bytes.toByteArray(), 0, schema);
    return new Variant(found.getValue(), found.getMetadata());
  }

  private static void assertBad(String message, String schema, int... bytes) {
    byte[] given = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      given[i] = (byte) bytes[i];
    }
    BadMessage bad = assertThrows(BadMessage.class, () -> AvroBody.read(given, 0, schema(schema)));
    assertTrue(bad.getMessage().contains(message), bad.getMessage());
  }
}
