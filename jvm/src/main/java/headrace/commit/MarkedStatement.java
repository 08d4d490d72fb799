package headrace.commit;

import java.util.Map;
import org.apache.iceberg.spark.CommitMetadata;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A statement whose commit to an Iceberg table carries a mark in its summary, by which it is
 * recognised after a crash.
 */
public final class MarkedStatement {
  private final SparkSession session;
  private final String text;
  private final Object arguments;

  /** With arguments by name, in a map, or by position, in an array. */
  public MarkedStatement(SparkSession session, String text, Object arguments) {
    this.session = session;
    this.text = text;
    this.arguments = arguments;
  }

  public Dataset<Row> run(String key, String value) throws Exception {
    return CommitMetadata.withCommitProperties(Map.of(key, value), this::run, Exception.class);
  }

  @SuppressWarnings("unchecked")
  private Dataset<Row> run() {
    return arguments instanceof Map
        ? session.sql(text, (Map<String, Object>) arguments)
        : session.sql(text, (Object[]) arguments);
  }
}
