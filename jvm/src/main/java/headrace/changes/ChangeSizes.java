package headrace.changes;

import headrace.manifests.FileWithDeletes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;

/** How much a plan would read, known before anything is read, to choose between plans. */
record ChangeSizes(long rowsAdded, long rowsRemoved, long bytes, long files, boolean insertOnly) {
  static ChangeSizes of(ChangePlan plan) {
    List<FileWithChangedDeletes> changed = plan.changed().stream().flatMap(List::stream).toList();
    var whole = Stream.concat(plan.plus().stream(), plan.minus().stream());
    List<DataFile> read =
        Stream.concat(
                whole.map(FileWithDeletes::file),
                changed.stream().map(FileWithChangedDeletes::file))
            .toList();
    return new ChangeSizes(
        sum(plan.plus(), FileWithDeletes::rows) + sum(changed, FileWithChangedDeletes::rowsBack),
        sum(plan.minus(), FileWithDeletes::rows) + sum(changed, FileWithChangedDeletes::rowsGone),
        sum(read, DataFile::fileSizeInBytes),
        read.size(),
        plan.minus().isEmpty() && changed.isEmpty());
  }

  private static <T> long sum(List<T> files, ToLongFunction<T> figure) {
    return files.stream().mapToLong(figure).sum();
  }

  /** By the names that Python has for them. */
  Map<String, Object> toMap() {
    var named = new LinkedHashMap<String, Object>();
    named.put("rows_added", rowsAdded);
    named.put("rows_removed", rowsRemoved);
    named.put("bytes", bytes);
    named.put("files", files);
    named.put("insert_only", insertOnly);
    return named;
  }
}
