package headrace.commit;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Hadoop's local file system, without the process that it starts to set the permissions of each
 * file it makes.
 */
public final class PlainLocalFileSystem extends RawLocalFileSystem {
  @Override
  public void setPermission(Path path, FsPermission permission) {}

  /** By which Hadoop's callers get this file system for local paths. */
  static Configuration configuration() {
    var found = new Configuration();
    found.setClass("fs.file.impl", PlainLocalFileSystem.class, Object.class);
    found.setBoolean("fs.file.impl.disable.cache", true);
    return found;
  }
}
