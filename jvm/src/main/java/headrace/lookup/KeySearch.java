package headrace.lookup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.stream.IntStream;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/**
 * Finds the rows of one file that have one of some keys: decodes the key columns, and of them only
 * pages whose bounds do not exclude all keys.
 */
final class KeySearch {
  private final IndexedFile file;
  private final Keys keys;
  private final ReadFigures figures;

  /**
   * The key columns as they are stored; null for one that the file lacks, whose values are NULL.
   */
  private final List<PrimitiveType> stored = new ArrayList<>();

  private final MessageType requested;

  /** Rows of a row group by their numbers, ascending, and the place of the key of each. */
  record Matches(LongList rows, LongList keys) {}

  KeySearch(IndexedFile file, Keys keys, ReadFigures figures) {
    this.file = file;
    this.keys = keys;
    this.figures = figures;
    for (KeyColumn column : keys.columns()) {
      var type = StoredFields.find(file.schema(), column.field());
      stored.add(type == null ? null : type.asPrimitiveType());
    }
    List<org.apache.parquet.schema.Type> present = new ArrayList<>(stored);
    present.removeIf(type -> type == null);
    this.requested = new MessageType("keys", present);
  }

  /** Whether the file stores no key column. */
  boolean hasNoColumn() {
    return requested.getFieldCount() == 0;
  }

  /** Among the given rows of a row group. */
  Matches find(int rowGroup, RowRanges rows) throws IOException {
    var found = new Matches(new LongList(), new LongList());
    if (rows.rowCount() == 0) {
      return found;
    }
    if (requested.getFieldCount() == 0) {
      addAll(rows, found);
      return found;
    }
    try (PageReadStore pages = file.read(rowGroup, requested, rows)) {
      var readers = new ColumnReadStoreImpl(pages, new IgnoredGroup(), requested, file.createdBy());
      if (keys.numbers() != null) {
        findNumbers(pages, readers, found);
      } else {
        findTuples(pages, readers, found);
      }
    }
    return found;
  }

  /** Rows of pages in which each key column may have one of its values. */
  RowRanges candidates(int rowGroup) throws IOException {
    long rowCount = file.getRowGroups().get(rowGroup).getRowCount();
    RowRanges rows = RowRanges.createSingle(rowCount);
    for (int i = 0; i < stored.size(); i++) {
      rows = RowRanges.intersection(rows, candidates(rowGroup, i, rowCount));
    }
    return rows;
  }

  private RowRanges candidates(int rowGroup, int place, long rowCount) throws IOException {
    KeyColumn column = keys.columns().get(place);
    PrimitiveType type = stored.get(place);
    if (type == null) {
      return column.hasNull() ? RowRanges.createSingle(rowCount) : RowRanges.EMPTY;
    }
    ColumnChunkMetaData chunk = file.chunk(rowGroup, ColumnPath.get(type.getName()));
    PageBounds bounds = file.pageBounds(chunk, column.type());
    OffsetIndex pages = file.readOffsetIndex(chunk);
    return bounds == null || pages == null
        ? RowRanges.createSingle(rowCount)
        : bounds.rows(column, pages, rowCount);
  }

  /** Of a file that has no key column: all values are NULL. */
  private void addAll(RowRanges rows, Matches found) {
    int place = keys.find(new Object[stored.size()]);
    if (place != Keys.NONE) {
      rows.iterator().forEachRemaining((long row) -> add(found, row, place));
    }
  }

  private static void add(Matches found, long row, int place) {
    found.rows.add(row);
    found.keys.add(place);
  }

