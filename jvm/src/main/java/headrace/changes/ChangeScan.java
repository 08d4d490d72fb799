package headrace.changes;

import headrace.lookup.Obstacle;
import headrace.lookup.ReadFigures;
import headrace.lookup.RowMemory;
import headrace.lookup.TooManyRows;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.util.JsonUtil;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;

/**
 * What leads from one snapshot of a table to another: found without reading data, then read by the
 * driver, or staged to be read by Spark.
 */
public final class ChangeScan {
  private final Table table;
  private final ChangePlan plan;
  private final StagedChanges staged;
  private ChangedRows rows;
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
   * <p>Null stands for the empty table.
   */
  public String find(Long since, Long until) throws IOException {
    Snapshot from = since == null ? null : table.snapshot(since);
    Snapshot to = until == null ? null : table.snapshot(until);
    hasRowId = to == null ? isVersionThree(table) : to.firstRowId() != null;
    if (since != null) {
      compare(from, to);
    } else if (to != null) {
      plan.compare(null, to, true);
    }
    return findings();
  }

  private void compare(Snapshot from, Snapshot to) throws IOException {
    var path = new SnapshotPath(table::snapshot);
    if (from == null) {
      obstacle = "expired";
    } else if (to == null) {
      obstacle = "replaced";
    } else if (hasRowId && from.firstRowId() == null) {
      obstacle = "no identity";
    } else if (path.find(from, to)) {
      for (SnapshotPath.Leg leg : path.legs()) {
        plan.compare(leg.from(), leg.to(), leg.onward());
      }
    } else {
      lost = path.lost() == null ? null : path.lost().snapshotId();
      obstacle = lost == null ? "replaced" : "lost";
    }
  }

  /** Since its upgrade to format 3 a table gives its rows an identity with the first commit. */
  private static boolean isVersionThree(Table table) {
    return ((HasTableOperations) table).operations().current().formatVersion() >= 3;
  }

  private String findings() throws IOException {
    var found = new LinkedHashMap<String, Object>();
    found.put("obstacle", obstacle);
    found.put("lost", lost);
    found.put("has_row_id", hasRowId);
    found.put("sizes", ChangeSizes.of(plan).toMap());
    return JsonUtil.mapper().writeValueAsString(found);
  }

  /**
   * Reads the rows in the driver, without staging them; the names of the columns are JSON. False if
   * they cannot be read so, or take more than that share of the heap.
   */
  public boolean read(String columns, int share) throws IOException, InterruptedException {
    try {
      var names = List.of(JsonUtil.mapper().readValue(columns, String[].class));
      var found = new ChangedRows(table, names, new RowMemory(share));
      found.read(plan);
      rows = found;
      return true;
    } catch (Obstacle | TooManyRows otherwise) {
      return false;
    }
  }

  /** Once they were read; they have their weight under that name. */
  public Dataset<Row> frame(SparkSession spark, String weight) {
    return rows.frame(spark, weight);
  }

  public int rowsRead() {
    return rows.count();
  }

  public ReadFigures figures() {
    return rows.figures();
  }

  /** The signs under which there is something to read. */
  public String stage() throws IOException {
    return staged.stage(plan);
  }

  public void close() {
    staged.close();
  }
}
