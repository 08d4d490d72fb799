package headrace.lookup;

import headrace.manifests.FileWithDeletes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.types.Types;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;

/** The rows of one file that have one of the keys and are in one of the versions. */
final class KeyedFileRead implements ParallelReads.Read<List<KeyedFileRead.FoundRow>> {
  private static final int FLAGS = 2;
  private static final long MOST_DELETED = 1 << 20;

  private final Table table;
  private final VersionedFile versioned;
  private final ReadColumns columns;
  private final Keys keys;
  private final InternalRow[] keyRows;
  private final AtomicLong rowsLeft;
  private final RowMemory memory;
  private final PositionIndexes indexes;
  private final long smallFile;
  private final ReadFigures figures;
  private PositionDeleteIndex deletedBefore;
  private PositionDeleteIndex deletedAfter;

  /** A row, and the place of its key among those that are looked for. */
  record FoundRow(int key, InternalRow values) {}

  /**
   * The reads of all files take the rows that they give from {@code rowsLeft} and {@code memory}.
   * Without indexes, which may be null, pages alone tell where keys may be. The keys of a small
   * file, which has at most so many rows, are kept in memory.
   */
  KeyedFileRead(
      Table table,
      VersionedFile versioned,
      ReadColumns columns,
      Keys keys,
      InternalRow[] keyRows,
      AtomicLong rowsLeft,
      RowMemory memory,
      PositionIndexes indexes,
      long smallFile,
      ReadFigures figures) {
    this.table = table;
    this.versioned = versioned;
    this.columns = columns;
    this.keys = keys;
    this.keyRows = keyRows;
    this.rowsLeft = rowsLeft;
    this.memory = memory;
    this.indexes = indexes;
    this.smallFile = smallFile;
    this.figures = figures;
  }

  @Override
  public List<FoundRow> run() throws IOException, InterruptedException, Obstacle, TooManyRows {
    for (FileWithDeletes version : versioned.versions()) {
      FileObstacles.check(version.file(), version.deletes());
    }
    var found = new ArrayList<FoundRow>();
    KeyPositions known = SmallFileKeys.find(versioned.file(), keys.columns());
    if (known != null && positions(known).length == 0) {
      return found;
    }
    try (IndexedFile file = IndexedFile.open(table.io(), versioned.file(), figures)) {
      FileObstacles.check(file, table.specs().get(versioned.file().specId()), fields());
      var search = new KeySearch(file, keys, figures);
      var rows = new FileRows(file, versioned.file(), columns, keyIds(), memory);
      List<RowRanges> candidates = candidates(file, search);
      for (int rowGroup = 0; rowGroup < candidates.size(); rowGroup++) {
        read(file, rowGroup, search, candidates.get(rowGroup), rows, found);
      }
    }
    return found;
  }

  private List<Types.NestedField> fields() {
    var keyFields = keys.columns().stream().map(KeyColumn::field);
    return Stream.concat(columns.stored().stream(), keyFields).toList();
  }

  private Set<Integer> keyIds() {
    return keys.columns().stream()
        .map(column -> column.field().fieldId())
        .collect(Collectors.toSet());
  }

  /** Rows of each row group that may have a key: by its pages, or by an index if those are many. */
  private List<RowRanges> candidates(IndexedFile file, KeySearch search)
      throws IOException, InterruptedException, TooManyRows {
    if (search.hasNoColumn()) {
      return pages(file, search);
    }
    if (versioned.file().recordCount() <= smallFile) {
      return rows(file, positions(smallFileKeys(search)));
    }
    List<RowRanges> found = pages(file, search);
    long count = found.stream().mapToLong(RowRanges::rowCount).sum();
    long[] positions = indexes != null && count > indexes.fewRows() ? indexed(search) : null;
    return positions == null ? found : rows(file, positions);
  }

  private static List<RowRanges> pages(IndexedFile file, KeySearch search) throws IOException {
    var found = new ArrayList<RowRanges>();
    for (int rowGroup = 0; rowGroup < file.getRowGroups().size(); rowGroup++) {
      found.add(search.candidates(rowGroup));
    }
    return found;
  }

