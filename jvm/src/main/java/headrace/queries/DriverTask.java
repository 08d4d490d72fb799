package headrace.queries;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.rdd.RDD;
import scala.Function2;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Map$;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Computes an RDD of one partition in the calling thread, as a task would: to send a task out and
 * to hear of its end takes longer than to compute a few rows.
 */
final class DriverTask {
  /** Those of Spark's own tasks count upwards. */
  private static final AtomicLong NEXT_ID = new AtomicLong(-1);

  private DriverTask() {}

  /** Whether it has one partition, and none of what it is computed from is shuffled. */
  static boolean canRun(RDD<?> rows) {
    return rows.getNumPartitions() == 1 && !isShuffled(rows);
  }

  private static boolean isShuffled(RDD<?> rows) {
    return CollectionConverters.asJava(rows.dependencies()).stream()
        .anyMatch(each -> each instanceof ShuffleDependency || isShuffled(each.rdd()));
  }

  static <T, R> R run(
      SparkContext context, RDD<T> rows, Function2<TaskContext, Iterator<T>, R> work) {
    if (!canRun(rows)) {
      throw new IllegalArgumentException("rows of several tasks");
    }
    TaskContext outer = TaskContext.get();
    TaskContextImpl task = newTask(context);
    TaskContext$.MODULE$.setTaskContext(task);
    Option<Throwable> failure = Option.empty();
    try {
      return work.apply(task, rows.iterator(rows.partitions()[0], task));
    } catch (RuntimeException | Error failed) {
      failure = Option.apply(failed);
      task.markTaskFailed(failed);
      throw failed;
    } finally {
      task.markTaskCompleted(failure);
      task.taskMemoryManager().cleanUpAllAllocatedMemory();
      if (outer == null) {
        TaskContext$.MODULE$.unset();
      } else {
        TaskContext$.MODULE$.setTaskContext(outer);
      }
    }
  }

  private static TaskContextImpl newTask(SparkContext context) {
    long id = NEXT_ID.getAndDecrement();
    SparkEnv environment = SparkEnv.get();
    return new TaskContextImpl(
        -1,
        0,
        0,
        id,
        0,
        1,
        new TaskMemoryManager(environment.memoryManager(), id),
        context.getLocalProperties(),
        environment.metricsSystem(),
        TaskMetrics.empty(),
        1,
        Map$.MODULE$.empty());
  }
}
