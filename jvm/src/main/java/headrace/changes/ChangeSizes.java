package headrace.changes;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.iceberg.DataFile;

/** How much a plan would read, known before anything is read, to choose between plans. */
record ChangeSizes(long rowsAdded, long rowsRemoved, long bytes, long files, boolean insertOnly) {
  static ChangeSizes of(ChangePlan plan) {
    List<FileWithChangedDeletes> changed = plan.changed().stream().flatMap(List::stream).toList();
    long back = changed.stream().mapToLong(FileWithChangedDeletes::rowsBack).sum();
    long gone = changed.stream().mapToLong(FileWithChangedDeletes::rowsGone).sum();
    long[] sizes =
        LongStream.concat(
                LongStream.concat(sizes(plan.plus()), sizes(plan.minus())),
                changed.stream()
                    .map(FileWithChangedDeletes::file)
                    .mapToLong(DataFile::fileSizeInBytes))
            .toArray();
    return new ChangeSizes(
        rows(plan.plus()) + back,
        rows(plan.minus()) + gone,
        LongStream.of(sizes).sum(),
        sizes.length,
        plan.minus().isEmpty() && changed.isEmpty());
  }

  private static long rows(List<FileWithDeletes> files) {
    return files.stream().mapToLong(FileWithDeletes::rows).sum();
  }

  private static LongStream sizes(List<FileWithDeletes> files) {
    return files.stream().map(FileWithDeletes::file).mapToLong(DataFile::fileSizeInBytes);
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
