package headrace.changes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.Snapshot;
import org.junit.jupiter.api.Test;

class SnapshotPathTest {
  private final Map<Long, Snapshot> kept = new HashMap<>();
  private final SnapshotPath path = new SnapshotPath(kept::get);

  private Snapshot commit(long id, Long parent, String operation, Long firstRowId) {
    Map<String, Object> values = new HashMap<>();
    values.put("snapshotId", id);
    values.put("parentId", parent);
    values.put("operation", operation);
    values.put("firstRowId", firstRowId);
    Snapshot made =
        (Snapshot)
            Proxy.newProxyInstance(
                Snapshot.class.getClassLoader(),
                new Class<?>[] {Snapshot.class},
                (proxy, method, arguments) -> values.get(method.getName()));
    kept.put(id, made);
    return made;
  }

  private Snapshot append(long id, Long parent) {
    return commit(id, parent, DataOperations.APPEND, 0L);
  }

  private Snapshot rewrite(long id, Long parent) {
    return commit(id, parent, DataOperations.REPLACE, 0L);
  }

  private List<String> legs() {
    return path.legs().stream()
        .map(
            leg ->
                leg.from().snapshotId()
                    + (leg.onward() ? " on to " : " over to ")
                    + leg.to().snapshotId())
        .toList();
  }

  @Test
  void downTheLineIsOneLeg() {
    Snapshot first = append(1, null);
    append(2, 1L);
    assertTrue(path.find(first, append(3, 2L)));
    assertEquals(List.of("1 on to 3"), legs());
    assertNull(path.lost());
  }

  @Test
  void toItselfThereIsNothingToRead() {
    Snapshot only = append(1, null);
    assertTrue(path.find(only, only));
    assertEquals(List.of(), legs());
  }

  @Test
  void rewritesAreLeftOut() {
    Snapshot first = append(1, null);
    append(2, 1L);
    rewrite(3, 2L);
    assertTrue(path.find(first, append(4, 3L)));
    assertEquals(List.of("1 on to 2", "3 on to 4"), legs());
  }

  @Test
  void aRewriteThatGivesRowsAnIdentityIsNone() {
    Snapshot first = commit(1, null, DataOperations.APPEND, null);
    assertTrue(path.find(first, rewrite(2, 1L)));
    assertEquals(List.of("1 on to 2"), legs());
  }

  @Test
  void fromABranchItGoesUpAndDown() {
    append(1, null);
    Snapshot undone = append(2, 1L);
    assertTrue(path.find(undone, append(3, 1L)));
    assertEquals(List.of("2 over to 3"), legs());
  }

  @Test
  void backToAnAncestor() {
    Snapshot first = append(1, null);
    append(2, 1L);
    assertTrue(path.find(append(3, 2L), first));
    assertEquals(List.of("3 over to 1"), legs());
  }

  @Test
  void afterExpiryTheOldestThatIsKeptIsNamed() {
    Snapshot first = append(1, null);
    append(2, 1L);
    append(3, 2L);
    Snapshot last = append(4, 3L);
    kept.remove(2L);
    assertFalse(path.find(first, last));
    assertEquals(3, path.lost().snapshotId());
  }

  @Test
  void withoutACommonAncestorThereIsNoWay() {
    assertFalse(path.find(append(1, null), append(2, null)));
    assertNull(path.lost());
  }
}
