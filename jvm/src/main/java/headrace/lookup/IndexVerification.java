package headrace.lookup;

import headrace.manifests.FileWithDeletes;
import headrace.manifests.SnapshotFiles;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.JsonUtil;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Compares position indexes with the data files that they are of: the hash of the key of every row
 * must be there, with the position of the row, and nothing else. Those that are wrong or damaged
 * are deleted, and made again when they are needed.
 */
public final class IndexVerification {
  private final Path directory;
  private final Map<String, List<PositionIndex>> byLocation = new HashMap<>();
  private final List<String> unreadable = new ArrayList<>();

  private enum Outcome {
    RIGHT,
    WRONG,
    NOT_COMPARED
  }

  /** Opens all indexes of a lake. */
  public IndexVerification(String directory) throws IOException {
    this.directory = Path.of(directory);
    for (Path file : PositionIndexes.files(this.directory)) {
      add(file);
    }
  }

  private void add(Path file) throws IOException {
    try {
      PositionIndex index = PositionIndex.open(file);
      if (index == null || !file.equals(PositionIndexes.file(directory, index.id()))) {
        PositionIndexes.remove(file);
        unreadable.add(file.getFileName().toString());
        return;
      }
      String location = index.description().location();
      byLocation.computeIfAbsent(location, key -> new ArrayList<>()).add(index);
    } catch (NoSuchFileException removed) {
      // by another process, to make room
    }
  }

  /** A JSON list of the names of files that were cut, damaged or of another format. */
  public String unreadable() throws IOException {
    return JsonUtil.mapper().writeValueAsString(unreadable);
  }

  /**
   * Those of the data files of a version, which may be null: how many were compared, and which were
   * wrong, in JSON.
   */
  public String verify(Table table, Long snapshot)
      throws IOException, InterruptedException, Obstacle, TooManyRows {
    var reads = new ArrayList<Comparison>();
    if (snapshot != null) {
      var files = new SnapshotFiles(table, Expressions.alwaysTrue());
      for (FileWithDeletes each : files.of(table.snapshot(snapshot))) {
        for (PositionIndex index : byLocation.getOrDefault(each.file().location(), List.of())) {
          reads.add(new Comparison(table, each, index));
        }
      }
    }
    return json(reads, ParallelReads.run(reads));
  }

  private static String json(List<Comparison> compared, List<Outcome> outcomes) throws IOException {
    var wrong = new ArrayList<Map<String, Object>>();
    for (int i = 0; i < outcomes.size(); i++) {
      if (outcomes.get(i) == Outcome.WRONG) {
        wrong.add(compared.get(i).json());
      }
    }
    var content = new LinkedHashMap<String, Object>();
    content.put("compared", outcomes.stream().filter(each -> each != Outcome.NOT_COMPARED).count());
    content.put("wrong", wrong);
    return JsonUtil.mapper().writeValueAsString(content);
  }

  private record Comparison(Table table, FileWithDeletes data, PositionIndex index)
      implements ParallelReads.Read<Outcome> {

    /**
     * A file that look-ups leave to Spark has no index that they would use; others may delete one.
     */
    @Override
    public Outcome run() throws IOException, InterruptedException {
      try {
        FileObstacles.check(data.file(), data.deletes());
        List<Types.NestedField> fields = fields();
        return fields == null ? Outcome.NOT_COMPARED : compared(fields);
      } catch (Obstacle | TooManyRows | NoSuchFileException reason) {
        return Outcome.NOT_COMPARED;
      }
    }

    /** Null where a column was dropped, or has a type by which keys are compared otherwise. */
    private List<Types.NestedField> fields() throws IOException {
      var found = new ArrayList<Types.NestedField>();
      for (IndexDescription.IndexedColumn column : index.description().columns()) {
        Types.NestedField field = table.schema().findField(column.id());
        if (field == null || KeyType.of(field.type()) != column.type()) {
          return null;
        }
        found.add(field);
      }
      return found;
    }

    private Outcome compared(List<Types.NestedField> fields)
        throws IOException, InterruptedException, Obstacle, TooManyRows {
      DataFile file = data.file();
      if (index.description().length() != file.fileSizeInBytes()) {
        return Outcome.NOT_COMPARED;
      }
      var figures = new ReadFigures();
      try (IndexedFile open = IndexedFile.open(table.io(), file, figures)) {
        FileObstacles.check(open, table.specs().get(file.specId()), fields);
        var search = new KeySearch(open, new Keys(fields, new InternalRow[0]), figures);
        var expected = new SortedEntries(file.recordCount(), search::hashes);
        if (index.hasEntries(expected)) {
          return Outcome.RIGHT;
        }
      }
      index.remove();
      return Outcome.WRONG;
    }

    Map<String, Object> json() throws IOException {
      IndexDescription of = index.description();
      var content = new LinkedHashMap<String, Object>();
      content.put("location", of.location());
      content.put("columns", of.columns().stream().map(column -> column.name()).toList());
      return content;
    }
  }
}
