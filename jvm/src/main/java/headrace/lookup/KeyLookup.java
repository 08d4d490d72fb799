package headrace.lookup;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.JsonUtil;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.classic.SparkSession;

/**
 * The rows of two versions of a table that have one of some keys, found by the driver through the
 * page indexes of Parquet, without a Spark job.
 *
 * <p>Rows have the columns of the table's current schema, whatever it was at those versions. A row
 * that is in both versions is given once.
 */
public final class KeyLookup {
  private final SparkSession spark;
  private final Table table;
  private final Long oldSnapshot;
  private final Long newSnapshot;
  private final ReadColumns columns;
  private final List<Types.NestedField> keyFields;
  private PositionIndexes indexes;
  private long smallFile;
  private String obstacle;
  private RowMemory memory;
  private final Map<List<Object>, List<InternalRow>> known = new HashMap<>();

  /** Columns and keys are JSON lists of names. A version that is null is empty. */
  public KeyLookup(
      SparkSession spark,
      Table table,
      Long oldSnapshot,
      Long newSnapshot,
      String columns,
      String keys)
      throws IOException {
    this.spark = spark;
    this.table = table;
    this.oldSnapshot = oldSnapshot;
    this.newSnapshot = newSnapshot;
    this.columns = new ReadColumns(table.schema(), names(columns));
    this.keyFields = names(keys).stream().map(this::keyField).toList();
    this.obstacle = findObstacle();
  }

  private static List<String> names(String json) throws IOException {
    return List.of(JsonUtil.mapper().readValue(json, String[].class));
  }

  private Types.NestedField keyField(String name) {
    Types.NestedField field = table.schema().asStruct().field(name);
    if (field == null) {
      throw new IllegalArgumentException("no column " + name);
    }
    return field;
  }

  private String findObstacle() {
    for (Types.NestedField field : keyFields) {
      if (KeyType.of(field.type()) == null) {
        return "rows cannot be found by column " + field.name() + " of type " + field.type();
      }
    }
    return columns.obstacle();
  }

  /**
   * Lets indexes of keys be made and used, in a directory of that size, where the pages that may
   * hold a key have more than a few rows. The name of the table is a JSON list.
   */
  public void useIndexes(String name, String directory, long mostBytes, long fewRows)
      throws IOException {
    var identity = new IndexDescription.TableIdentity(names(name), table.uuid().toString());
    this.indexes = new PositionIndexes(identity, Path.of(directory), mostBytes, fewRows);
  }

  /**
   * Which indexes of the new version there are, and which would be made, in JSON; no row is read.
   * Null if no indexes are used.
   */
  public String indexNeeds() throws IOException {
    boolean usesNone = obstacle != null || indexes == null || newSnapshot == null;
    return usesNone ? null : new IndexNeeds(table, keyFields, indexes, smallFile).of(newSnapshot);
  }

  /** Lets the keys of files with at most so many rows stay in memory once they were read. */
  public void keepSmallFiles(long rows) {
    this.smallFile = rows;
  }

  /**
   * Why rows cannot be found in this way, in words, or null. That of a file is known only once it
   * was opened: {@code find} is then null.
   */
  public String obstacle() {
    return obstacle;
  }

  /**
   * Looks for keys, each a row with the values of the key columns, where NULL finds NULL. Null if
   * there are more rows than the limit, or all rows so far take more than that share of the heap,
   * or there is an obstacle. Rows of keys that were looked for before are not read again.
   */
  public FoundRows find(InternalRow[] wanted, int limit, int share)
      throws IOException, InterruptedException {
    if (obstacle != null) {
      return null;
    }
    if (memory == null) {
      memory = new RowMemory(share);
    }
    var figures = new ReadFigures();
    try {
      long read = read(unknown(wanted), limit, figures);
      return new FoundRows(spark, columns, rowsOf(wanted), read, figures);
    } catch (Obstacle met) {
      obstacle = met.getMessage();
    } catch (TooManyRows tooMany) {
      known.clear();
    }
    return null;
  }

  /** All rows, where there are no key columns. */
  public FoundRows findAll(int limit, int share) throws IOException, InterruptedException {
    return find(new InternalRow[] {new GenericInternalRow(new Object[0])}, limit, share);
  }

  private InternalRow[] unknown(InternalRow[] wanted) {
    return Arrays.stream(wanted)
        .filter(key -> !known.containsKey(Keys.tuple(keyFields, key)))
        .toArray(InternalRow[]::new);
  }

  private long read(InternalRow[] wanted, int limit, ReadFigures figures)
      throws IOException, InterruptedException, Obstacle, TooManyRows {
    var keys = new Keys(keyFields, wanted);
    var reads = new ArrayList<KeyedFileRead>();
    var left = new AtomicLong(limit);
    for (VersionedFile file : new VersionPlan(table, keys).files(oldSnapshot, newSnapshot)) {
      reads.add(
          new KeyedFileRead(
              table, file, columns, keys, wanted, left, memory, indexes, smallFile, figures));
    }
    List<List<KeyedFileRead.FoundRow>> read = ParallelReads.run(reads);
    for (InternalRow key : wanted) {
      known.put(Keys.tuple(keyFields, key), new ArrayList<>());
    }
    long count = 0;
    for (List<KeyedFileRead.FoundRow> rows : read) {
      rows.forEach(row -> known.get(Keys.tuple(keyFields, wanted[row.key()])).add(row.values()));
      count += rows.size();
    }
    return count;
  }

  private InternalRow[] rowsOf(InternalRow[] wanted) {
    var distinct = new LinkedHashSet<List<Object>>();
    for (InternalRow key : wanted) {
      distinct.add(Keys.tuple(keyFields, key));
    }
    return distinct.stream().flatMap(key -> known.get(key).stream()).toArray(InternalRow[]::new);
  }
}
