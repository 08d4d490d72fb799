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
    private final Table table;
    private final ChangePlan plan;
    private final StagedChanges staged;
    private boolean hasRowId;
    private String obstacle;
    private Long lost;

    public ChangeScan(Table table, String id) {
        this.table = table;
        this.plan = new ChangePlan(table);
        this.staged = new StagedChanges(table, id);
    }

    /**
     * How much there is to read, or why the snapshots cannot be compared, as JSON.
     *
     * Null stands for the empty table.
     */
    public String find(Long since, Long until) throws IOException {
        Snapshot from = since == null ? null : table.snapshot(since.longValue());
        Snapshot to = until == null ? null : table.snapshot(until.longValue());
        hasRowId = to == null ? isVersionThree(table) : to.firstRowId() != null;
        if (since != null) {
            compare(from, to);
        } else if (to != null) {
            plan.compare(null, to, true);
        }
        return told();
    }

    private void compare(Snapshot from, Snapshot to) throws IOException {
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

    private String told() throws IOException {
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
