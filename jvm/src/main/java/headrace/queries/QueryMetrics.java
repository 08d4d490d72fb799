package headrace.queries;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.iceberg.util.JsonUtil;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.status.AppStatusStore;
import org.apache.spark.status.api.v1.StageData;
import scala.jdk.javaapi.CollectionConverters;

/** What a query took that has run, as JSON: one call, because a plan has dozens of nodes. */
public final class QueryMetrics {
  /** Jobs and stages are known to listeners, which Spark tells them after the query has ended. */
  private static final long LISTENERS_MS = 10_000;

  private QueryMetrics() {}

  /** A query has run even if a figure of it cannot be found: that one is null. */
  public static String of(SparkContext context, SparkPlan plan, String group) throws Exception {
    return JsonUtil.mapper().writeValueAsString(found(context, plan, group));
  }

  /** The same with all operators: for a statement that takes longer than to list them. */
  public static String withOperators(SparkContext context, SparkPlan plan, String group)
      throws Exception {
    Map<String, Object> found = found(context, plan, group);
    found.put("operators", figure(() -> PlanOperators.of(plan)));
    return JsonUtil.mapper().writeValueAsString(found);
  }

  private static Map<String, Object> found(SparkContext context, SparkPlan plan, String group) {
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("plan", figure(plan::toString));
    found.put("reads", figure(() -> TableReads.of(plan)));
    int[] jobs = figure(() -> jobs(context, group));
    found.put("jobs", jobs == null ? new int[0] : jobs);
    found.put("bytes", jobs == null ? null : bytesByJob(context.statusStore(), jobs));
    return found;
  }

  private static int[] jobs(SparkContext context, String group) {
    try {
      context.listenerBus().waitUntilEmpty(LISTENERS_MS);
    } catch (TimeoutException tooBusy) {
      return null;
    }
    int[] jobs = context.statusTracker().getJobIdsForGroup(group);
    Arrays.sort(jobs);
    return jobs;
  }

  /** Read and written by the stages of each job. */
  private static Map<Integer, long[]> bytesByJob(AppStatusStore store, int[] jobs) {
    Map<Integer, long[]> found = new LinkedHashMap<>();
    for (int job : jobs) {
      found.put(job, figure(() -> bytes(store, job)));
    }
    return found;
  }

  private static long[] bytes(AppStatusStore store, int job) {
    long read = 0;
    long written = 0;
    for (Object id : CollectionConverters.asJava(store.job(job).stageIds())) {
      StageData stage = store.lastStageAttempt((Integer) id);
      read += stage.inputBytes();
      written += stage.outputBytes();
    }
    return new long[] {read, written};
  }

  private static <T> T figure(Supplier<T> supplier) {
    try {
      return supplier.get();
    } catch (RuntimeException notKnown) {
      return null;
    }
  }
}
