package headrace.lookup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.types.Types;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.values.ValuesReader;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.RecordReader;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.RebaseDateTime.RebaseSpec;
import org.apache.spark.sql.execution.datasources.parquet.ParquetReadSupport;
import org.apache.spark.sql.execution.datasources.parquet.ParquetRecordMaterializer;
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter;
import org.apache.spark.sql.internal.LegacyBehaviorPolicy;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;

/**
 * Rows of one file by their numbers: only pages that have one of them are decoded, and values are
 * converted by Spark's own Parquet reader. Dates and times are proleptic Gregorian, as Iceberg
 * writes them.
 */
final class FileRows {
  private static final RebaseSpec AS_STORED =
      new RebaseSpec(LegacyBehaviorPolicy.CORRECTED(), Option.empty());

  private static final ParquetToSparkSchemaConverter BY_FIELD_ID =
      new ParquetToSparkSchemaConverter(false, true, true, true, false, true, false, false);

  /** Spark's converters look here for how columns are matched. */
  private static final SQLConf MATCH_BY_FIELD_ID = matchByFieldId();

  private final IndexedFile file;
  private final DataFile dataFile;
  private final ReadColumns columns;
  private final RowMemory memory;
  private final StoredColumns flat;
  private final StoredColumns nested;

  /** Columns of the ids given are left to the caller: it has their values. */
  FileRows(
      IndexedFile file,
      DataFile dataFile,
      ReadColumns columns,
      Set<Integer> known,
      RowMemory memory) {
    this.file = file;
    this.dataFile = dataFile;
    this.columns = columns;
    this.memory = memory;
    this.flat = new StoredColumns(column -> isRead(column, known) && !isNested(column));
    this.nested = new StoredColumns(column -> isRead(column, known) && isNested(column));
  }

  private boolean isNested(ReadColumns.Column column) {
    return !StoredFields.find(file.schema(), column.field()).isPrimitive();
  }

  /** Columns that are read from the file in the same way. */
  private final class StoredColumns {
    /** Of each among all columns. */
    private final List<Integer> places = new ArrayList<>();

    private final StructType types;
    private final MessageType requested;

    StoredColumns(Predicate<ReadColumns.Column> isOne) {
      var fields = new ArrayList<Types.NestedField>();
      var sparkTypes = new ArrayList<DataType>();
      for (int i = 0; i < columns.all().size(); i++) {
        ReadColumns.Column column = columns.all().get(i);
        if (isOne.test(column)) {
          places.add(i);
          fields.add(column.field());
          sparkTypes.add(column.type());
        }
      }
      this.types = FieldIds.struct(fields, sparkTypes);
      this.requested = ParquetReadSupport.clipParquetSchema(file.schema(), types, true, true, true);
    }

    boolean isEmpty() {
      return places.isEmpty();
    }

    ParquetRecordMaterializer newMaterializer() {
      return SQLConf.withExistingConf(
          MATCH_BY_FIELD_ID,
          () ->
              new ParquetRecordMaterializer(
                  requested, types, BY_FIELD_ID, Option.empty(), AS_STORED, AS_STORED));
    }

    /** A lineage that is not stored is the one derived. */
    void fill(Object[] values, InternalRow row, int column) throws TooManyRows {
      if (!row.isNullAt(column)) {
        Object value = InternalRow.copyValue(row.get(column, types.fields()[column].dataType()));
        memory.takeValue(value);
        values[places.get(column)] = value;
      }
    }
  }

  private static SQLConf matchByFieldId() {
    var settings = new SQLConf();
    settings.setConfString(SQLConf.PARQUET_FIELD_ID_READ_ENABLED().key(), "true");
    settings.setConfString(SQLConf.CASE_SENSITIVE().key(), "true");
    return settings;
  }

  private boolean isRead(ReadColumns.Column column, Set<Integer> known) {
    return column.mayBeStored()
        && !known.contains(column.field().fieldId())
        && StoredFields.find(file.schema(), column.field()) != null
        && (column.source() == ReadColumns.Source.TABLE || dataFile.firstRowId() != null);
  }

