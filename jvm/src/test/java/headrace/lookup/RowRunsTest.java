package headrace.lookup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;
import org.junit.jupiter.api.Test;

class RowRunsTest {
  private static RowRanges runs(long rowCount, long... rows) {
    var list = new LongList();
    for (long row : rows) {
      list.add(row);
    }
    return RowRuns.of(list, rowCount);
  }

  private static List<Long> rows(RowRanges ranges) {
    var found = new ArrayList<Long>();
    ranges.iterator().forEachRemaining((Long row) -> found.add(row));
    return found;
  }

  @Test
  void exactlyTheRowsGiven() {
    RowRanges found = runs(100, 0, 3, 4, 5, 40, 99);
    assertEquals(List.of(0L, 3L, 4L, 5L, 40L, 99L), rows(found));
    assertEquals(4, found.getRanges().size());
    assertEquals(0, runs(100).rowCount());
  }

  @Test
  void aLastRowOfItsOwnGetsANeighbour() {
    assertEquals(List.of(6L, 17L, 18L), rows(RowRuns.notEndingWithOne(runs(30, 6, 18), 30)));
    assertEquals(List.of(0L, 1L), rows(RowRuns.notEndingWithOne(runs(30, 0), 30)));
    assertEquals(List.of(28L, 29L), rows(RowRuns.notEndingWithOne(runs(30, 29), 30)));
  }

  @Test
  void otherwiseNothingIsAdded() {
    assertEquals(List.of(3L, 8L, 9L), rows(RowRuns.notEndingWithOne(runs(30, 3, 8, 9), 30)));
    assertEquals(List.of(0L), rows(RowRuns.notEndingWithOne(runs(1, 0), 1)));
    assertEquals(List.of(), rows(RowRuns.notEndingWithOne(runs(30), 30)));
  }
}
