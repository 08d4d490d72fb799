package headrace.lookup;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.parquet.internal.column.columnindex.ColumnIndex;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/** Which pages of a column may have a value that is looked for. */
final class PageChoice {
  private final KeyColumn column;
  private final ColumnIndex bounds;
  private final PrimitiveTypeName stored;

  private PageChoice(KeyColumn column, ColumnIndex bounds, PrimitiveTypeName stored) {
    this.column = column;
    this.bounds = bounds;
    this.stored = stored;
  }

  /** The rows of those pages; either index may be null, then it is all rows. */
  static RowRanges rows(
      KeyColumn column,
      PrimitiveTypeName stored,
      ColumnIndex bounds,
      OffsetIndex pages,
      long rowCount) {
    if (bounds == null || pages == null) {
      return RowRanges.createSingle(rowCount);
    }
    var choice = new PageChoice(column, bounds, stored);
    var chosen = IntStream.range(0, pages.getPageCount()).filter(choice::mayHaveKey);
    return RowRanges.create(rowCount, chosen.iterator(), pages);
  }

  private boolean mayHaveKey(int page) {
    if (bounds.getNullPages().get(page)) {
      return column.hasNull();
    }
    return column.hasNull() && mayHaveNull(page)
        || column.overlaps(
            column.type().ofBound(bounds.getMinValues().get(page), stored),
            column.type().ofBound(bounds.getMaxValues().get(page), stored));
  }

  private boolean mayHaveNull(int page) {
    List<Long> counts = bounds.getNullCounts();
    return counts == null || counts.isEmpty() || counts.get(page) > 0;
  }
}
