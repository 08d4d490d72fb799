package headrace.changes;

import headrace.lookup.DeleteLoaders;
import headrace.manifests.FileWithDeletes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.spark.ScanTaskSetManager;
import org.apache.iceberg.spark.SparkTableCache;
import org.apache.iceberg.util.Tasks;
import org.apache.iceberg.util.ThreadPools;

/** A plan made readable for Spark, under the names id+ and id-, until it is closed. */
final class StagedChanges {
  /** Read sooner than Iceberg looks whether other threads are done, which is every 10 ms. */
  private static final int FEW_FILES = 8;

  /** Of files whose vectors are written together: a vector has at most a bit for each row. */
  private static final long MOST_ROWS = 1L << 28;

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
      for (List<FileWithChangedDeletes> batch : batches(leg)) {
        List<Vectors> loaded = load(batch);
        minus.addAll(underVectors(loaded, Vectors::gone));
        plus.addAll(underVectors(loaded, Vectors::back));
      }
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

  /** Deletes of a file that leave only the rows that went, or came back; null if none did. */
  private record Vectors(
      FileWithChangedDeletes file, PositionDeleteIndex gone, PositionDeleteIndex back) {
    static Vectors of(FileWithChangedDeletes file, DeleteLoader loader) {
      FileWithChangedDeletes.Loaded loaded = file.load(loader);
      return new Vectors(file, file.allButGone(loaded), file.allButBack(loaded));
    }
  }

  /** So that the vectors of all files are never in memory at once. */
  private static List<List<FileWithChangedDeletes>> batches(List<FileWithChangedDeletes> files) {
    var found = new ArrayList<List<FileWithChangedDeletes>>();
    long rows = MOST_ROWS;
    for (FileWithChangedDeletes file : files) {
      rows += file.file().recordCount();
      if (rows > MOST_ROWS) {
        found.add(new ArrayList<>());
        rows = file.file().recordCount();
      }
      found.get(found.size() - 1).add(file);
    }
    return found;
  }

  private List<Vectors> load(List<FileWithChangedDeletes> files) {
    DeleteLoader loader = DeleteLoaders.of(table);
    var found = new Vectors[files.size()];
    Tasks.range(found.length)
        .executeWith(found.length <= FEW_FILES ? null : ThreadPools.getWorkerPool())
        .stopOnFailure()
        .run(place -> found[place] = Vectors.of(files.get(place), loader));
    return List.of(found);
  }

  private List<FileWithDeletes> underVectors(
      List<Vectors> loaded, Function<Vectors, PositionDeleteIndex> vector) throws IOException {
    var files = new LinkedHashMap<String, Vectors>();
    for (Vectors each : loaded) {
      if (vector.apply(each) != null) {
        files.put(each.file().file().location(), each);
      }
    }
    var found = new ArrayList<FileWithDeletes>();
    for (DeleteFile written : files.isEmpty() ? List.<DeleteFile>of() : write(files, vector)) {
      FileWithChangedDeletes file = files.get(written.referencedDataFile()).file();
      var deletes = new ArrayList<>(file.equality());
      deletes.add(written);
      found.add(new FileWithDeletes(file.file(), deletes));
    }
    return found;
  }

  private List<DeleteFile> write(
      Map<String, Vectors> files, Function<Vectors, PositionDeleteIndex> vector)
      throws IOException {
    String name = id + "-" + vectorFiles.size() + ".puffin";
    String location = table.locationProvider().newDataLocation(name);
    vectorFiles.add(location);
    @SuppressWarnings("deprecation") // others choose the name of the file, which close needs
    var writer = new BaseDVFileWriter(() -> table.io().newOutputFile(location), path -> null);
    try (writer) {
      for (Vectors each : files.values()) {
        DataFile file = each.file().file();
        var spec = table.specs().get(file.specId());
        writer.delete(file.location(), vector.apply(each), spec, file.partition());
      }
    }
    return writer.result().deleteFiles();
  }
}
