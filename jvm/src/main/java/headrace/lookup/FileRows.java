package headrace.lookup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.types.Types;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.RecordReader;
import org.apache.parquet.schema.MessageType;
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
 * Rows of one file by their numbers: only pages that have one of them are decoded, by Spark's own
 * Parquet reader. Dates and times are proleptic Gregorian, as Iceberg writes them.
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
  private final int[] places;
  private final StructType stored;
  private final MessageType requested;

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
    this.places = new int[columns.all().size()];
    var fields = new ArrayList<Types.NestedField>();
    var types = new ArrayList<DataType>();
    for (int i = 0; i < places.length; i++) {
      ReadColumns.Column column = columns.all().get(i);
      places[i] = isRead(column, known) ? fields.size() : -1;
      if (places[i] >= 0) {
        fields.add(column.field());
        types.add(column.type());
      }
    }
    this.stored = FieldIds.struct(fields, types);
    this.requested = ParquetReadSupport.clipParquetSchema(file.schema(), stored, true, true, true);
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
    if (!stored.isEmpty() && rows.size() > 0) {
      addStored(rowGroup, rows, found);
    }
    return found;
  }

  /** What is known of a row without reading it. */
  private Object[] derived(long position, int room) {
    var values = new Object[places.length + room];
    Long firstRowId = dataFile.firstRowId();
    for (int i = 0; i < places.length; i++) {
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

  private void addStored(int rowGroup, LongList rows, List<Object[]> found)
      throws IOException, TooManyRows {
    long rowCount = file.getRowGroups().get(rowGroup).getRowCount();
    try (PageReadStore pages = file.read(rowGroup, requested, RowRuns.of(rows, rowCount))) {
      RecordReader<InternalRow> reader = reader(pages);
      PrimitiveIterator.OfLong given = IndexedFile.rowNumbers(pages);
      for (int i = 0; i < found.size(); i++) {
        InternalRow row = reader.read();
        while (given.nextLong() < rows.get(i)) {
          row = reader.read();
        }
        fill(found.get(i), row);
        memory.take(found.get(i));
      }
    }
  }

  private RecordReader<InternalRow> reader(PageReadStore pages) {
    ParquetRecordMaterializer materializer =
        SQLConf.withExistingConf(
            MATCH_BY_FIELD_ID,
            () ->
                new ParquetRecordMaterializer(
                    requested, stored, BY_FIELD_ID, Option.empty(), AS_STORED, AS_STORED));
    return new ColumnIOFactory(file.createdBy())
        .getColumnIO(requested, file.schema())
        .getRecordReader(pages, materializer);
  }

  /** A lineage that is not stored is the one derived. */
  private void fill(Object[] values, InternalRow row) {
    for (int i = 0; i < places.length; i++) {
      int place = places[i];
      if (place >= 0 && !row.isNullAt(place)) {
        values[i] = InternalRow.copyValue(row.get(place, stored.fields()[place].dataType()));
      }
    }
  }
}
