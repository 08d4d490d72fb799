package headrace.commit;

import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/** Forwards to other operations, so that a subclass names only what it does otherwise. */
abstract class ForwardingTableOperations implements TableOperations {
  protected final TableOperations operations;

  ForwardingTableOperations(TableOperations operations) {
    this.operations = operations;
  }

  @Override
  public TableMetadata current() {
    return operations.current();
  }

  @Override
  public TableMetadata refresh() {
    return operations.refresh();
  }

  @Override
  public void commit(TableMetadata base, TableMetadata metadata) {
    operations.commit(base, metadata);
  }

  /**
   * A catalog that lost its connection commits again by itself, and takes its own first commit for
   * another's: files of what has landed would be cleaned away.
   */
  protected void commitOrConfirm(TableMetadata base, TableMetadata metadata) {
    try {
      operations.commit(base, metadata);
    } catch (RuntimeException failure) {
      if (!hasLanded(metadata, failure)) {
        throw failure;
      }
    }
  }

  private boolean hasLanded(TableMetadata metadata, RuntimeException failure) {
    try {
      return operations.refresh().snapshot(snapshotId(metadata)) != null;
    } catch (RuntimeException unknown) {
      throw new CommitStateUnknownException(failure);
    }
  }

  /** Null of an empty table. */
  protected static Long snapshotId(TableMetadata metadata) {
    Snapshot current = metadata.currentSnapshot();
    return current == null ? null : current.snapshotId();
  }

  @Override
  public FileIO io() {
    return operations.io();
  }

  @Override
  public EncryptionManager encryption() {
    return operations.encryption();
  }

  @Override
  public String metadataFileLocation(String fileName) {
    return operations.metadataFileLocation(fileName);
  }

  @Override
  public LocationProvider locationProvider() {
    return operations.locationProvider();
  }

  @Override
  public TableOperations temp(TableMetadata uncommitted) {
    return operations.temp(uncommitted);
  }

  @Override
  public long newSnapshotId() {
    return operations.newSnapshotId();
  }

  @Override
  public boolean requireStrictCleanup() {
    return operations.requireStrictCleanup();
  }
}
