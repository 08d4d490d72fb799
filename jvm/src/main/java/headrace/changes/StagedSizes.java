package headrace.changes;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.ScanTask;
import org.apache.iceberg.spark.ScanTaskSetManager;
import org.apache.iceberg.spark.source.SparkRewriteTable;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.read.Scan;

/** How much a scan of staged tasks reads, because Iceberg reports no metrics of such a scan. */
public final class StagedSizes {
  private static final Pattern STAGED =
      Pattern.compile("^IcebergStagedScan\\(.*taskSetID=([^,)]+)");

  private final List<ScanTask> tasks;

  private StagedSizes(List<ScanTask> tasks) {
    this.tasks = tasks;
  }

  public static boolean isStaged(Scan scan) {
    return STAGED.matcher(scan.toString()).find();
  }

  /** Empty if the tasks are no longer staged. */
  public static Optional<StagedSizes> of(Table table, Scan scan) {
    Matcher staged = STAGED.matcher(scan.toString());
    if (!staged.find() || !(table instanceof SparkRewriteTable rewritten)) {
      return Optional.empty();
    }
    List<ScanTask> tasks = ScanTaskSetManager.get().fetchTasks(rewritten.table(), staged.group(1));
    return Optional.ofNullable(tasks).map(StagedSizes::new);
  }

  /** Each task is a whole data file. */
  public long files() {
    return tasks.size();
  }

  /** Of the data files and their deletes. */
  public long bytes() {
    return tasks.stream().mapToLong(ScanTask::sizeBytes).sum();
  }

  /** Of the data files, deleted ones too. */
  public long rows() {
    return tasks.stream().mapToLong(ScanTask::estimatedRowsCount).sum();
  }
}