  /** The values of rows of a row group, which are ascending, with room for more values behind. */
  List<Object[]> read(int rowGroup, LongList rows, int room) throws IOException, TooManyRows {
    long first = file.getRowGroups().get(rowGroup).getRowIndexOffset();
    var found = new ArrayList<Object[]>(rows.size());
    for (int i = 0; i < rows.size(); i++) {
      found.add(derived(first + rows.get(i), room));
    }
    if (rows.size() > 0 && !flat.isEmpty()) {
      readFlat(rowGroup, rows, found);
    }
    if (rows.size() > 0 && !nested.isEmpty()) {
      readNested(rowGroup, rows, found);
    }
    return found;
  }

  /** What is known of a row without reading it. */
  private Object[] derived(long position, int room) throws TooManyRows {
    var values = new Object[columns.all().size() + room];
    memory.takeRow(values.length);
    Long firstRowId = dataFile.firstRowId();
    for (int i = 0; i < columns.all().size(); i++) {
      values[i] =
          switch (columns.all().get(i).source()) {
            case TABLE -> null;
            case ROW_ID -> firstRowId == null ? null : (Object) (firstRowId + position);
            case LAST_UPDATED -> firstRowId == null ? null : dataFile.dataSequenceNumber();
            case FILE -> UTF8String.fromString(dataFile.location());
            case POSITION -> (Object) position;
          };
    }
    return values;
  }

  private void readFlat(int rowGroup, LongList rows, List<Object[]> found)
      throws IOException, TooManyRows {
    long rowCount = file.getRowGroups().get(rowGroup).getRowCount();
    ParquetRecordMaterializer materializer = flat.newMaterializer();
    GroupConverter root = materializer.getRootConverter();
    try (PageReadStore pages = file.read(rowGroup, flat.requested, RowRuns.of(rows, rowCount))) {
      for (int column = 0; column < flat.places.size(); column++) {
        PrimitiveType type = flat.requested.getType(column).asPrimitiveType();
        ColumnValues values = file.values(pages, rowGroup, flat.requested, type.getName());
        PrimitiveConverter converter = root.getConverter(column).asPrimitiveConverter();
        for (int i = 0; i < found.size(); i++) {
          if (values.goTo(rows.get(i))) {
            root.start();
            convert(values.values(), type.getPrimitiveTypeName(), converter);
            root.end();
            flat.fill(found.get(i), materializer.getCurrentRecord(), column);
          }
        }
      }
    }
  }

  private static void convert(
      ValuesReader values, PrimitiveTypeName type, PrimitiveConverter converter) {
    switch (type) {
      case BOOLEAN -> converter.addBoolean(values.readBoolean());
      case INT32 -> converter.addInt(values.readInteger());
      case INT64 -> converter.addLong(values.readLong());
      case FLOAT -> converter.addFloat(values.readFloat());
      case DOUBLE -> converter.addDouble(values.readDouble());
      default -> converter.addBinary(values.readBytes());
    }
  }

  private void readNested(int rowGroup, LongList rows, List<Object[]> found)
      throws IOException, TooManyRows {
    long rowCount = file.getRowGroups().get(rowGroup).getRowCount();
    try (PageReadStore pages = file.read(rowGroup, nested.requested, RowRuns.of(rows, rowCount))) {
      RecordReader<InternalRow> reader =
          new ColumnIOFactory(file.createdBy())
              .getColumnIO(nested.requested, file.schema())
              .getRecordReader(pages, nested.newMaterializer());
      PrimitiveIterator.OfLong given = IndexedFile.rowNumbers(pages);
      for (int i = 0; i < found.size(); i++) {
        InternalRow row = reader.read();
        while (given.nextLong() < rows.get(i)) {
          row = reader.read();
        }
        for (int column = 0; column < nested.places.size(); column++) {
          nested.fill(found.get(i), row, column);
        }
      }
    }
  }
}
