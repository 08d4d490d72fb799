package headrace.lookup;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.JsonUtil;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * The rows of two versions of a table that have one of some keys, found by the driver through the
 * page indexes of Parquet, without a Spark job.
 *
 * <p>Rows have the columns of the table's current schema, whatever it was at those versions. A row
 * that is in both versions is given once.
 */
public final class KeyLookup {
  private static final String IS_OLD = "__hr_old";
  private static final String IS_NEW = "__hr_new";

  private final SparkSession spark;
  private final Table table;
  private final Long oldSnapshot;
  private final Long newSnapshot;
  private final ReadColumns columns;
  private final List<Types.NestedField> keyFields;
  private PositionIndexes indexes;
  private long smallFile;
  private final ReadFigures figures = new ReadFigures();
  private String obstacle;
  private InternalRow[] found = new InternalRow[0];

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
   * hold a key have more than a few rows.
   */
  public void useIndexes(String directory, long mostBytes, long fewRows) {
    this.indexes = new PositionIndexes(Path.of(directory), mostBytes, fewRows);
  }

  /** Lets the keys of files with at most so many rows stay in memory once they were read. */
  public void keepSmallFiles(long rows) {
    this.smallFile = rows;
  }

  /**
   * Why rows cannot be found in this way, in words, or null. That of a file is known only once it
   * was opened: {@code find} is then false.
   */
  public String obstacle() {
    return obstacle;
  }

  /**
   * Looks for keys, each a row with the values of the key columns, where NULL finds NULL. False if
   * there are more rows than the limit, or they take more than that share of the heap, or there is
   * an obstacle; then there are no rows.
   */
  public boolean find(InternalRow[] wanted, int limit, int share)
      throws IOException, InterruptedException {
    if (obstacle != null) {
      return false;
    }
    var keys = new Keys(keyFields, wanted);
    try {
      var reads = new ArrayList<KeyedFileRead>();
      var count = new AtomicLong(limit);
      var memory = new RowMemory(share);
      for (VersionedFile file : new VersionPlan(table, keys).files(oldSnapshot, newSnapshot)) {
        reads.add(
            new KeyedFileRead(
                table, file, columns, keys, wanted, count, memory, indexes, smallFile, figures));
      }
      found = ParallelReads.run(reads).stream().flatMap(List::stream).toArray(InternalRow[]::new);
      return true;
    } catch (Obstacle met) {
      obstacle = met.getMessage();
    } catch (TooManyRows tooMany) {
      found = new InternalRow[0];
    }
    return false;
  }

  /** Values of the columns in order, then whether the row is in the old and in the new version. */
  public InternalRow[] rows() {
    return found;
  }

  /** The same, to be read by SQL. */
  public Dataset<Row> frame() {
    StructType type =
        columns
            .sparkType()
            .add(IS_OLD, DataTypes.BooleanType, false)
            .add(IS_NEW, DataTypes.BooleanType, false);
    return LocalRows.frame(spark, type, found);
  }

  public long rowsFound() {
    return found.length;
  }

  public ReadFigures figures() {
    return figures;
  }
}
