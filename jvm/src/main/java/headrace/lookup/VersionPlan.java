package headrace.lookup;

import headrace.manifests.FileWithDeletes;
import headrace.manifests.SnapshotFiles;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;

/** The files of two versions of a table that may have rows with one of some keys. */
final class VersionPlan {
  private final Table table;
  private final SnapshotFiles files;

  VersionPlan(Table table, Keys keys) {
    this.table = table;
    this.files = new SnapshotFiles(table, filter(keys));
  }

  private static Expression filter(Keys keys) {
    Expression found = Expressions.alwaysTrue();
    for (KeyColumn column : keys.columns()) {
      found = Expressions.and(found, column.filter());
    }
    return found;
  }

  /** A version that is null is empty. */
  List<VersionedFile> files(Long before, Long after) throws IOException {
    List<FileWithDeletes> old = version(before);
    List<FileWithDeletes> current = Objects.equals(before, after) ? old : version(after);
    return merged(old, current);
  }

  /** A file may be in a version more than once. */
  private static List<VersionedFile> merged(
      List<FileWithDeletes> old, List<FileWithDeletes> current) {
    var found = new ArrayList<VersionedFile>();
    Map<VersionedFile.Identity, Deque<VersionedFile>> open = new HashMap<>();
    for (FileWithDeletes read : old) {
      var file = new VersionedFile(read, null);
      found.add(file);
      open.computeIfAbsent(VersionedFile.Identity.of(read), key -> new ArrayDeque<>()).add(file);
    }
    for (FileWithDeletes read : current) {
      Deque<VersionedFile> same = open.get(VersionedFile.Identity.of(read));
      if (same == null || same.isEmpty()) {
        found.add(new VersionedFile(null, read));
      } else {
        same.remove().isAlsoAfter(read);
      }
    }
    return found;
  }

  private List<FileWithDeletes> version(Long id) throws IOException {
    if (id == null) {
      return List.of();
    }
    Snapshot snapshot = table.snapshot(id);
    if (snapshot == null) {
      throw new IllegalArgumentException("no version " + id + " of " + table.name());
    }
    return files.of(snapshot);
  }
}
