package headrace.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Hadoop's local file system, checksums included, without the {@code chmod} process that it starts
 * for each file and directory it makes.
 */
public final class QuickLocalFileSystem extends LocalFileSystem {
  public QuickLocalFileSystem() {
    super(new RawFiles());
  }

  private static final class RawFiles extends RawLocalFileSystem {
    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      if (permission.getStickyBit()) {
        super.setPermission(path, permission);
      } else {
        var letters = permission.toString();
        Files.setPosixFilePermissions(
            pathToFile(path).toPath(), PosixFilePermissions.fromString(letters));
      }
    }
  }
}
