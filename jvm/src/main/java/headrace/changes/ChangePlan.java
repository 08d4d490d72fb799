package headrace.changes;

import headrace.manifests.FileWithDeletes;
import headrace.manifests.Manifests;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.util.ContentFileUtil;
import org.apache.iceberg.util.DeleteFileSet;

/**
 * Which files to read, and under which deletes, to get the rows by which two snapshots differ, at
 * the cost of the manifests in which they differ.
 */
final class ChangePlan {
  private final Table table;
  private final Manifests manifests;
  private final List<FileWithDeletes> plus = new ArrayList<>();
  private final List<FileWithDeletes> minus = new ArrayList<>();
  private final List<List<FileWithChangedDeletes>> changed = new ArrayList<>();
  private boolean onward;

  ChangePlan(Table table) {
    this.table = table;
    this.manifests = new Manifests(table);
  }

  /** Whole files whose rows came, with the deletes they are read under. */
  List<FileWithDeletes> plus() {
    return plus;
  }

  /** Whole files whose rows went. */
  List<FileWithDeletes> minus() {
    return minus;
  }

  /** Files that stayed under other position deletes; one list for each call of compare. */
  List<List<FileWithChangedDeletes>> changed() {
    return changed;
  }

  /**
   * Adds what leads from one snapshot, or the empty table, to another; onward if that descends from
   * it.
   */
  void compare(Snapshot from, Snapshot to, boolean onward) throws IOException {
    this.onward = onward;
    changed.add(new ArrayList<>());
    Map<String, ManifestFile> manifestsBefore = manifests.of(from);
    Map<String, ManifestFile> manifestsAfter = manifests.of(to);
    var both = new HashSet<>(manifestsBefore.keySet());
    both.retainAll(manifestsAfter.keySet());
    List<ManifestFile> shared = both.stream().map(manifestsAfter::remove).toList();
    manifestsBefore.keySet().removeAll(both);
    Collection<ManifestFile> before = manifestsBefore.values();
    Collection<ManifestFile> after = manifestsAfter.values();
    Map<String, DataFile> removed = manifests.dataFiles(before);
    Map<String, DataFile> added = manifests.dataFiles(after);
    removeCommon(removed, added);
    DeleteFileSet oldDeletes = manifests.deletes(before);
    DeleteFileSet newDeletes = manifests.deletes(after);
    if (onward && removed.isEmpty() && oldDeletes.equals(newDeletes)) {
      addAll(plus, added, Map.of());
      return;
    }
    DeleteFileSet sharedDeletes = manifests.deletes(shared);
    if (!areVectors(sharedDeletes) || !areVectors(oldDeletes) || !areVectors(newDeletes)) {
      comparePlans(from, to);
      return;
    }
    oldDeletes.addAll(sharedDeletes);
    newDeletes.addAll(sharedDeletes);
    addAll(minus, removed, byDataFile(oldDeletes));
    addAll(plus, added, byDataFile(newDeletes));
    var places = new ArrayList<>(after);
    places.addAll(shared);
    var moved = new HashSet<>(added.keySet());
    moved.addAll(removed.keySet());
    compareVectors(oldDeletes, newDeletes, moved, places);
  }

  /** A location that came back as another file is both removed and added. */
  private static void removeCommon(Map<String, DataFile> removed, Map<String, DataFile> added) {
    Set<String> common =
        added.keySet().stream()
            .filter(location -> isSame(removed.get(location), added.get(location)))
            .collect(Collectors.toSet());
    removed.keySet().removeAll(common);
    added.keySet().removeAll(common);
  }

  private static boolean isSame(DataFile one, DataFile other) {
    return one != null
        && Objects.equals(one.firstRowId(), other.firstRowId())
        && Objects.equals(one.dataSequenceNumber(), other.dataSequenceNumber());
  }

  private static boolean areVectors(DeleteFileSet deletes) {
    return deletes.stream().allMatch(ContentFileUtil::isDV);
  }

  private static Map<String, DeleteFile> byDataFile(DeleteFileSet vectors) {
    var found = new HashMap<String, DeleteFile>();
    vectors.forEach(vector -> found.put(vector.referencedDataFile(), vector));
    return found;
  }

