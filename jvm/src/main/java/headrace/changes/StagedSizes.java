package headrace.changes;

import java.util.List;
import org.apache.iceberg.ScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.ScanTaskSetManager;

/** How much a scan of staged tasks reads, because Iceberg reports no metrics of such a scan. */
public final class StagedSizes {
  private final List<ScanTask> tasks;

  public StagedSizes(Table table, String id) {
    this.tasks = ScanTaskSetManager.get().fetchTasks(table, id);
  }

  /** Whether the tasks are still staged. */
  public boolean isKnown() {
    return tasks != null;
  }

  /** Each task is a whole data file. */
  public long files() {
    return tasks.size();
  }

  /** Of the data files and their deletes. */
  public long bytes() {
    return tasks.stream().mapToLong(ScanTask::sizeBytes).sum();
  }
}
