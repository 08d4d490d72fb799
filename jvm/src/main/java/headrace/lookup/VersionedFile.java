package headrace.lookup;

import headrace.manifests.FileWithDeletes;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.deletes.PositionDeleteIndex;

/** A data file of one of two versions of a table, or of both; null for the one it is not in. */
final class VersionedFile {
  private final FileWithDeletes before;
  private FileWithDeletes after;

  VersionedFile(FileWithDeletes before, FileWithDeletes after) {
    this.before = before;
    this.after = after;
  }

  /** What makes two files the same, not only their name. */
  record Identity(String location, Long firstRowId, Long sequenceNumber) {
    static Identity of(FileWithDeletes read) {
      DataFile file = read.file();
      return new Identity(file.location(), file.firstRowId(), file.dataSequenceNumber());
    }
  }

  void isAlsoAfter(FileWithDeletes read) {
    this.after = read;
  }

  DataFile file() {
    return (after == null ? before : after).file();
  }

  List<FileWithDeletes> versions() {
    return Stream.of(before, after).filter(Objects::nonNull).toList();
  }

  FileWithDeletes before() {
    return before;
  }

  FileWithDeletes after() {
    return after;
  }

  /** Which rows of a version are deleted; null if the file is not in it. */
  static PositionDeleteIndex deletes(FileWithDeletes read, DeleteLoader loader) {
    if (read == null) {
      return null;
    }
    List<DeleteFile> deletes = read.deletes();
    return deletes.isEmpty()
        ? PositionDeleteIndex.empty()
        : loader.loadPositionDeletes(deletes, read.file().location());
  }
}
