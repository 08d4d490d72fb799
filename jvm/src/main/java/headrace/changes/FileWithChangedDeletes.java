package headrace.changes;

import headrace.lookup.LongList;
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

  /** Which rows were deleted before and after. */
  record Loaded(PositionDeleteIndex before, PositionDeleteIndex after) {
    /** Positions of rows that went, ascending. */
    LongList gone() {
      return onlyIn(after, before);
    }

    /** Positions of rows that came back. */
    LongList back() {
      return onlyIn(before, after);
    }
  }

  Loaded load(DeleteLoader loader) {
    return new Loaded(positions(loader, oldPositions), positions(loader, newPositions));
  }

  private PositionDeleteIndex positions(DeleteLoader loader, List<DeleteFile> deletes) {
    return deletes.isEmpty()
        ? PositionDeleteIndex.empty()
        : loader.loadPositionDeletes(deletes, file.location());
  }

  private static LongList onlyIn(PositionDeleteIndex some, PositionDeleteIndex others) {
    var found = new LongList();
    some.forEach(
        position -> {
          if (!others.isDeleted(position)) {
            found.add(position);
          }
        });
    return found;
  }

  /** The deletes that leave only the rows that went; null if none did. */
  PositionDeleteIndex allButGone(Loaded loaded) {
    return allBut(loaded.after(), loaded.before(), file.recordCount());
  }

  /** The deletes that leave only the rows that came back; null if none did. */
  PositionDeleteIndex allButBack(Loaded loaded) {
    return allBut(loaded.before(), loaded.after(), file.recordCount());
  }

  /**
   * Of a file of so many rows, all positions but those that are in some and not in others; null if
   * there are none.
   */
  static PositionDeleteIndex allBut(
      PositionDeleteIndex some, PositionDeleteIndex others, long rowCount) {
    PositionDeleteIndex index = Deletes.toPositionIndex(CloseableIterable.empty());
    long[] next = {0};
    some.forEach(
        position -> {
          if (!others.isDeleted(position)) {
            delete(index, next[0], position);
            next[0] = position + 1;
          }
        });
    if (next[0] == 0) {
      return null;
    }
    delete(index, next[0], rowCount);
    return index;
  }

  private static void delete(PositionDeleteIndex index, long first, long end) {
    if (first < end) {
      index.delete(first, end);
    }
  }
}
