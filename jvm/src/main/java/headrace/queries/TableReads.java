package headrace.queries;

import headrace.changes.StagedSizes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.execution.metric.SQLMetric;
import scala.jdk.javaapi.CollectionConverters;

/** The scans in a plan that has run: in the stages that really ran, and in subqueries. */
final class TableReads {
  private static final List<String> SIZES =
      List.of("totalDataFileSize", "totalDeleteFileSize", "resultDataFiles");

  private TableReads() {}

  static List<Map<String, Object>> of(SparkPlan plan) {
    var reads = new ArrayList<Map<String, Object>>();
    Deque<SparkPlan> nodes = new ArrayDeque<>(List.of(plan));
    while (!nodes.isEmpty()) {
      SparkPlan node = nodes.pop();
      if (node instanceof AdaptiveSparkPlanExec adaptive) {
        nodes.push(adaptive.executedPlan());
      } else if (node instanceof QueryStageExec stage) {
        nodes.push(stage.plan());
      } else if (node instanceof BatchScanExec scan) {
        reads.add(read(scan));
      } else {
        CollectionConverters.asJava(node.children()).forEach(nodes::push);
        CollectionConverters.asJava(node.subqueries()).forEach(nodes::push);
      }
    }
    return reads;
  }

  private static Map<String, Object> read(BatchScanExec scan) {
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("table", scan.table().name());
    found.put("rows", metric(scan, "numOutputRows"));
    found.put("scan", scan.scan().toString());
    found.put("sizes", sizes(scan));
    return found;
  }

  /** By the names of Iceberg's metrics; empty if they are not known. */
  private static Map<String, Long> sizes(BatchScanExec scan) {
    Map<String, Long> found = new LinkedHashMap<>();
    if (StagedSizes.isStaged(scan.scan())) {
      StagedSizes.of(scan.table(), scan.scan())
          .ifPresent(
              staged -> {
                found.put("totalDataFileSize", staged.bytes());
                found.put("resultDataFiles", staged.files());
              });
      return found;
    }
    for (String name : SIZES) {
      Long value = metric(scan, name);
      if (value != null) {
        found.put(name, value);
      }
    }
    return found;
  }

  private static Long metric(BatchScanExec scan, String name) {
    SQLMetric found = CollectionConverters.asJava(scan.metrics()).get(name);
    return found == null ? null : found.value();
  }
}
