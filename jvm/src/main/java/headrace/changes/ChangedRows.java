package headrace.changes;

import headrace.lookup.DeleteLoaders;
import headrace.lookup.FileObstacles;
import headrace.lookup.LocalRows;
import headrace.lookup.LongList;
import headrace.lookup.Obstacle;
import headrace.lookup.ParallelReads;
import headrace.lookup.PositionRead;
import headrace.lookup.ReadColumns;
import headrace.lookup.ReadFigures;
import headrace.lookup.RowMemory;
import headrace.lookup.TooManyRows;
import headrace.manifests.FileWithDeletes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.DataTypes;

/** The rows of a plan in the driver's memory: right for a change of few rows. */
final class ChangedRows {
  /** Of the files' bytes, the part that rows of this number have on average. */
  private static final long MOST_BYTES = 32L << 20;

  private final Table table;
  private final DeleteLoader loader;
  private final RowMemory memory;
  private final ReadColumns columns;
  private final ReadFigures figures = new ReadFigures();
  private final List<PositionRead> reads = new ArrayList<>();
  private long bytes;
  private InternalRow[] rows = new InternalRow[0];

  ChangedRows(Table table, List<String> names, RowMemory memory) {
    this.table = table;
    this.memory = memory;
    this.loader = DeleteLoaders.of(table);
    this.columns = new ReadColumns(table.schema(), names);
  }

  /** An obstacle leaves no rows; they can still be staged. */
  void read(ChangePlan plan) throws IOException, InterruptedException, Obstacle, TooManyRows {
    if (columns.obstacle() != null) {
      throw new Obstacle(columns.obstacle());
    }
    for (FileWithDeletes file : plan.plus()) {
      addWhole(file, 1);
    }
    for (FileWithDeletes file : plan.minus()) {
      addWhole(file, -1);
    }
    for (List<FileWithChangedDeletes> leg : plan.changed()) {
      for (FileWithChangedDeletes file : leg) {
        FileObstacles.check(file.file(), file.equality());
        FileWithChangedDeletes.Loaded loaded = file.load(loader);
        add(file.file(), loaded.gone(), -1);
        add(file.file(), loaded.back(), 1);
      }
    }
    rows = ParallelReads.run(reads).stream().flatMap(List::stream).toArray(InternalRow[]::new);
  }

  private void addWhole(FileWithDeletes read, long weight) throws Obstacle, TooManyRows {
    DataFile file = read.file();
    List<DeleteFile> deletes = read.deletes();
    FileObstacles.check(file, deletes);
    PositionDeleteIndex deleted =
        deletes.isEmpty()
            ? PositionDeleteIndex.empty()
            : loader.loadPositionDeletes(deletes, file.location());
    var positions = new LongList();
    for (long position = 0; position < file.recordCount(); position++) {
      if (!deleted.isDeleted(position)) {
        positions.add(position);
      }
    }
    add(file, positions, weight);
  }

  private void add(DataFile file, LongList positions, long weight) throws TooManyRows {
    if (positions.size() > 0) {
      bytes += file.fileSizeInBytes() * positions.size() / file.recordCount();
      if (bytes > MOST_BYTES) {
        throw new TooManyRows();
      }
      reads.add(new PositionRead(table, file, positions, columns, weight, memory, figures));
    }
  }

  int count() {
    return rows.length;
  }

  ReadFigures figures() {
    return figures;
  }

  /** The columns, and the weight under that name. */
  Dataset<Row> frame(SparkSession spark, String weight) {
    var type = columns.sparkType().add(weight, DataTypes.LongType, false);
    return LocalRows.frame(spark, type, rows);
  }
}
