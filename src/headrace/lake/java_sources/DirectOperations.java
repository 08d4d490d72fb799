package headrace;

import org.apache.iceberg.TableOperations;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.iceberg.io.FileIO;

/** Operations of a table whose files, if they are on this machine, are written without a detour; not for executors. */
public final class DirectOperations extends DelegatedOperations {
    private final FileIO io;

    public DirectOperations(TableOperations operations) {
        super(operations);
        boolean isLocal =
                operations.io() instanceof HadoopFileIO && operations.current().location().startsWith("/");
        this.io = isLocal ? new LocalFiles() : operations.io();
    }

    public FileIO io() {
        return io;
    }
}
