package headrace.lookup;

import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.parquet.internal.column.columnindex.ColumnIndex;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/**
 * The least and the greatest value of each page of a column, as keys are compared. The library
 * makes lists of all bounds whenever it is asked for one, so they are decoded once.
 */
final class PageBounds {
  private final Object[] least;
  private final Object[] greatest;
  private final boolean[] mayHaveNull;

  private PageBounds(int pages) {
    this.least = new Object[pages];
    this.greatest = new Object[pages];
    this.mayHaveNull = new boolean[pages];
  }

  static PageBounds of(ColumnIndex index, KeyType type, PrimitiveTypeName stored) {
    List<Boolean> nullPages = index.getNullPages();
    List<Long> nullCounts = index.getNullCounts();
    List<ByteBuffer> lower = index.getMinValues();
    List<ByteBuffer> upper = index.getMaxValues();
    boolean countsNulls = nullCounts != null && !nullCounts.isEmpty();
    var found = new PageBounds(nullPages.size());
    for (int page = 0; page < found.least.length; page++) {
      if (!nullPages.get(page)) {
        found.least[page] = type.ofBound(lower.get(page), stored);
        found.greatest[page] = type.ofBound(upper.get(page), stored);
      }
      found.mayHaveNull[page] = nullPages.get(page) || !countsNulls || nullCounts.get(page) > 0;
    }
    return found;
  }

  /** The rows of pages that may have a value that a page of these bounds has. */
  RowRanges rows(PageBounds others, int page, Comparator<Object> order, OffsetIndex pages, long n) {
    Object lower = others.least[page];
    Object upper = others.greatest[page];
    var chosen =
        IntStream.range(0, least.length)
            .filter(
                each ->
                    lower == null
                        ? mayHaveNull[each]
                        : least[each] != null
                            && order.compare(least[each], upper) <= 0
                            && order.compare(greatest[each], lower) >= 0);
    return RowRanges.create(n, chosen.iterator(), pages);
  }

  int count() {
    return least.length;
  }

  /** The rows of pages that may have a value that is looked for. */
  RowRanges rows(KeyColumn column, OffsetIndex pages, long rowCount) {
    var chosen = IntStream.range(0, least.length).filter(page -> mayHaveKey(column, page));
    return RowRanges.create(rowCount, chosen.iterator(), pages);
  }

  private boolean mayHaveKey(KeyColumn column, int page) {
    return column.hasNull() && mayHaveNull[page]
        || least[page] != null && column.overlaps(least[page], greatest[page]);
  }
}
