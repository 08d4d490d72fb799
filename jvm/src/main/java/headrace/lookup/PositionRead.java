package headrace.lookup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;

/** Rows of one file by their positions, each with a value of the caller's behind its columns. */
public final class PositionRead implements ParallelReads.Read<List<InternalRow>> {
  private final Table table;
  private final DataFile file;
  private final LongList positions;
  private final ReadColumns columns;
  private final Object label;
  private final RowMemory memory;
  private final ReadFigures figures;

  /** Positions are ascending. */
  public PositionRead(
      Table table,
      DataFile file,
      LongList positions,
      ReadColumns columns,
      Object label,
      RowMemory memory,
      ReadFigures figures) {
    this.table = table;
    this.file = file;
    this.positions = positions;
    this.columns = columns;
    this.label = label;
    this.memory = memory;
    this.figures = figures;
  }

  @Override
  public List<InternalRow> run() throws IOException, InterruptedException, Obstacle, TooManyRows {
    var found = new ArrayList<InternalRow>();
    try (IndexedFile opened = IndexedFile.open(table.io(), file, figures)) {
      FileObstacles.check(opened, table.specs().get(file.specId()), columns.stored());
      var rows = new FileRows(opened, file, columns, Set.of(), memory);
      int next = 0;
      for (int i = 0; i < opened.getRowGroups().size() && next < positions.size(); i++) {
        LongList chosen = chosen(opened.getRowGroups().get(i), next);
        read(rows, i, chosen, found);
        next += chosen.size();
      }
    }
    if (found.size() < positions.size()) {
      throw new IllegalStateException("positions beyond the end of " + file.location());
    }
    return found;
  }

  /** Rows of a row group: positions from there on in the list. */
  private LongList chosen(BlockMetaData rowGroup, int next) {
    long first = rowGroup.getRowIndexOffset();
    var chosen = new LongList();
    for (int i = next; i < positions.size(); i++) {
      long row = positions.get(i) - first;
      if (row >= rowGroup.getRowCount()) {
        break;
      }
      chosen.add(row);
    }
    return chosen;
  }

  private void read(FileRows rows, int rowGroup, LongList chosen, List<InternalRow> found)
      throws IOException, InterruptedException, TooManyRows {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    for (Object[] values : rows.read(rowGroup, chosen, 1)) {
      values[values.length - 1] = label;
      found.add(new GenericInternalRow(values));
    }
  }
}
