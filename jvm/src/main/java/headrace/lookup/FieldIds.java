package headrace.lookup;

import java.util.List;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Spark's types with Iceberg's field ids in the metadata, by which Spark then finds columns. */
final class FieldIds {
  private static final String KEY = "parquet.field.id";

  private FieldIds() {}

  static StructType struct(List<Types.NestedField> fields, List<DataType> types) {
    var found = new StructField[fields.size()];
    for (int i = 0; i < found.length; i++) {
      Types.NestedField field = fields.get(i);
      var id = new MetadataBuilder().putLong(KEY, field.fieldId()).build();
      found[i] = new StructField(field.name(), withIds(field.type(), types.get(i)), true, id);
    }
    return new StructType(found);
  }

  private static DataType withIds(Type type, DataType plain) {
    if (type.isStructType()) {
      var types = List.of(((StructType) plain).fields()).stream().map(StructField::dataType);
      return struct(type.asStructType().fields(), types.toList());
    }
    if (type.isListType()) {
      var element = withIds(type.asListType().elementType(), ((ArrayType) plain).elementType());
      return new ArrayType(element, true);
    }
    if (type.isMapType()) {
      var map = (MapType) plain;
      return new MapType(
          withIds(type.asMapType().keyType(), map.keyType()),
          withIds(type.asMapType().valueType(), map.valueType()),
          true);
    }
    return plain;
  }
}
