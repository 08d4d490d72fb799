package headrace.commit;

import org.apache.iceberg.TableOperations;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.iceberg.io.FileIO;

/**
 * Writes the files of a table that are on this machine without Hadoop's detours, which cost more
 * than a small commit; not for executors.
 */
final class LocalTableOperations extends ForwardingTableOperations {
  private final FileIO io;

  LocalTableOperations(TableOperations operations) {
    super(operations);
    boolean isLocal =
        operations.io() instanceof HadoopFileIO && operations.current().location().startsWith("/");
    this.io = isLocal ? new LocalFileIO() : operations.io();
  }

  @Override
  public FileIO io() {
    return io;
  }
}
