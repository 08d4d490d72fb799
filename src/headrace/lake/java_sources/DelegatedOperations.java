package headrace;

import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/** Operations that do what others do, all but what a subclass does otherwise. */
public class DelegatedOperations implements TableOperations {
    protected final TableOperations operations;

    public DelegatedOperations(TableOperations operations) {
        this.operations = operations;
    }

    public TableMetadata current() {
        return operations.current();
    }

    public TableMetadata refresh() {
        return operations.refresh();
    }

    public void commit(TableMetadata base, TableMetadata metadata) {
        operations.commit(base, metadata);
    }

    public FileIO io() {
        return operations.io();
    }

    public EncryptionManager encryption() {
        return operations.encryption();
    }

    public String metadataFileLocation(String fileName) {
        return operations.metadataFileLocation(fileName);
    }

    public LocationProvider locationProvider() {
        return operations.locationProvider();
    }

    public TableOperations temp(TableMetadata uncommitted) {
        return operations.temp(uncommitted);
    }

    public long newSnapshotId() {
        return operations.newSnapshotId();
    }

    public boolean requireStrictCleanup() {
        return operations.requireStrictCleanup();
    }
}
