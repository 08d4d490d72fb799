package headrace.commit;

import java.io.IOException;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.Transaction;

/**
 * Changes of a table that are one commit each, where Iceberg's own calls would be two.
 *
 * <p>With a summary, which is given as JSON, the commit ends with a snapshot that changes no row:
 * reading it by its number gives the columns of that moment.
 */
public final class TableAlteration {
  private final Table table;

  public TableAlteration(Table table) {
    this.table = table;
  }

  /** Only onto the snapshot given, which the summary is about. */
  public void renameColumn(String column, String name, Long snapshot, String summary)
      throws IOException {
    TableOperations operations = ((HasTableOperations) table).operations();
    var guarded =
        new BaseTable(new GuardedTableOperations(operations, snapshot, null), table.name());
    Transaction transaction = guarded.newTransaction();
    transaction.updateSchema().renameColumn(column, name).commit();
    finish(transaction, summary);
  }

  public void restore(long snapshot, String summary) throws IOException {
    Transaction transaction = table.newTransaction();
    transaction.manageSnapshots().setCurrentSnapshot(snapshot).commit();
    finish(transaction, summary);
  }

  private static void finish(Transaction transaction, String summary) throws IOException {
    if (summary != null) {
      Summaries.commit(transaction.newFastAppend(), summary);
    }
    transaction.commitTransaction();
  }
}
