package headrace.lookup;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Schema;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The columns in which rows are given: of a table's current schema, and Iceberg's own. */
public final class ReadColumns {
  private static final Set<Type.TypeID> SUPPORTED =
      Set.of(
          Type.TypeID.BOOLEAN,
          Type.TypeID.INTEGER,
          Type.TypeID.LONG,
          Type.TypeID.FLOAT,
          Type.TypeID.DOUBLE,
          Type.TypeID.DATE,
          Type.TypeID.TIMESTAMP,
          Type.TypeID.STRING,
          Type.TypeID.BINARY,
          Type.TypeID.DECIMAL);

  private final List<Column> columns = new ArrayList<>();

  enum Source {
    TABLE,
    ROW_ID,
    LAST_UPDATED,
    FILE,
    POSITION
  }

  /** The field may be stored in a file, by its id; those of files and positions never are. */
  record Column(Source source, Types.NestedField field, DataType type) {
    boolean mayBeStored() {
      return source != Source.FILE && source != Source.POSITION;
    }
  }

  public ReadColumns(Schema schema, List<String> names) {
    for (String name : names) {
      Types.NestedField field = schema.asStruct().field(name);
      columns.add(field == null ? metadataColumn(name) : column(Source.TABLE, field));
    }
  }

  private static Column metadataColumn(String name) {
    return switch (name) {
      case "_row_id" -> column(Source.ROW_ID, MetadataColumns.ROW_ID);
      case "_last_updated_sequence_number" ->
          column(Source.LAST_UPDATED, MetadataColumns.LAST_UPDATED_SEQUENCE_NUMBER);
      case "_file" -> column(Source.FILE, MetadataColumns.FILE_PATH);
      case "_pos" -> column(Source.POSITION, MetadataColumns.ROW_POSITION);
      default -> throw new IllegalArgumentException("no column " + name);
    };
  }

  private static Column column(Source source, Types.NestedField field) {
    boolean isSupported = unsupported(field.type()) == null;
    DataType type = isSupported ? SparkSchemaUtil.convert(field.type()) : DataTypes.NullType;
    return new Column(source, field, type);
  }

  List<Column> all() {
    return columns;
  }

  /** Those that files may have. */
  List<Types.NestedField> stored() {
    return columns.stream().filter(Column::mayBeStored).map(Column::field).toList();
  }

  /** Why rows cannot be given in these columns, or null. */
  public String obstacle() {
    for (Column column : columns) {
      Type found = unsupported(column.field().type());
      if (found != null) {
        return "column " + column.field().name() + " has values of type " + found;
      }
    }
    return null;
  }

  /** The first type that Spark and Iceberg might not read alike, or null. */
  private static Type unsupported(Type type) {
    if (type.isPrimitiveType() || type.isVariantType()) {
      return SUPPORTED.contains(type.typeId()) ? null : type;
    }
    for (Types.NestedField part : type.asNestedType().fields()) {
      Type found = unsupported(part.type());
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** As Spark knows the table's own columns. */
  public StructType sparkType() {
    var fields =
        columns.stream()
            .map(
                each ->
                    new StructField(
                        each.field().name(),
                        each.type(),
                        each.source() != Source.TABLE || each.field().isOptional(),
                        Metadata.empty()))
            .toArray(StructField[]::new);
    return new StructType(fields);
  }
}