  private static void addAll(
      List<FileWithDeletes> target, Map<String, DataFile> files, Map<String, DeleteFile> vectors) {
    for (DataFile file : files.values()) {
      var read = new FileWithDeletes(file, listOf(vectors.get(file.location())));
      if (read.rows() > 0) {
        target.add(read);
      }
    }
  }

  private static List<DeleteFile> listOf(DeleteFile vector) {
    return vector == null ? List.of() : List.of(vector);
  }

  /** Files that did not move, under vectors that are not in both snapshots. */
  private void compareVectors(
      DeleteFileSet oldDeletes,
      DeleteFileSet newDeletes,
      Set<String> moved,
      Collection<ManifestFile> places)
      throws IOException {
    DeleteFileSet gone = DeleteFileSet.of(oldDeletes);
    gone.removeAll(newDeletes);
    DeleteFileSet come = DeleteFileSet.of(newDeletes);
    come.removeAll(oldDeletes);
    Map<String, DeleteFile> oldVectors = byDataFile(gone);
    Map<String, DeleteFile> newVectors = byDataFile(come);
    var wanted = new HashSet<>(oldVectors.keySet());
    wanted.addAll(newVectors.keySet());
    wanted.removeAll(moved);
    DeleteFileSet vectors = DeleteFileSet.of(come);
    vectors.addAll(gone);
    for (DataFile file : manifests.find(wanted, vectors, places).values()) {
      String location = file.location();
      compareDeletes(file, listOf(oldVectors.get(location)), listOf(newVectors.get(location)));
    }
  }

  /**
   * For deletes other than vectors: which of them hold for a file is Iceberg's own planning to say.
   */
  private void comparePlans(Snapshot from, Snapshot to) throws IOException {
    Map<String, FileScanTask> before = plan(from);
    for (FileScanTask task : plan(to).values()) {
      FileScanTask old = before.remove(task.file().location());
      if (old == null) {
        plus.add(FileWithDeletes.of(task));
      } else if (isSame(old.file(), task.file())) {
        compareDeletes(task.file(), old.deletes(), task.deletes());
      } else {
        minus.add(FileWithDeletes.of(old));
        plus.add(FileWithDeletes.of(task));
      }
    }
    before.values().forEach(task -> minus.add(FileWithDeletes.of(task)));
  }

  private Map<String, FileScanTask> plan(Snapshot snapshot) throws IOException {
    var found = new LinkedHashMap<String, FileScanTask>();
    if (snapshot == null) {
      return found;
    }
    try (var tasks = table.newScan().useSnapshot(snapshot.snapshotId()).planFiles()) {
      tasks.forEach(task -> found.put(task.file().location(), task));
    }
    return found;
  }

  /** Where equality deletes differ the rows of the file are taken back and given again. */
  private void compareDeletes(
      DataFile file, List<DeleteFile> oldDeletes, List<DeleteFile> newDeletes) {
    DeleteFileSet oldEquality = equality(oldDeletes);
    DeleteFileSet newEquality = equality(newDeletes);
    List<DeleteFile> oldPositions = positions(oldDeletes);
    List<DeleteFile> newPositions = positions(newDeletes);
    if (!oldEquality.equals(newEquality)) {
      minus.add(new FileWithDeletes(file, oldDeletes));
      plus.add(new FileWithDeletes(file, newDeletes));
    } else if (!DeleteFileSet.of(oldPositions).equals(DeleteFileSet.of(newPositions))) {
      changed
          .get(changed.size() - 1)
          .add(
              new FileWithChangedDeletes(
                  file, List.copyOf(oldEquality), oldPositions, newPositions, onward));
    }
  }

  private static DeleteFileSet equality(List<DeleteFile> deletes) {
    return DeleteFileSet.of(deletes.stream().filter(ChangePlan::isEquality).toList());
  }

  private static List<DeleteFile> positions(List<DeleteFile> deletes) {
    return deletes.stream().filter(delete -> !isEquality(delete)).toList();
  }

  private static boolean isEquality(DeleteFile delete) {
    return delete.content() == FileContent.EQUALITY_DELETES;
  }
}
