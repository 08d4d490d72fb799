package headrace.messages;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.iceberg.util.JsonUtil;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.VariantVal;

/** A column of bytes that Avro has written, read as VARIANT. Python gives maps as JSON. */
public final class AvroColumn {
  private AvroColumn() {}

  /** Every message has the same schema, and nothing else in it. */
  public static Dataset<Row> decode(Dataset<Row> messages, String column, String schema) {
    Schema parsed = parsed(schema, "the Avro schema");
    return decoded(
        messages, column, bytes -> bytes == null ? null : AvroBody.read(bytes, 0, parsed));
  }

  /** Every message names its schema. {@code missing} says why there is none for an id. */
  @SuppressWarnings("unchecked")
  public static Dataset<Row> decodeById(
      Dataset<Row> messages, String column, String schemas, String missing) throws IOException {
    Map<String, String> texts = JsonUtil.mapper().readValue(schemas, Map.class);
    Map<String, String> reasons = JsonUtil.mapper().readValue(missing, Map.class);
    HashMap<Integer, Schema> parsed = new HashMap<>();
    texts.forEach((id, text) -> parsed.put(Integer.valueOf(id), parsed(text, "schema " + id)));
    HashMap<Integer, String> unknown = new HashMap<>();
    reasons.forEach((id, reason) -> unknown.put(Integer.valueOf(id), reason));
    return decoded(messages, column, new MessagesWithId(parsed, unknown));
  }

  private static Dataset<Row> decoded(
      Dataset<Row> messages, String column, UDF1<byte[], VariantVal> reader) {
    return messages.withColumn(
        column, functions.udf(reader, DataTypes.VariantType).apply(messages.col(column)));
  }

  private static Schema parsed(String text, String what) {
    try {
      return new Schema.Parser().setValidateDefaults(false).parse(text);
    } catch (NullPointerException error) { // what Avro throws for a name alone
      throw new BadSchema(what + " is not valid: it names a type that is not defined");
    } catch (AvroRuntimeException error) {
      boolean isJson = !(error.getCause() instanceof JsonProcessingException);
      String reason = isJson ? error.getMessage() : "it is not JSON";
      throw new BadSchema(what + " is not valid: " + reason);
    }
  }
}
