package headrace.queries;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;

/** Rows in the driver's memory, under names that SQL can read, and no other rows have. */
public final class DriverViews {
  private static final Map<String, LocalRelation> ROWS = new ConcurrentHashMap<>();

  private DriverViews() {}

  public static void register(Dataset<Row> rows, String name) throws AnalysisException {
    rows.createOrReplaceTempView(name);
    if (rows.queryExecution().analyzed() instanceof LocalRelation local) {
      ROWS.put(name, local);
    }
  }

  public static void drop(SparkSession session, String name) {
    ROWS.remove(name);
    session.catalog().dropTempView(name);
  }

  /** Null if there are none of that name. */
  static LocalRelation find(String name) {
    return ROWS.get(name);
  }
}
