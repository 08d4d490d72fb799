package headrace.lookup;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.relocated.com.google.common.util.concurrent.MoreExecutors;

/** The files of two versions of a table that may have rows with one of some keys. */
final class VersionPlan {
  private static final ExecutorService IN_THIS_THREAD = MoreExecutors.newDirectExecutorService();
  private static final int FEW_MANIFESTS = 8;

  private final Table table;
  private final Keys keys;

  VersionPlan(Table table, Keys keys) {
    this.table = table;
    this.keys = keys;
  }

  /** A version that is null is empty. */
  List<VersionedFile> files(Long before, Long after) throws IOException {
    List<FileScanTask> old = tasks(before);
    List<FileScanTask> current = Objects.equals(before, after) ? old : tasks(after);
    return merged(old, current);
  }

  /** A file may be in a version more than once. */
  private static List<VersionedFile> merged(List<FileScanTask> old, List<FileScanTask> current) {
    var found = new ArrayList<VersionedFile>();
    Map<VersionedFile.Identity, Deque<VersionedFile>> open = new HashMap<>();
    for (FileScanTask task : old) {
      var file = new VersionedFile(task, null);
      found.add(file);
      open.computeIfAbsent(VersionedFile.Identity.of(task), key -> new ArrayDeque<>()).add(file);
    }
    for (FileScanTask task : current) {
      Deque<VersionedFile> same = open.get(VersionedFile.Identity.of(task));
      if (same == null || same.isEmpty()) {
        found.add(new VersionedFile(null, task));
      } else {
        same.remove().isAlsoAfter(task);
      }
    }
    return found;
  }

  private List<FileScanTask> tasks(Long version) throws IOException {
    var found = new ArrayList<FileScanTask>();
    if (version == null) {
      return found;
    }
    Snapshot snapshot = table.snapshot(version);
    if (snapshot == null) {
      throw new IllegalArgumentException("no version " + version + " of " + table.name());
    }
    boolean few = snapshot.allManifests(table.io()).size() <= FEW_MANIFESTS;
    TableScan scan = table.newScan().useSnapshot(version);
    scan = (few ? scan.planWith(IN_THIS_THREAD) : scan).filter(filter(scan)).ignoreResiduals();
    try (var tasks = scan.planFiles()) {
      tasks.forEach(found::add);
    }
    return found;
  }

  /**
   * A scan of a version has the names that columns had then, its partitions those that they have
   * now: a column whose name has changed is in no filter.
   */
  private Expression filter(TableScan scan) {
    Expression found = Expressions.alwaysTrue();
    for (KeyColumn column : keys.columns()) {
      String name = scan.schema().findColumnName(column.field().fieldId());
      if (column.field().name().equals(name)) {
        found = Expressions.and(found, column.filter(name));
      }
    }
    return found;
  }
}
