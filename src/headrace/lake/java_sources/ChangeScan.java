package headrace;

import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.util.JsonUtil;

/** What leads from one snapshot of a table to another: found without reading data, then staged to be read. */
public final class ChangeScan {
    private final ChangePlan plan;
    private final StagedChanges staged;
    private final boolean hasRowId;
    private String obstacle;
    private Long lost;

    /** Null stands for the empty table. */
    public ChangeScan(Table table, Long since, Long until, String id) throws IOException {
        this.plan = new ChangePlan(table);
        this.staged = new StagedChanges(table, id);
        Snapshot from = since == null ? null : table.snapshot(since.longValue());
        Snapshot to = until == null ? null : table.snapshot(until.longValue());
        this.hasRowId = to == null ? isVersionThree(table) : to.firstRowId() != null;
        if (since != null) {
            compare(table, from, to);
        } else if (to != null) {
            plan.compare(null, to, true);
        }
    }

    private void compare(Table table, Snapshot from, Snapshot to) throws IOException {
        SnapshotPath path = new SnapshotPath(table);
        if (from == null) {
            obstacle = "expired";
        } else if (to == null) {
            obstacle = "replaced";
        } else if (hasRowId && from.firstRowId() == null) {
            obstacle = "no identity";
        } else if (path.find(from, to)) {
            for (Iterator it = path.legs().iterator(); it.hasNext(); ) {
                Object[] leg = (Object[]) it.next();
                plan.compare((Snapshot) leg[0], (Snapshot) leg[1], ((Boolean) leg[2]).booleanValue());
            }
        } else {
            lost = path.lost() == null ? null : Long.valueOf(path.lost().snapshotId());
            obstacle = lost == null ? "replaced" : "lost";
        }
    }

    /** Since its upgrade to format 3 a table gives its rows an identity with the first commit. */
    private static boolean isVersionThree(Table table) {
        return ((HasTableOperations) table).operations().current().formatVersion() >= 3;
    }

    /** As JSON: how much there is to read, or why the snapshots cannot be compared. */
    public String told() throws IOException {
        Map told = new LinkedHashMap();
        told.put("obstacle", obstacle);
        told.put("lost", lost);
        told.put("has_row_id", Boolean.valueOf(hasRowId));
        told.put("sizes", new ChangeSizes(plan).told());
        return JsonUtil.mapper().writeValueAsString(told);
    }

    /** The signs under which there is something to read. */
    public String stage() throws IOException {
        return staged.stage(plan);
    }

    public void close() {
        staged.close();
    }
}
