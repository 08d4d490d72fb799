package headrace.commit;

import java.util.Objects;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.ValidationException;

/**
 * A table's operations that commit only onto one snapshot, so that what was computed from it is
 * never put elsewhere.
 *
 * <p>What was computed for one partition may come after commits that touched others, and touches no
 * other itself.
 */
final class GuardedTableOperations extends ForwardingTableOperations {
  private final Long expected;
  private final PartitionScope partition;
  private final TableMetadata seen;
  private volatile Long committed;
  private volatile String outside;

  /** Of an empty table the snapshot is null; without a partition the whole table is meant. */
  GuardedTableOperations(TableOperations operations, Long expected, PartitionScope partition) {
    super(operations);
    this.expected = expected;
    this.partition = partition;
    this.seen = operations.current();
  }

  /** Whether someone else has committed, whatever part of the table that was. */
  boolean moved() {
    return committed == null && !Objects.equals(snapshotId(operations.refresh()), expected);
  }

  /**
   * Whether those who have committed meanwhile say that it was to other partitions, or changed no
   * row.
   */
  boolean movedElsewhere() {
    return partition != null && partition.isLeftAloneSince(expected, operations.refresh());
  }

  /** The snapshot that was made; null before. */
  Long committed() {
    return committed;
  }

  /** Values of another partition that would have been touched; null if there was none. */
  String outside() {
    return outside;
  }

  /** What was seen at first, so that all reads before the commit are of one version. */
  @Override
  public TableMetadata current() {
    return committed == null ? seen : operations.current();
  }

  @Override
  public void commit(TableMetadata base, TableMetadata metadata) {
    boolean asExpected = Objects.equals(snapshotId(base), expected);
    if (!asExpected && (partition == null || !partition.isUntouchedSince(expected, base))) {
      throw new ValidationException("the table has moved");
    }
    if (partition != null) {
      outside = partition.touchedOutside(metadata, operations.io());
      if (outside != null) {
        throw new ValidationException("rows outside the partition");
      }
    }
    commitOrConfirm(base, metadata);
    committed = snapshotId(metadata);
  }
}
