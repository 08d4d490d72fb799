package headrace.queries;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.metric.SQLMetric;
import scala.jdk.javaapi.CollectionConverters;

/** The operators of a plan that has run, each with its parent and Spark's own metrics of it. */
final class PlanOperators {
  private static final int LONGEST_LIST = 25;
  private static final int LONGEST_DETAIL = 500;

  private final List<Map<String, Object>> found = new ArrayList<>();

  private PlanOperators() {}

  static List<Map<String, Object>> of(SparkPlan plan) {
    var operators = new PlanOperators();
    operators.add(plan, null);
    return operators.found;
  }

  /** Adaptive plans and stages stand for the plan that really ran. */
  private void add(SparkPlan node, Integer parent) {
    if (node instanceof AdaptiveSparkPlanExec adaptive) {
      add(adaptive.executedPlan(), parent);
    } else if (node instanceof QueryStageExec stage) {
      add(stage.plan(), parent);
    } else {
      int own = found.size();
      found.add(operator(node, own, parent));
      CollectionConverters.asJava(node.children()).forEach(child -> add(child, own));
      CollectionConverters.asJava(node.subqueries()).forEach(child -> add(child, own));
    }
  }

  private static Map<String, Object> operator(SparkPlan node, int own, Integer parent) {
    Map<String, Object> shown = new LinkedHashMap<>();
    String detail = node.simpleString(LONGEST_LIST);
    shown.put("id", own);
    shown.put("parent", parent);
    shown.put("name", node.nodeName());
    shown.put("detail", detail.substring(0, Math.min(detail.length(), LONGEST_DETAIL)));
    shown.put("metrics", metrics(node));
    return shown;
  }

  /** Without those that were never counted. */
  private static List<Map<String, Object>> metrics(SparkPlan node) {
    var shown = new ArrayList<Map<String, Object>>();
    for (SQLMetric metric : CollectionConverters.asJava(node.metrics()).values()) {
      if (metric.value() > 0 && metric.name().isDefined()) {
        Map<String, Object> figure = new LinkedHashMap<>();
        figure.put("name", metric.name().get());
        figure.put("type", metric.metricType());
        figure.put("value", metric.value());
        shown.add(figure);
      }
    }
    return shown;
  }
}
