package headrace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.util.ContentFileUtil;
import org.apache.iceberg.util.DeleteFileSet;

/** Which files to read, and under which deletes, to get the rows by which two snapshots differ. */
public final class ChangePlan {
    private final Table table;
    private final Manifests manifests;
    private final List plus = new ArrayList();
    private final List minus = new ArrayList();
    private final List touched = new ArrayList();
    private boolean onward;

    public ChangePlan(Table table) {
        this.table = table;
        this.manifests = new Manifests(table);
    }

    /** Whole files whose rows came, with the deletes they are read under. */
    public List plus() {
        return plus;
    }

    /** Whole files whose rows went. */
    public List minus() {
        return minus;
    }

    /** Files that stayed under other position deletes; one list for each call of compare. */
    public List touched() {
        return touched;
    }

    /** Adds what leads from one snapshot, or the empty table, to another; onward if that descends from it. */
    public void compare(Snapshot from, Snapshot to, boolean onward) throws IOException {
        this.onward = onward;
        touched.add(new ArrayList());
        Map manifestsBefore = manifests.of(from);
        Map manifestsAfter = manifests.of(to);
        Set both = new HashSet(manifestsBefore.keySet());
        both.retainAll(manifestsAfter.keySet());
        List shared = taken(manifestsAfter, both);
        taken(manifestsBefore, both);
        Collection before = manifestsBefore.values();
        Collection after = manifestsAfter.values();
        Map removed = manifests.dataFiles(before);
        Map added = manifests.dataFiles(after);
        removeCommon(removed, added);
        DeleteFileSet oldDeletes = manifests.deletes(before);
        DeleteFileSet newDeletes = manifests.deletes(after);
        if (onward && removed.isEmpty() && oldDeletes.equals(newDeletes)) {
            addAll(plus, added, new HashMap());
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
        touchVectors(oldDeletes, newDeletes, added, removed, after, shared);
    }

    private static List taken(Map from, Set keys) {
        List found = new ArrayList();
        for (Iterator it = keys.iterator(); it.hasNext(); ) {
            found.add(from.remove(it.next()));
        }
        return found;
    }

    /** A location that came back as another file is both removed and added. */
    private static void removeCommon(Map removed, Map added) {
        for (Iterator it = added.values().iterator(); it.hasNext(); ) {
            DataFile file = (DataFile) it.next();
            DataFile old = (DataFile) removed.get(file.location());
            if (old != null && isSame(old, file)) {
                removed.remove(file.location());
                it.remove();
            }
        }
    }

    private static boolean isSame(DataFile one, DataFile other) {
        return Objects.equals(one.firstRowId(), other.firstRowId())
                && Objects.equals(one.dataSequenceNumber(), other.dataSequenceNumber());
    }

    private static boolean areVectors(DeleteFileSet deletes) {
        for (Iterator it = deletes.iterator(); it.hasNext(); ) {
            if (!ContentFileUtil.isDV((DeleteFile) it.next())) {
                return false;
            }
        }
        return true;
    }

    private static Map byDataFile(DeleteFileSet vectors) {
        Map found = new HashMap();
        for (Iterator it = vectors.iterator(); it.hasNext(); ) {
            DeleteFile vector = (DeleteFile) it.next();
            found.put(vector.referencedDataFile(), vector);
        }
        return found;
    }

    private static void addAll(List target, Map files, Map vectors) {
        for (Iterator it = files.values().iterator(); it.hasNext(); ) {
            DataFile file = (DataFile) it.next();
            FileUnderDeletes read = new FileUnderDeletes(file, list((DeleteFile) vectors.get(file.location())));
            if (read.rows() > 0) {
                target.add(read);
            }
        }
    }

    private static List list(DeleteFile vector) {
        List found = new ArrayList();
        if (vector != null) {
            found.add(vector);
        }
        return found;
    }

    private void touchVectors(
            DeleteFileSet oldDeletes, DeleteFileSet newDeletes, Map added, Map removed, Collection after, Collection shared)
            throws IOException {
        DeleteFileSet gone = DeleteFileSet.of(oldDeletes);
        gone.removeAll(newDeletes);
        DeleteFileSet come = DeleteFileSet.of(newDeletes);
        come.removeAll(oldDeletes);
        Map oldVectors = byDataFile(gone);
        Map newVectors = byDataFile(come);
        Set wanted = new HashSet(oldVectors.keySet());
        wanted.addAll(newVectors.keySet());
        wanted.removeAll(added.keySet());
        wanted.removeAll(removed.keySet());
        DeleteFileSet changed = DeleteFileSet.of(come);
        changed.addAll(gone);
        List places = new ArrayList(after);
        places.addAll(shared);
        Map files = manifests.find(wanted, changed, places);
        for (Iterator it = files.values().iterator(); it.hasNext(); ) {
            DataFile file = (DataFile) it.next();
            List old = list((DeleteFile) oldVectors.get(file.location()));
            touch(file, old, list((DeleteFile) newVectors.get(file.location())));
        }
    }

    /** For deletes other than vectors: which of them hold for a file is Iceberg's own planning to say. */
    private void comparePlans(Snapshot from, Snapshot to) throws IOException {
        Map before = plan(from);
        Map after = plan(to);
        for (Iterator it = after.values().iterator(); it.hasNext(); ) {
            FileScanTask task = (FileScanTask) it.next();
            FileScanTask old = (FileScanTask) before.remove(((DataFile) task.file()).location());
            if (old == null) {
                plus.add(new FileUnderDeletes((DataFile) task.file(), task.deletes()));
            } else if (isSame((DataFile) old.file(), (DataFile) task.file())) {
                touch((DataFile) task.file(), old.deletes(), task.deletes());
            } else {
                replace(old, task);
            }
        }
        for (Iterator it = before.values().iterator(); it.hasNext(); ) {
            FileScanTask task = (FileScanTask) it.next();
            minus.add(new FileUnderDeletes((DataFile) task.file(), task.deletes()));
        }
    }

    private void replace(FileScanTask old, FileScanTask task) {
        minus.add(new FileUnderDeletes((DataFile) old.file(), old.deletes()));
        plus.add(new FileUnderDeletes((DataFile) task.file(), task.deletes()));
    }

    private Map plan(Snapshot snapshot) throws IOException {
        Map found = new LinkedHashMap();
        if (snapshot == null) {
            return found;
        }
        CloseableIterable tasks = table.newScan().useSnapshot(snapshot.snapshotId()).planFiles();
        try {
            for (Iterator it = tasks.iterator(); it.hasNext(); ) {
                FileScanTask task = (FileScanTask) it.next();
                found.put(((DataFile) task.file()).location(), task);
            }
        } finally {
            tasks.close();
        }
        return found;
    }

    /** Where equality deletes differ the rows of the file are taken back and given again. */
    private void touch(DataFile file, List oldDeletes, List newDeletes) {
        DeleteFileSet oldEquality = DeleteFileSet.create();
        DeleteFileSet newEquality = DeleteFileSet.create();
        List oldPositions = split(oldDeletes, oldEquality);
        List newPositions = split(newDeletes, newEquality);
        if (!oldEquality.equals(newEquality)) {
            minus.add(new FileUnderDeletes(file, oldDeletes));
            plus.add(new FileUnderDeletes(file, newDeletes));
        } else if (!DeleteFileSet.of(oldPositions).equals(DeleteFileSet.of(newPositions))) {
            List leg = (List) touched.get(touched.size() - 1);
            leg.add(new TouchedFile(file, new ArrayList(oldEquality), oldPositions, newPositions, onward));
        }
    }

    private static List split(List deletes, DeleteFileSet equality) {
        List positions = new ArrayList();
        for (Iterator it = deletes.iterator(); it.hasNext(); ) {
            DeleteFile delete = (DeleteFile) it.next();
            if (delete.content() == FileContent.EQUALITY_DELETES) {
                equality.add(delete);
            } else {
                positions.add(delete);
            }
        }
        return positions;
    }
}
