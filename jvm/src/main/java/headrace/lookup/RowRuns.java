package headrace.lookup;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;

/**
 * Chosen rows of a row group as Parquet's ranges of rows, which are made of pages only: so each run
 * of rows is given as a page.
 */
final class RowRuns implements OffsetIndex {
  private final long[] first;
  private final long[] last;
  private int count;

  private RowRuns(int size) {
    this.first = new long[size];
    this.last = new long[size];
  }

  /** Rows by their numbers in the row group, ascending. */
  static RowRanges of(LongList rows, long rowCount) {
    var runs = new RowRuns(rows.size());
    for (int i = 0; i < rows.size(); i++) {
      runs.add(rows.get(i));
    }
    return RowRanges.create(rowCount, IntStream.range(0, runs.count).iterator(), runs);
  }

  /** Those of a file's rows, by their positions, ascending, that are in the row group. */
  static RowRanges of(BlockMetaData rowGroup, long[] positions) {
    long first = rowGroup.getRowIndexOffset();
    int start = Arrays.binarySearch(positions, first);
    var rows = new LongList();
    for (int i = start < 0 ? -start - 1 : start; i < positions.length; i++) {
      if (positions[i] >= first + rowGroup.getRowCount()) {
        break;
      }
      rows.add(positions[i] - first);
    }
    return of(rows, rowGroup.getRowCount());
  }

  /**
   * The same rows, and one more next to the last if that is a run of its own: the library would
   * give another row in place of it, where it is not in the same page as the one before.
   */
  static RowRanges notEndingWithOne(RowRanges rows, long rowCount) {
    var runs = rows.getRanges();
    if (runs.isEmpty()) {
      return rows;
    }
    RowRanges.Range last = runs.get(runs.size() - 1);
    if (last.from < last.to || rowCount == 1) {
      return rows;
    }
    var both = new LongList();
    long first = Math.max(last.from - 1, 0);
    both.add(first);
    both.add(first + 1);
    return RowRanges.union(rows, of(both, rowCount));
  }

  private void add(long row) {
    if (count > 0 && last[count - 1] + 1 == row) {
      last[count - 1] = row;
    } else {
      first[count] = row;
      last[count] = row;
      count++;
    }
  }

  @Override
  public int getPageCount() {
    return count;
  }

  @Override
  public long getFirstRowIndex(int run) {
    return first[run];
  }

  @Override
  public long getLastRowIndex(int run, long rowCount) {
    return last[run];
  }

  @Override
  public long getOffset(int run) {
    throw new UnsupportedOperationException("a run of rows is not stored");
  }

  @Override
  public int getCompressedPageSize(int run) {
    throw new UnsupportedOperationException("a run of rows is not stored");
  }
}
