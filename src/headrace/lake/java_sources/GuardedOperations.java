package headrace;

import java.util.Objects;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.ValidationException;

/** A table's operations that commit only onto one snapshot, so that what was computed from it is never put elsewhere. */
public final class GuardedOperations extends DelegatedOperations {
    private final Long expected;
    private final TableMetadata seen;
    private volatile Long committed;

    /** Of an empty table the snapshot is null. */
    public GuardedOperations(TableOperations operations, Long expected) {
        super(operations);
        this.expected = expected;
        this.seen = operations.current();
    }

    /** Whether someone else has committed. */
    public boolean moved() {
        return committed == null && !Objects.equals(id(operations.refresh()), expected);
    }

    /** The snapshot that was made; null before. */
    public Long committed() {
        return committed;
    }

    public void commit(TableMetadata base, TableMetadata metadata) {
        if (!Objects.equals(id(base), expected)) {
            throw new ValidationException("the table has moved", new Object[0]);
        }
        operations.commit(base, metadata);
        committed = id(metadata);
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
