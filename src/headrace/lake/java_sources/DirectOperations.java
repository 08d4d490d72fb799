package headrace;

import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/** Operations of a table whose files, if they are on this machine, are written without a detour; not for executors. */
public final class DirectOperations implements TableOperations {
    private final TableOperations operations;
    private final FileIO io;

    public DirectOperations(TableOperations operations) {
        this.operations = operations;
        boolean isLocal =
                operations.io() instanceof HadoopFileIO && operations.current().location().startsWith("/");
        this.io = isLocal ? new LocalFiles() : operations.io();
    }

    public FileIO io() {
        return io;
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
