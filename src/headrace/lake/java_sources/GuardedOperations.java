package headrace;

import java.util.Objects;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.ValidationException;

/**
 * A table's operations that commit only onto one snapshot, so that what was computed from it is never put elsewhere.
 *
 * What was computed for one partition may come after commits that touched others, and touches no other itself.
 */
public final class GuardedOperations extends DelegatedOperations {
    private final Long expected;
    private final OnePartition partition;
    private final TableMetadata seen;
    private volatile Long committed;
    private volatile String outside;

    /** Of an empty table the snapshot is null; without a partition the whole table is meant. */
    public GuardedOperations(TableOperations operations, Long expected, OnePartition partition) {
        super(operations);
        this.expected = expected;
        this.partition = partition;
        this.seen = operations.current();
    }

    /** Whether someone else has committed, whatever part of the table that was. */
    public boolean moved() {
        return committed == null && !Objects.equals(id(operations.refresh()), expected);
    }

    /** Whether those who have committed meanwhile say that it was to other partitions, or changed no row. */
    public boolean movedElsewhere() {
        return partition != null && partition.isLeftAloneSince(expected, operations.refresh());
    }

    /** The snapshot that was made; null before. */
    public Long committed() {
        return committed;
    }

    /** Values of another partition that would have been touched; null if there was none. */
    public String outside() {
        return outside;
    }

    public void commit(TableMetadata base, TableMetadata metadata) {
        boolean asExpected = Objects.equals(id(base), expected);
        if (!asExpected && (partition == null || !partition.isUntouchedSince(expected, base))) {
            throw new ValidationException("the table has moved", new Object[0]);
        }
        if (partition != null) {
            outside = partition.touchedOutside(metadata, operations.io());
            if (outside != null) {
                throw new ValidationException("rows outside the partition", new Object[0]);
            }
        }
        try {
            operations.commit(base, metadata);
        } catch (RuntimeException e) {
            if (!hasLanded(metadata, e)) {
                throw e;
            }
        }
        committed = id(metadata);
    }

    /**
     * A catalog that lost its connection commits again by itself, and takes its own first commit for another's: files
     * of what has landed would be cleaned away.
     */
    private boolean hasLanded(TableMetadata metadata, RuntimeException failure) {
        try {
            return operations.refresh().snapshot(id(metadata).longValue()) != null;
        } catch (RuntimeException e) {
            throw new CommitStateUnknownException(failure);
        }
    }

    private static Long id(TableMetadata metadata) {
        Snapshot current = metadata.currentSnapshot();
        return current == null ? null : Long.valueOf(current.snapshotId());
    }

    /** What was seen at first, so that all reads before the commit are of one version. */
    public TableMetadata current() {
        return committed == null ? seen : operations.current();
    }
}