  private static List<RowRanges> rows(IndexedFile file, long[] positions) {
    return file.getRowGroups().stream().map(each -> RowRuns.of(each, positions)).toList();
  }

  private KeyPositions smallFileKeys(KeySearch search) throws IOException, InterruptedException {
    KeyPositions known = SmallFileKeys.find(versioned.file(), keys.columns());
    if (known != null) {
      return known;
    }
    var entries = new LongList();
    search.hashes((hash, position) -> entries.add(KeyPositions.entry(hash, position)));
    return SmallFileKeys.add(versioned.file(), keys.columns(), entries);
  }

  private long[] positions(KeyPositions known) throws IOException, TooManyRows {
    return known.find(keys.hashes(), 2 * rowsLeft.get() + MOST_DELETED);
  }

  /** The positions of rows that may have a key; null if there is no index. */
  private long[] indexed(KeySearch search) throws IOException, InterruptedException, TooManyRows {
    DataFile data = versioned.file();
    PositionIndex index = indexes.find(data, keys.columns());
    if (index == null) {
      index = indexes.build(data, keys.columns(), search::hashes);
    }
    if (index == null) {
      return null;
    }
    long[] positions = positions(index);
    if (positions == null) {
      indexes.remove(data, keys.columns());
    } else {
      figures.indexes.increment();
    }
    return positions;
  }

  private void read(
      IndexedFile file,
      int rowGroup,
      KeySearch search,
      RowRanges candidates,
      FileRows rows,
      List<FoundRow> found)
      throws IOException, InterruptedException, TooManyRows {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    BlockMetaData block = file.getRowGroups().get(rowGroup);
    KeySearch.Matches matches =
        present(search.find(rowGroup, candidates), block.getRowIndexOffset());
    if (rowsLeft.addAndGet(-matches.rows().size()) < 0) {
      throw new TooManyRows();
    }
    List<Object[]> values = rows.read(rowGroup, matches.rows(), FLAGS);
    for (int i = 0; i < values.size(); i++) {
      long position = block.getRowIndexOffset() + matches.rows().get(i);
      int key = (int) matches.keys().get(i);
      complete(values.get(i), keyRows[key], position);
      found.add(new FoundRow(key, new GenericInternalRow(values.get(i))));
    }
  }

  /** Those that are in a version. */
  private KeySearch.Matches present(KeySearch.Matches matches, long first) {
    if (matches.rows().size() == 0) {
      return matches;
    }
    loadDeletes();
    var found = new KeySearch.Matches(new LongList(), new LongList());
    for (int i = 0; i < matches.rows().size(); i++) {
      long position = first + matches.rows().get(i);
      if (isIn(deletedBefore, position) || isIn(deletedAfter, position)) {
        found.rows().add(matches.rows().get(i));
        found.keys().add(matches.keys().get(i));
      }
    }
    return found;
  }

  private void loadDeletes() {
    if (deletedBefore == null && deletedAfter == null) {
      DeleteLoader loader = DeleteLoaders.of(table);
      deletedBefore = VersionedFile.deletes(versioned.before(), loader);
      deletedAfter = VersionedFile.deletes(versioned.after(), loader);
    }
  }

  /** Of a version that lacks the file there are no deletes. */
  private static boolean isIn(PositionDeleteIndex deleted, long position) {
    return deleted != null && !deleted.isDeleted(position);
  }

  private void complete(Object[] values, InternalRow key, long position) {
    for (int i = 0; i < columns.all().size(); i++) {
      ReadColumns.Column column = columns.all().get(i);
      for (int k = 0; k < keys.columns().size(); k++) {
        if (keys.columns().get(k).field().fieldId() == column.field().fieldId()) {
          values[i] = key.isNullAt(k) ? null : InternalRow.copyValue(key.get(k, column.type()));
        }
      }
    }
    values[values.length - 2] = isIn(deletedBefore, position);
    values[values.length - 1] = isIn(deletedAfter, position);
  }
}