  private void findNumbers(PageReadStore pages, ColumnReadStoreImpl readers, Matches found) {
    ColumnReader reader = readers.getColumnReader(requested.getColumns().get(0));
    PrimitiveTypeName type = stored.get(0).getPrimitiveTypeName();
    int whole = reader.getDescriptor().getMaxDefinitionLevel();
    int ofNull = keys.find(new Object[1]);
    PrimitiveIterator.OfLong rows = IndexedFile.rowNumbers(pages);
    while (rows.hasNext()) {
      long row = rows.nextLong();
      boolean isNull = reader.getCurrentDefinitionLevel() < whole;
      int place = isNull ? ofNull : keys.numbers().find(KeyType.readLong(reader, type));
      if (place != Keys.NONE) {
        add(found, row, place);
      }
      reader.consume();
    }
    figures.keyValues.add(pages.getRowCount());
  }

  private void findTuples(PageReadStore pages, ColumnReadStoreImpl readers, Matches found) {
    List<KeyReader> columns = keyReaders(readers);
    var tuple = new Object[stored.size()];
    PrimitiveIterator.OfLong rows = IndexedFile.rowNumbers(pages);
    while (rows.hasNext()) {
      long row = rows.nextLong();
      boolean isCandidate = true;
      for (int i = 0; i < tuple.length; i++) {
        if (isCandidate) {
          isCandidate = columns.get(i).read(tuple, i);
        } else {
          columns.get(i).skip();
        }
      }
      int place = isCandidate ? keys.find(tuple) : Keys.NONE;
      if (place != Keys.NONE) {
        add(found, row, place);
      }
    }
    columns.forEach(column -> figures.keyValues.add(column.count));
  }

  private List<KeyReader> keyReaders(ColumnReadStoreImpl readers) {
    return IntStream.range(0, stored.size()).mapToObj(i -> new KeyReader(readers, i)).toList();
  }

  /** The hash of the key of each row of the file, at its position. */
  void hashes(PositionIndexes.Hashes.Taker taker) throws IOException, InterruptedException {
    for (int rowGroup = 0; rowGroup < file.getRowGroups().size(); rowGroup++) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      BlockMetaData block = file.getRowGroups().get(rowGroup);
      var all = RowRanges.createSingle(block.getRowCount());
      try (PageReadStore pages = file.read(rowGroup, requested, all)) {
        var readers =
            new ColumnReadStoreImpl(pages, new IgnoredGroup(), requested, file.createdBy());
        List<KeyReader> columns = keyReaders(readers);
        var tuple = new Object[stored.size()];
        for (long row = 0; row < block.getRowCount(); row++) {
          for (int i = 0; i < tuple.length; i++) {
            columns.get(i).read(tuple, i);
          }
          taker.take(KeyHash.of(tuple), block.getRowIndexOffset() + row);
        }
        columns.forEach(column -> figures.keyValues.add(column.count));
      }
    }
  }

  /** Values of one key column, row by row. */
  private final class KeyReader {
    private final KeyColumn column;
    private final PrimitiveTypeName type;
    private final ColumnReader reader;
    private long count;

    KeyReader(ColumnReadStoreImpl readers, int place) {
      PrimitiveType own = stored.get(place);
      this.column = keys.columns().get(place);
      this.type = own == null ? null : own.getPrimitiveTypeName();
      this.reader =
          own == null
              ? null
              : readers.getColumnReader(
                  requested.getColumnDescription(new String[] {own.getName()}));
    }

    /** Reads the next value: whether it is one of those looked for in this column. */
    boolean read(Object[] tuple, int place) {
      boolean isNull = isNull();
      tuple[place] = isNull ? null : column.type().ofReader(reader, type);
      count++;
      consume();
      return isNull ? column.hasNull() : column.contains(tuple[place]);
    }

    void skip() {
      if (!isNull()) {
        reader.skip();
      }
      consume();
    }

    private boolean isNull() {
      return reader == null
          || reader.getCurrentDefinitionLevel() < reader.getDescriptor().getMaxDefinitionLevel();
    }

    private void consume() {
      if (reader != null) {
        reader.consume();
      }
    }
  }

  /** The library wants converters; values are read without them. */
  private static final class IgnoredGroup extends GroupConverter {
    @Override
    public Converter getConverter(int place) {
      return new PrimitiveConverter() {};
    }

    @Override
    public void start() {}

    @Override
    public void end() {}
  }
}
