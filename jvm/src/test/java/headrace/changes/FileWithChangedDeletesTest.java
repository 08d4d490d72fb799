package headrace.changes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.stream.LongStream;
import org.apache.iceberg.deletes.Deletes;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.Test;

class FileWithChangedDeletesTest {
  private static final int ROWS = 6;

  private static PositionDeleteIndex index(Long... positions) {
    return Deletes.toPositionIndex(CloseableIterable.withNoopClose(List.of(positions)));
  }

  private static List<Long> rowsLeftBy(PositionDeleteIndex index) {
    return LongStream.range(0, ROWS).filter(row -> !index.isDeleted(row)).boxed().toList();
  }

  private static PositionDeleteIndex allButNew(
      PositionDeleteIndex before, PositionDeleteIndex after, long rowCount) {
    return FileWithChangedDeletes.allBut(after, before, rowCount);
  }

  @Test
  void onlyPositionsThatAreNewlyDeletedAreLeft() {
    var found = allButNew(index(1L, 3L), index(0L, 1L, 3L, 5L), ROWS);
    assertEquals(List.of(0L, 5L), rowsLeftBy(found));
    assertEquals(ROWS - 2, found.cardinality());
  }

  @Test
  void thereAreNoneIfNothingIsNew() {
    assertNull(allButNew(index(1L, 3L), index(3L), ROWS));
    assertNull(allButNew(index(), index(), ROWS));
  }

  @Test
  void allRows() {
    var found = allButNew(index(), index(0L, 1L, 2L, 3L, 4L, 5L), ROWS);
    assertEquals(0, found.cardinality());
  }
}
