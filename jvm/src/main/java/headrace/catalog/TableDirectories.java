package headrace.catalog;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NotFoundException;

/**
 * Keeps the files of tables apart: no two tables in one directory, nor one below the other, as
 * dropping or cleaning up a table deletes whole directories.
 */
final class TableDirectories {
  private static final List<String> PLACES =
      List.of(
          "location",
          "write.data.path",
          "write.metadata.path",
          "write.object-storage.path",
          "write.folder-storage.path");

  private final Catalog catalog;

  TableDirectories(Catalog catalog) {
    this.catalog = catalog;
  }

  /** The directories that properties name. */
  static List<String> named(Map<String, String> properties) {
    return PLACES.stream().map(properties::get).filter(Objects::nonNull).toList();
  }

  /** Throws unless the directories of a table are its own. */
  void expectOwn(TableIdentifier name) {
    expectFree(name, directories(catalog.loadTable(name)));
  }

  /**
   * Throws if another table than the named one has files in one of these directories, or may have.
   */
  void expectFree(TableIdentifier name, List<String> wanted) {
    if (wanted.isEmpty()) {
      return;
    }
    for (Namespace namespace : ((SupportsNamespaces) catalog).listNamespaces()) {
      for (TableIdentifier other : catalog.listTables(namespace)) {
        if (!other.equals(name) && overlap(wanted, directoriesOf(other))) {
          throw new DirectoryConflict(
              "the directory of " + name + " overlaps with that of the table " + other);
        }
      }
    }
  }

  private List<String> directoriesOf(TableIdentifier name) {
    try {
      return directories(catalog.loadTable(name));
    } catch (NoSuchTableException | NotFoundException droppedOrWithoutMetadata) {
      return List.of();
    }
  }

  private static List<String> directories(Table table) {
    var found = new ArrayList<>(named(table.properties()));
    found.add(table.location());
    return found;
  }

  static boolean overlap(List<String> some, List<String> others) {
    return some.stream()
        .map(TableDirectories::normalized)
        .anyMatch(one -> others.stream().anyMatch(other -> overlap(one, normalized(other))));
  }

  private static boolean overlap(String one, String other) {
    return one.startsWith(other) || other.startsWith(one);
  }

  /** Without a scheme, "." and "..", and with a slash at its end. */
  static String normalized(String location) {
    int scheme = location.indexOf(":/");
    String path = scheme < 0 ? location : location.substring(scheme + 1);
    return Path.of(path.replaceAll("^/+", "/")).normalize() + "/";
  }
}
