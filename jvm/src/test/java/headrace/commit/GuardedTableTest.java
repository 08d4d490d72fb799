package headrace.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Map;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GuardedTableTest {
  private static final TableIdentifier NAME = TableIdentifier.of("public", "t");
  private static final Schema COLUMNS =
      new Schema(
          Types.NestedField.required(1, "id", Types.LongType.get()),
          Types.NestedField.optional(2, "day", Types.DateType.get()));
  private static final PartitionSpec BY_DAY =
      PartitionSpec.builderFor(COLUMNS).identity("day").build();
  private static final String MONDAY = "{\"day\": \"2024-01-01\"}";

  private final InMemoryCatalog catalog = new InMemoryCatalog();
  private Table table;
  private int files;

  @BeforeEach
  void createTable() {
    catalog.initialize("lake", Map.of());
    catalog.createNamespace(Namespace.of("public"));
    table = catalog.createTable(NAME, COLUMNS, BY_DAY);
  }

  private DataFile file(String day) {
    return DataFiles.builder(BY_DAY)
        .withPath("/t/data/" + files++ + ".parquet")
        .withPartitionPath("day=" + day)
        .withFileSizeInBytes(10)
        .withRecordCount(1)
        .build();
  }

  private void appendByOther(String day, String mark) {
    AppendFiles append = catalog.loadTable(NAME).newFastAppend().appendFile(file(day));
    if (mark != null) {
      append.set(PartitionScope.KEY, mark);
    }
    append.commit();
  }

  private GuardedTable guarded(PartitionScope partition) {
    table.refresh();
    Long current = table.currentSnapshot() == null ? null : table.currentSnapshot().snapshotId();
    return new GuardedTable(catalog.loadTable(NAME), current, "id", partition);
  }

  @Test
  void aCommitOntoTheSnapshotThatWasSeenSucceeds() throws IOException {
    appendByOther("2024-01-01", null);
    GuardedTable guarded = guarded(null);
    assertNull(guarded.committed());
    guarded.commitNothing("{\"reason\": \"test\"}");
    table.refresh();
    assertEquals(table.currentSnapshot().snapshotId(), guarded.committed());
    assertEquals("test", table.currentSnapshot().summary().get("reason"));
    assertFalse(guarded.moved());
  }

  @Test
  void aCommitAfterAnotherIsRefused() {
    GuardedTable guarded = guarded(null);
    appendByOther("2024-01-01", null);
    assertTrue(guarded.moved());
    assertFalse(guarded.movedElsewhere());
    assertThrows(ValidationException.class, () -> guarded.commitNothing("{}"));
    assertNull(guarded.committed());
  }

  @Test
  void whatIsReadBeforeTheCommitIsOneVersion() {
    GuardedTable guarded = guarded(null);
    appendByOther("2024-01-01", null);
    guarded.direct().refresh();
    assertNull(guarded.direct().currentSnapshot());
  }

  @Test
  void ofOnePartitionItMayComeAfterCommitsToOthers() throws IOException {
    GuardedTable guarded = guarded(new PartitionScope("monday", MONDAY));
    appendByOther("2024-01-02", "tuesday");
    assertTrue(guarded.moved());
    assertTrue(guarded.movedElsewhere());
    guarded.direct().newFastAppend().appendFile(file("2024-01-01")).commit();
    assertNull(guarded.outside());
    table.refresh();
    assertEquals(table.currentSnapshot().snapshotId(), guarded.committed());
  }

  @Test
  void aCommitThatNamesNoPartitionMayHaveTouchedEveryOne() throws IOException {
    GuardedTable guarded = guarded(new PartitionScope("monday", MONDAY));
    appendByOther("2024-01-02", null);
    assertFalse(guarded.movedElsewhere());
    assertThrows(ValidationException.class, () -> guarded.commitNothing("{}"));
  }

  @Test
  void aFileOfAnotherPartitionIsRefusedAndNamed() throws IOException {
    GuardedTable guarded = guarded(new PartitionScope("monday", MONDAY));
    AppendFiles append = guarded.direct().newFastAppend().appendFile(file("2024-01-02"));
    assertThrows(ValidationException.class, append::commit);
    assertEquals("day = 2024-01-02", guarded.outside());
    assertNull(guarded.committed());
  }
}
