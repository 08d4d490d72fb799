package headrace.messages;

import java.nio.ByteBuffer;
import java.util.HashMap;
import org.apache.avro.Schema;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.unsafe.types.VariantVal;

/**
 * Byte 0, the id of a schema in four bytes, and the value: what clients of schema registries write.
 */
final class MessagesWithId implements UDF1<byte[], VariantVal> {
  private static final long serialVersionUID = 1L;
  private static final int HEADER = 5;

  private final HashMap<Integer, Schema> schemas;
  private final HashMap<Integer, String> missing;

  MessagesWithId(HashMap<Integer, Schema> schemas, HashMap<Integer, String> missing) {
    this.schemas = schemas;
    this.missing = missing;
  }

  @Override
  public VariantVal call(byte[] message) {
    if (message == null) {
      return null;
    }
    if (message.length < HEADER || message[0] != 0) {
      throw new BadMessage("the message does not begin with byte 0 and the id of a schema");
    }
    int id = ByteBuffer.wrap(message).getInt(1);
    Schema schema = schemas.get(id);
    if (schema == null) {
      throw new BadMessage(missing.get(id));
    }
    return AvroBody.read(message, HEADER, schema);
  }
}
