package headrace.changes;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.LongFunction;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.Snapshot;

/**
 * The way from one snapshot of a table to another: up to the youngest common ancestor, then down.
 *
 * <p>Commits of operation "replace" change no row, so they are left out of it: what remains is a
 * list of legs.
 */
final class SnapshotPath {
  private final LongFunction<Snapshot> snapshots;
  private final List<Leg> legs = new ArrayList<>();
  private Snapshot lost;

  /** A part of the way without rewrites; onward if its end descends from its start. */
  record Leg(Snapshot from, Snapshot to, boolean onward) {}

  /** With a table's snapshots by their ids, null for those that have expired. */
  SnapshotPath(LongFunction<Snapshot> snapshots) {
    this.snapshots = snapshots;
  }

  /** Whether there is a way. */
  boolean find(Snapshot from, Snapshot to) {
    List<Snapshot> down = ancestors(to);
    var places = new HashMap<Long, Integer>();
    for (int i = 0; i < down.size(); i++) {
      places.put(down.get(i).snapshotId(), i);
    }
    var nodes = new ArrayList<Snapshot>();
    var replaced = new ArrayList<Boolean>();
    for (Snapshot at = from; at != null; at = parent(at)) {
      nodes.add(at);
      Integer meeting = places.get(at.snapshotId());
      if (meeting != null) {
        for (int i = meeting - 1; i >= 0; i--) {
          nodes.add(down.get(i));
          replaced.add(isRewrite(down.get(i)));
        }
        split(nodes, replaced, nodes.size() - 1 - meeting);
        return true;
      }
      replaced.add(isRewrite(at));
    }
    return false;
  }

  /** One after the other. */
  List<Leg> legs() {
    return legs;
  }

  /** The oldest ancestor whose parent is no longer known; null if history is complete. */
  Snapshot lost() {
    return lost;
  }

  private List<Snapshot> ancestors(Snapshot youngest) {
    var found = new ArrayList<Snapshot>();
    for (Snapshot at = youngest; at != null; at = parent(at)) {
      found.add(at);
    }
    Snapshot oldest = found.get(found.size() - 1);
    lost = oldest.parentId() == null ? null : oldest;
    return found;
  }

  private Snapshot parent(Snapshot child) {
    return child.parentId() == null ? null : snapshots.apply(child.parentId());
  }

  /** Not so if it is the first commit that gives rows an identity. */
  private boolean isRewrite(Snapshot snapshot) {
    Snapshot before = parent(snapshot);
    return DataOperations.REPLACE.equals(snapshot.operation())
        && before != null
        && (before.firstRowId() == null) == (snapshot.firstRowId() == null);
  }

  private void split(List<Snapshot> nodes, List<Boolean> replaced, int meeting) {
    int start = 0;
    for (int i = 0; i < nodes.size(); i++) {
      boolean ends = i == nodes.size() - 1 || replaced.get(i);
      if (ends) {
        if (i > start) {
          legs.add(new Leg(nodes.get(start), nodes.get(i), start >= meeting));
        }
        start = i + 1;
      }
    }
  }
}
