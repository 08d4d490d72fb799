package headrace.commit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.SupportsPrefixOperations;
import org.apache.iceberg.util.JsonUtil;

/**
 * Files beside a table that the summaries of its snapshots name, for what is too long for a
 * summary.
 *
 * <p>Their directory begins with an underscore, so that no clean-up of unreferenced files takes
 * them away.
 */
public final class SideFiles {
  private static final String DIRECTORY = "_headrace/";

  private final Table table;
  private final FileIO io;

  public SideFiles(Table table) {
    this.table = table;
    this.io = table.io();
  }

  public String write(String name, byte[] content) throws IOException {
    String location = directory() + name;
    try (OutputStream file = io.newOutputFile(location).create()) {
      file.write(content);
    }
    return location;
  }

  public byte[] read(String location) throws IOException {
    try (InputStream file = io.newInputFile(location).newStream()) {
      return file.readAllBytes();
    }
  }

  /** Deletes those that are not listed and that were written before a moment, in milliseconds. */
  public int deleteOthers(String listed, long before) throws IOException {
    if (!(io instanceof SupportsPrefixOperations files)) {
      return 0;
    }
    Set<String> kept = new HashSet<>(List.of(JsonUtil.mapper().readValue(listed, String[].class)));
    var gone = new ArrayList<String>();
    for (FileInfo file : files.listPrefix(directory())) {
      String path = file.location().replaceFirst("^file:/+", "/");
      boolean isKept =
          kept.stream().anyMatch(each -> each.replaceFirst("^file:/+", "/").equals(path));
      if (!isKept && file.createdAtMillis() < before) {
        gone.add(file.location());
      }
    }
    gone.forEach(io::deleteFile);
    return gone.size();
  }

  private String directory() {
    String location = table.location();
    return (location.endsWith("/") ? location : location + "/") + DIRECTORY;
  }
}
