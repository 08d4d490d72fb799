package headrace.commit;

import java.util.Objects;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.spark.SparkTableCache;

/**
 * A table that takes one commit of rows from a source, together with the position that they lead
 * to, and only if the position in the table is still the one that they start from.
 *
 * <p>Commits of others that leave the position as it is may come in between.
 */
public final class PositionedTable {
  private final Operations operations;
  private final Table table;
  private final String id;
  private final String key;
  private final String to;

  /** A start of null: nothing has been read yet. */
  public PositionedTable(Table table, String id, String key, String from, String to) {
    this.operations = new Operations(((HasTableOperations) table).operations(), key, from, to);
    this.table = new BaseTable(operations, table.name());
    this.id = id;
    this.key = key;
    this.to = to;
  }

  /** The position of a loaded table; null if nothing was read into it. */
  public static String positionOf(Table table, String key) {
    return SourcePosition.of(SourcePosition.metadata(table), key);
  }

  public void open() {
    SparkTableCache.get().add(id, table);
  }

  public void close() {
    SparkTableCache.get().remove(id);
  }

  /** The snapshot that was made; null before. */
  public Long committed() {
    return operations.committed;
  }

  /** Whether the position is no longer the one that the rows start from. */
  public boolean moved() {
    return operations.moved;
  }

  /** For use in this process. */
  Table direct() {
    return new BaseTable(new LocalTableOperations(operations), table.name());
  }

  /** An entry of the summary: the position that the rows lead to. */
  <T> void mark(SnapshotUpdate<T> update) {
    update.set(key, to);
  }

  /** A position without rows. */
  public void commitNothing() {
    table.newFastAppend().set(key, to).commit();
  }

  private static final class Operations extends ForwardingTableOperations {
    private final String key;
    private final String from;
    private final String to;
    private volatile Long committed;
    private volatile boolean moved;

    Operations(TableOperations operations, String key, String from, String to) {
      super(operations);
      this.key = key;
      this.from = from;
      this.to = to;
    }

    @Override
    public void commit(TableMetadata base, TableMetadata metadata) {
      if (!Objects.equals(SourcePosition.of(base, key), from)) {
        moved = true;
        throw new ValidationException("the position has moved");
      }
      if (!to.equals(metadata.currentSnapshot().summary().get(key))) {
        throw new ValidationException("the commit has no position");
      }
      commitOrConfirm(base, SourcePosition.keep(metadata, key, to));
      committed = snapshotId(metadata);
    }
  }
}
