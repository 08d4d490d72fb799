package headrace.lookup;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.deletes.PositionDeleteIndex;

/** A data file of one of two versions of a table, or of both; null for the one it is not in. */
final class VersionedFile {
  private final FileScanTask before;
  private FileScanTask after;

  VersionedFile(FileScanTask before, FileScanTask after) {
    this.before = before;
    this.after = after;
  }

  /** What makes two files the same, not only their name. */
  record Identity(String location, Long firstRowId, Long sequenceNumber) {
    static Identity of(FileScanTask task) {
      DataFile file = task.file();
      return new Identity(file.location(), file.firstRowId(), file.dataSequenceNumber());
    }
  }

  void isAlsoAfter(FileScanTask task) {
    this.after = task;
  }

  DataFile file() {
    return (after == null ? before : after).file();
  }

  List<FileScanTask> tasks() {
    return Stream.of(before, after).filter(Objects::nonNull).toList();
  }

  FileScanTask before() {
    return before;
  }

  FileScanTask after() {
    return after;
  }

  /** Which rows of a version are deleted; null if the file is not in it. */
  static PositionDeleteIndex deletes(FileScanTask task, DeleteLoader loader) {
    if (task == null) {
      return null;
    }
    List<DeleteFile> deletes = task.deletes();
    return deletes.isEmpty()
        ? PositionDeleteIndex.empty()
        : loader.loadPositionDeletes(deletes, task.file().location());
  }
}
