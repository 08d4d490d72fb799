package headrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuickLocalFileSystemTest {
  @TempDir java.nio.file.Path directory;
  private final QuickLocalFileSystem files = new QuickLocalFileSystem();

  @BeforeEach
  void open() throws IOException {
    var settings = new Configuration();
    settings.set("fs.permissions.umask-mode", "027");
    files.initialize(URI.create("file:///"), settings);
  }

  @Test
  void permissionsAreThoseOfTheSettings() throws IOException {
    write("one/two", "text");

    assertEquals("rwxr-x---", permissions("one"));
    assertEquals("rw-r-----", permissions("one/two"));
  }

  @Test
  void damageIsFound() throws IOException {
    write("file", "text");
    Files.writeString(directory.resolve("file"), "tuxt");

    try (var input = files.open(path("file"))) {
      assertThrows(ChecksumException.class, () -> input.readAllBytes());
    }
  }

  private void write(String name, String text) throws IOException {
    try (var output = files.create(path(name))) {
      output.writeBytes(text);
    }
  }

  private String permissions(String name) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(name)));
  }

  private Path path(String name) {
    return new Path(directory.resolve(name).toString());
  }
}
