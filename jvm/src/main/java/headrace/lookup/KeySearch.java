package headrace.lookup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.PrimitiveIterator;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;
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
      List<KeyReader> columns = keyReaders(pages, rowGroup);
      if (keys.numbers() != null) {
        findNumbers(columns.get(0), rows.iterator(), found);
      } else {
        findTuples(columns, rows.iterator(), found);
      }
      columns.forEach(column -> figures.keyValues.add(column.count));
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

  /**
   * How many rows are in pages that may hold a key of the page at a place of the file, between 0
   * and 1: few if the file is in the order of the keys, all if they are spread.
   */
  long rowsLikeThoseAt(double place) throws IOException {
    int rowGroups = file.getRowGroups().size();
    int own = (int) (place * rowGroups);
    long count = 0;
    for (int rowGroup = 0; rowGroup < rowGroups; rowGroup++) {
      long rowCount = file.getRowGroups().get(rowGroup).getRowCount();
      RowRanges rows = RowRanges.createSingle(rowCount);
      for (int i = 0; i < stored.size(); i++) {
        if (stored.get(i) != null) {
          RowRanges like = rowsLike(own, place * rowGroups - own, rowGroup, i, rowCount);
          rows = RowRanges.intersection(rows, like);
        }
      }
      count += rows.rowCount();
    }
    return count;
  }

  private RowRanges rowsLike(int own, double place, int rowGroup, int column, long rowCount)
      throws IOException {
    PageBounds those = pageBounds(own, column);
    PageBounds bounds = pageBounds(rowGroup, column);
    OffsetIndex pages = file.readOffsetIndex(chunk(rowGroup, column));
    if (those == null || those.count() == 0 || bounds == null || pages == null) {
      return RowRanges.createSingle(rowCount);
    }
    var order = keys.columns().get(column).type().order();
    return bounds.rows(those, (int) (place * those.count()), order, pages, rowCount);
  }

  private ColumnChunkMetaData chunk(int rowGroup, int column) {
    return file.chunk(rowGroup, ColumnPath.get(stored.get(column).getName()));
  }

  /** Null if there are none. */
  private PageBounds pageBounds(int rowGroup, int place) throws IOException {
    return file.pageBounds(chunk(rowGroup, place), keys.columns().get(place).type());
  }

  private RowRanges candidates(int rowGroup, int place, long rowCount) throws IOException {
    KeyColumn column = keys.columns().get(place);
    PrimitiveType type = stored.get(place);
    if (type == null) {
      return column.hasNull() ? RowRanges.createSingle(rowCount) : RowRanges.EMPTY;
    }
    PageBounds bounds = pageBounds(rowGroup, place);
    OffsetIndex pages = file.readOffsetIndex(chunk(rowGroup, place));
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

  private void findNumbers(KeyReader column, PrimitiveIterator.OfLong rows, Matches found)
      throws IOException {
    int ofNull = keys.find(new Object[1]);
    while (rows.hasNext()) {
      long row = rows.nextLong();
      int place = column.goTo(row) ? keys.numbers().find(column.readLong()) : ofNull;
      if (place != Keys.NONE) {
        add(found, row, place);
      }
    }
  }

  private void findTuples(List<KeyReader> columns, PrimitiveIterator.OfLong rows, Matches found)
      throws IOException {
    var tuple = new Object[columns.size()];
    while (rows.hasNext()) {
      long row = rows.nextLong();
      boolean isCandidate = true;
      for (int i = 0; isCandidate && i < tuple.length; i++) {
        isCandidate = columns.get(i).read(row, tuple, i);
      }
      int place = isCandidate ? keys.find(tuple) : Keys.NONE;
      if (place != Keys.NONE) {
        add(found, row, place);
      }
    }
  }

  private List<KeyReader> keyReaders(PageReadStore pages, int rowGroup) throws IOException {
    var readers = new ArrayList<KeyReader>();
    for (int i = 0; i < stored.size(); i++) {
      readers.add(new KeyReader(pages, rowGroup, i));
    }
    return readers;
  }

  /** The hash of the key of each row of the file, at its position. */
  void hashes(SortedEntries.Hashes.Taker taker) throws IOException, InterruptedException {
    for (int rowGroup = 0; rowGroup < file.getRowGroups().size(); rowGroup++) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      BlockMetaData block = file.getRowGroups().get(rowGroup);
      var all = RowRanges.createSingle(block.getRowCount());
      try (PageReadStore pages = file.read(rowGroup, requested, all)) {
        List<KeyReader> columns = keyReaders(pages, rowGroup);
        var tuple = new Object[columns.size()];
        for (long row = 0; row < block.getRowCount(); row++) {
          for (int i = 0; i < tuple.length; i++) {
            columns.get(i).read(row, tuple, i);
          }
          taker.take(KeyHash.of(tuple), block.getRowIndexOffset() + row);
        }
        columns.forEach(column -> figures.keyValues.add(column.count));
      }
    }
  }

  /** Values of one key column at ascending rows. */
  private final class KeyReader {
    private final KeyColumn column;
    private final PrimitiveTypeName type;
    private final ColumnValues values;
    private long count;

    KeyReader(PageReadStore pages, int rowGroup, int place) throws IOException {
      PrimitiveType own = stored.get(place);
      this.column = keys.columns().get(place);
      this.type = own == null ? null : own.getPrimitiveTypeName();
      this.values = own == null ? null : file.values(pages, rowGroup, requested, own.getName());
    }

    boolean goTo(long row) throws IOException {
      count++;
      return values != null && values.goTo(row);
    }

    long readLong() {
      return KeyType.readLong(values.values(), type);
    }

    /** Reads the value of a row: whether it is one of those looked for in this column. */
    boolean read(long row, Object[] tuple, int place) throws IOException {
      if (!goTo(row)) {
        tuple[place] = null;
        return column.hasNull();
      }
      tuple[place] = column.type().ofValues(values.values(), type);
      return column.contains(tuple[place]);
    }
  }
}
