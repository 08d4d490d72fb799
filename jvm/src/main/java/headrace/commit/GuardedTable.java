package headrace.commit;

import java.io.IOException;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.SparkTableCache;

/**
 * A table that Spark can write to under a name of its own, once, and only onto the snapshot given.
 */
public final class GuardedTable {
  private final GuardedTableOperations operations;
  private final Table table;
  private final Table direct;
  private final String id;

  /**
   * With a partition only that is written to, and whoever writes to others at the same time does
   * not matter.
   */
  public GuardedTable(Table table, Long snapshot, String id, PartitionScope partition) {
    this.operations =
        new GuardedTableOperations(((HasTableOperations) table).operations(), snapshot, partition);
    this.table = new BaseTable(operations, table.name());
    this.direct = new BaseTable(new LocalTableOperations(operations), table.name());
    this.id = id;
  }

  public void open() {
    SparkTableCache.get().add(id, table);
  }

  public void close() {
    SparkTableCache.get().remove(id);
  }

  /** At the version given, until the commit; for use in this process. */
  Table direct() {
    return direct;
  }

  public boolean moved() {
    return operations.moved();
  }

  public boolean movedElsewhere() {
    return operations.movedElsewhere();
  }

  public String outside() {
    return operations.outside();
  }

  public Long committed() {
    return operations.committed();
  }

  /** A snapshot without a change, for its summary. */
  public void commitNothing(String summary) throws IOException {
    Summaries.commit(direct.newFastAppend(), summary);
  }
}
