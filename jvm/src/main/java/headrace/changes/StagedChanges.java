package headrace.changes;

import headrace.lookup.DeleteLoaders;
import headrace.lookup.LongList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.spark.ScanTaskSetManager;
import org.apache.iceberg.spark.SparkTableCache;
import org.apache.iceberg.util.Tasks;
import org.apache.iceberg.util.ThreadPools;

/** A plan made readable for Spark, under the names id+ and id-, until it is closed. */
final class StagedChanges {
  /** Read sooner than Iceberg looks whether other threads are done, which is every 10 ms. */
  private static final int FEW_FILES = 8;

  private final Table table;
  private final String id;
  private final List<String> vectorFiles = new ArrayList<>();

  StagedChanges(Table table, String id) {
    this.table = table;
    this.id = id;
  }

  /** The signs under which there is something to read. */
  String stage(ChangePlan plan) throws IOException {
    var plus = new ArrayList<>(plan.plus());
    var minus = new ArrayList<>(plan.minus());
    for (List<FileWithChangedDeletes> leg : plan.changed()) {
      load(leg);
      minus.addAll(underInverse(leg, FileWithChangedDeletes::gone));
      plus.addAll(underInverse(leg, FileWithChangedDeletes::back));
    }
    return stage("+", plus) + stage("-", minus);
  }

  private String stage(String sign, List<FileWithDeletes> files) {
    if (files.isEmpty()) {
      return "";
    }
    var tasks = files.stream().map(file -> file.task(table)).toList();
    ScanTaskSetManager.get().stageTasks(table, id + sign, tasks);
    SparkTableCache.get().add(id + sign, table);
    return sign;
  }

  void close() {
    for (String sign : List.of("+", "-")) {
      ScanTaskSetManager.get().removeTasks(table, id + sign);
      SparkTableCache.get().remove(id + sign);
    }
    vectorFiles.forEach(table.io()::deleteFile);
    vectorFiles.clear();
  }

  private void load(List<FileWithChangedDeletes> files) {
    DeleteLoader loader = DeleteLoaders.of(table);
    Tasks.foreach(files)
        .executeWith(files.size() <= FEW_FILES ? null : ThreadPools.getWorkerPool())
        .stopOnFailure()
        .run(file -> file.load(loader));
  }

  /** Files under vectors that leave only the rows that went, or came back. */
  private List<FileWithDeletes> underInverse(
      List<FileWithChangedDeletes> leg, Function<FileWithChangedDeletes, LongList> positions)
      throws IOException {
    var files = new HashMap<String, FileWithChangedDeletes>();
    for (FileWithChangedDeletes file : leg) {
      if (positions.apply(file).size() > 0) {
        files.put(file.file().location(), file);
      }
    }
    var found = new ArrayList<FileWithDeletes>();
    for (DeleteFile vector : files.isEmpty() ? List.<DeleteFile>of() : write(files, positions)) {
      FileWithChangedDeletes file = files.get(vector.referencedDataFile());
      var deletes = new ArrayList<>(file.equality());
      deletes.add(vector);
      found.add(new FileWithDeletes(file.file(), deletes));
    }
    return found;
  }

  private List<DeleteFile> write(
      Map<String, FileWithChangedDeletes> files,
      Function<FileWithChangedDeletes, LongList> positions)
      throws IOException {
    String name = id + "-" + vectorFiles.size() + ".puffin";
    String location = table.locationProvider().newDataLocation(name);
    vectorFiles.add(location);
    @SuppressWarnings("deprecation") // others choose the name of the file, which close needs
    var writer = new BaseDVFileWriter(() -> table.io().newOutputFile(location), path -> null);
    try (writer) {
      for (FileWithChangedDeletes each : files.values()) {
        DataFile file = each.file();
        var spec = table.specs().get(file.specId());
        var inverse = FileWithChangedDeletes.allBut(positions.apply(each), file.recordCount());
        writer.delete(file.location(), inverse, spec, file.partition());
      }
    }
    return writer.result().deleteFiles();
  }
}
