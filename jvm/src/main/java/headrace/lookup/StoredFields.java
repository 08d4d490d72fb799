package headrace.lookup;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DateLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.ListLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.MapLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.StringLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type.Repetition;

/**
 * Whether a file stores fields of a table in a form that Spark reads as Iceberg does: as Iceberg
 * itself writes them, now or before their type was widened.
 */
final class StoredFields {
  private StoredFields() {}

  /** By its id; null if the file has no such field. */
  static org.apache.parquet.schema.Type find(GroupType group, Types.NestedField field) {
    for (org.apache.parquet.schema.Type stored : group.getFields()) {
      if (stored.getId() != null && stored.getId().intValue() == field.fieldId()) {
        return stored;
      }
    }
    return null;
  }

  /** Why a field of that group cannot be read, or null. */
  static String obstacle(GroupType group, Types.NestedField field) {
    org.apache.parquet.schema.Type stored = find(group, field);
    if (stored == null) {
      return missing(field);
    }
    if (stored.isRepetition(Repetition.REPEATED) || !isReadable(field.type(), stored)) {
      return "field " + field.name() + " is stored as " + flat(stored);
    }
    for (var nested : nested(field.type(), stored)) {
      String found = obstacle(nested.group, nested.field);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private static String flat(org.apache.parquet.schema.Type stored) {
    return stored.toString().replaceAll("\\s+", " ");
  }

  private static String missing(Types.NestedField field) {
    if (field.initialDefault() != null) {
      return "field " + field.name() + " has an initial default";
    }
    return field.isRequired() ? "required field " + field.name() + " is missing" : null;
  }

  private record Nested(GroupType group, Types.NestedField field) {}

  private static List<Nested> nested(Type type, org.apache.parquet.schema.Type stored) {
    var found = new ArrayList<Nested>();
    if (type.isNestedType()) {
      GroupType group = stored.asGroupType();
      GroupType holder = type.isStructType() ? group : group.getType(0).asGroupType();
      type.asNestedType().fields().forEach(field -> found.add(new Nested(holder, field)));
    }
    return found;
  }

  private static boolean isReadable(Type type, org.apache.parquet.schema.Type stored) {
    if (type.isNestedType() == stored.isPrimitive()) {
      return false;
    }
    LogicalTypeAnnotation meaning = stored.getLogicalTypeAnnotation();
    return switch (type.typeId()) {
      case STRUCT -> meaning == null && hasAny(stored.asGroupType(), type.asStructType());
      case LIST -> meaning instanceof ListLogicalTypeAnnotation && isRepeated(stored, type);
      case MAP -> meaning instanceof MapLogicalTypeAnnotation && isRepeated(stored, type);
      default -> isReadable(type, stored.asPrimitiveType(), meaning);
    };
  }

  /** Whether a struct is NULL cannot be told where none of its fields is stored. */
  private static boolean hasAny(GroupType group, Types.StructType struct) {
    return struct.fields().stream().anyMatch(field -> find(group, field) != null);
  }

  /** A group that is repeated, of the element or of key and value. */
  private static boolean isRepeated(org.apache.parquet.schema.Type stored, Type type) {
    GroupType group = stored.asGroupType();
    if (group.getFieldCount() != 1 || group.getType(0).isPrimitive()) {
      return false;
    }
    GroupType repeated = group.getType(0).asGroupType();
    List<Types.NestedField> fields = type.asNestedType().fields();
    return repeated.isRepetition(Repetition.REPEATED)
        && repeated.getFieldCount() == fields.size()
        && fields.stream().allMatch(field -> find(repeated, field) != null);
  }

  private static boolean isReadable(
      Type type, PrimitiveType stored, LogicalTypeAnnotation meaning) {
    PrimitiveTypeName name = stored.getPrimitiveTypeName();
    return switch (type.typeId()) {
      case BOOLEAN -> name == PrimitiveTypeName.BOOLEAN && meaning == null;
      case INTEGER -> name == PrimitiveTypeName.INT32 && isSigned(meaning);
      case LONG ->
          (name == PrimitiveTypeName.INT32 || name == PrimitiveTypeName.INT64) && isSigned(meaning);
      case FLOAT -> name == PrimitiveTypeName.FLOAT && meaning == null;
      case DOUBLE ->
          (name == PrimitiveTypeName.FLOAT || name == PrimitiveTypeName.DOUBLE) && meaning == null;
      case DATE -> name == PrimitiveTypeName.INT32 && meaning instanceof DateLogicalTypeAnnotation;
      case TIMESTAMP -> name == PrimitiveTypeName.INT64 && isSameClock(type, meaning);
      case STRING ->
          name == PrimitiveTypeName.BINARY && meaning instanceof StringLogicalTypeAnnotation;
      case BINARY -> name == PrimitiveTypeName.BINARY && meaning == null;
      case DECIMAL -> isNarrower(type, meaning);
      default -> false;
    };
  }

  private static boolean isSigned(LogicalTypeAnnotation meaning) {
    return meaning == null
        || meaning instanceof IntLogicalTypeAnnotation integer && integer.isSigned();
  }

  private static boolean isSameClock(Type type, LogicalTypeAnnotation meaning) {
    return meaning instanceof TimestampLogicalTypeAnnotation timestamp
        && timestamp.getUnit() == TimeUnit.MICROS
        && timestamp.isAdjustedToUTC() == ((Types.TimestampType) type).shouldAdjustToUTC();
  }

  private static boolean isNarrower(Type type, LogicalTypeAnnotation meaning) {
    var decimal = (Types.DecimalType) type;
    return meaning instanceof DecimalLogicalTypeAnnotation stored
        && stored.getScale() == decimal.scale()
        && stored.getPrecision() <= decimal.precision();
  }
}
