package headrace.lookup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.iceberg.util.ThreadPools;

/** Reads files at once, by as many threads as Iceberg has; a failure ends the others. */
public final class ParallelReads {
  private ParallelReads() {}

  /** Reads one file. */
  public interface Read<T> {
    T run() throws IOException, InterruptedException, Obstacle, TooManyRows;
  }

  /** In the order of the reads. */
  public static <T> List<T> run(List<? extends Read<T>> reads)
      throws IOException, InterruptedException, Obstacle, TooManyRows {
    var found = new ArrayList<T>();
    if (reads.size() == 1) {
      found.add(reads.get(0).run());
      return found;
    }
    var running = new ArrayList<Future<T>>();
    try {
      for (Read<T> read : reads) {
        running.add(ThreadPools.getWorkerPool().submit(read::run));
      }
      for (Future<T> each : running) {
        found.add(each.get());
      }
      return found;
    } catch (ExecutionException failed) {
      throw thrown(failed.getCause());
    } finally {
      running.forEach(each -> each.cancel(true));
    }
  }

  private static RuntimeException thrown(Throwable cause)
      throws IOException, InterruptedException, Obstacle, TooManyRows {
    if (cause instanceof IOException error) {
      throw error;
    } else if (cause instanceof InterruptedException error) {
      throw error;
    } else if (cause instanceof Obstacle obstacle) {
      throw obstacle;
    } else if (cause instanceof TooManyRows error) {
      throw error;
    } else if (cause instanceof Error error) {
      throw error;
    }
    return (RuntimeException) cause;
  }
}
