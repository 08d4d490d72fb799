package headrace;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;

/**
 * The way from one snapshot of a table to another: up to the youngest common ancestor, then down.
 *
 * Commits of operation "replace" change no row, so they are left out of it: what remains is a list of
 * legs, each the two snapshots that it leads from and to, and whether it goes only down.
 */
public final class SnapshotPath {
    private final Table table;
    private final List legs = new ArrayList();
    private Snapshot lost;

    public SnapshotPath(Table table) {
        this.table = table;
    }

    /** Whether there is a way. */
    public boolean find(Snapshot from, Snapshot to) {
        List down = ancestors(to);
        Map places = new HashMap();
        for (int i = 0; i < down.size(); i++) {
            places.put(Long.valueOf(((Snapshot) down.get(i)).snapshotId()), Integer.valueOf(i));
        }
        List nodes = new ArrayList();
        List replaced = new ArrayList();
        for (Snapshot at = from; at != null; at = parent(at)) {
            nodes.add(at);
            Integer meeting = (Integer) places.get(Long.valueOf(at.snapshotId()));
            if (meeting != null) {
                for (int i = meeting.intValue() - 1; i >= 0; i--) {
                    nodes.add(down.get(i));
                    replaced.add(Boolean.valueOf(isRewrite((Snapshot) down.get(i))));
                }
                split(nodes, replaced, nodes.size() - 1 - meeting.intValue());
                return true;
            }
            replaced.add(Boolean.valueOf(isRewrite(at)));
        }
        return false;
    }

    /** Arrays of snapshot, snapshot, Boolean, one after the other. */
    public List legs() {
        return legs;
    }

    /** The oldest ancestor whose parent is no longer known; null if history is complete. */
    public Snapshot lost() {
        return lost;
    }

    private List ancestors(Snapshot youngest) {
        List found = new ArrayList();
        Snapshot last = null;
        for (Snapshot at = youngest; at != null; at = parent(at)) {
            found.add(at);
            last = at;
        }
        lost = last.parentId() == null ? null : last;
        return found;
    }

    private Snapshot parent(Snapshot child) {
        return child.parentId() == null ? null : table.snapshot(child.parentId().longValue());
    }

    /** Not so if it is the first commit that gives rows an identity. */
    private boolean isRewrite(Snapshot snapshot) {
        Snapshot before = parent(snapshot);
        return DataOperations.REPLACE.equals(snapshot.operation())
                && before != null
                && (before.firstRowId() == null) == (snapshot.firstRowId() == null);
    }

    private void split(List nodes, List replaced, int meeting) {
        int start = 0;
        for (int i = 0; i < nodes.size(); i++) {
            boolean ends = i == nodes.size() - 1 || ((Boolean) replaced.get(i)).booleanValue();
            if (ends) {
                if (i > start) {
                    legs.add(new Object[] {nodes.get(start), nodes.get(i), Boolean.valueOf(start >= meeting)});
                }
                start = i + 1;
            }
        }
    }
}
