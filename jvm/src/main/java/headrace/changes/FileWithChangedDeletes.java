package headrace.changes;

import java.util.Collection;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.deletes.Deletes;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.util.ContentFileUtil;
import org.apache.iceberg.util.DeleteFileSet;

/**
 * A data file that is in both snapshots under other position deletes, so that only some of its rows
 * are a change.
 */
final class FileWithChangedDeletes {
  private final DataFile file;
  private final List<DeleteFile> equality;
  private final List<DeleteFile> oldPositions;
  private final List<DeleteFile> newPositions;
  private final boolean onward;
  private PositionDeleteIndex allButGone;
  private PositionDeleteIndex allButBack;

  FileWithChangedDeletes(
      DataFile file,
      List<DeleteFile> equality,
      List<DeleteFile> oldPositions,
      List<DeleteFile> newPositions,
      boolean onward) {
    this.file = file;
    this.equality = equality;
    this.oldPositions = oldPositions;
    this.newPositions = newPositions;
    this.onward = onward;
  }

  DataFile file() {
    return file;
  }

  /** Equality deletes, which hold before and after. */
  List<DeleteFile> equality() {
    return equality;
  }

  /** At most so many rows went; onward, position deletes only ever grow. */
  long rowsGone() {
    boolean grown = onward && isVector(oldPositions) && isVector(newPositions);
    return bounded(rowsOnlyIn(newPositions, oldPositions) - (grown ? rows(oldPositions) : 0));
  }

  /** At most so many rows came back. */
  long rowsBack() {
    return onward ? 0 : bounded(rowsOnlyIn(oldPositions, newPositions));
  }

  private long bounded(long rows) {
    return Math.min(file.recordCount(), Math.max(rows, 0));
  }

  private static boolean isVector(List<DeleteFile> deletes) {
    return deletes.size() == 1 && ContentFileUtil.isDV(deletes.get(0));
  }

  private static long rowsOnlyIn(List<DeleteFile> some, List<DeleteFile> others) {
    DeleteFileSet found = DeleteFileSet.of(some);
    found.removeAll(others);
    return rows(found);
  }

  private static long rows(Collection<DeleteFile> deletes) {
    return deletes.stream().mapToLong(DeleteFile::recordCount).sum();
  }

  /** Reads the deletes; the inverse vectors are there afterwards. */
  void load(DeleteLoader loader) {
    PositionDeleteIndex before = positions(loader, oldPositions);
    PositionDeleteIndex after = positions(loader, newPositions);
    allButGone = allButNew(before, after, file.recordCount());
    allButBack = allButNew(after, before, file.recordCount());
  }

  /** Deletes all rows but those that went; null if none went. */
  PositionDeleteIndex allButGone() {
    return allButGone;
  }

  /** Deletes all rows but those that came back; null if none did. */
  PositionDeleteIndex allButBack() {
    return allButBack;
  }

  private PositionDeleteIndex positions(DeleteLoader loader, List<DeleteFile> deletes) {
    return deletes.isEmpty()
        ? PositionDeleteIndex.empty()
        : loader.loadPositionDeletes(deletes, file.location());
  }

  /**
   * Of a file of so many rows, all positions but those that are deleted now and were not before.
   */
  static PositionDeleteIndex allButNew(
      PositionDeleteIndex old, PositionDeleteIndex current, long rowCount) {
    var inverse = new InverseIndex();
    current.forEach(
        position -> {
          if (!old.isDeleted(position)) {
            inverse.leaveOut(position);
          }
        });
    return inverse.leavesNoneOut() ? null : inverse.upTo(rowCount);
  }

  /** All positions but some, which are left out in ascending order. */
  private static final class InverseIndex {
    private final PositionDeleteIndex index = Deletes.toPositionIndex(CloseableIterable.empty());
    private long next;

    void leaveOut(long position) {
      deleteUpTo(position);
      next = position + 1;
    }

    boolean leavesNoneOut() {
      return next == 0;
    }

    PositionDeleteIndex upTo(long end) {
      deleteUpTo(end);
      return index;
    }

    private void deleteUpTo(long end) {
      if (next < end) {
        index.delete(next, end);
      }
    }
  }
}
