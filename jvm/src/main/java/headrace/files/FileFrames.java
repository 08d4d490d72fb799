package headrace.files;

import java.io.IOException;
import java.util.Map;
import org.apache.iceberg.util.JsonUtil;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Files by their names, thousands at once: Python gives names and options as JSON. */
public final class FileFrames {
  private FileFrames() {}

  /** Without a schema Spark finds it in the files. */
  @SuppressWarnings("unchecked")
  public static Dataset<Row> read(
      SparkSession session, String format, String options, String schema, String paths)
      throws IOException {
    DataFrameReader reader =
        session.read().format(format).options(JsonUtil.mapper().readValue(options, Map.class));
    if (schema != null) {
      reader = reader.schema(schema);
    }
    return reader.load(JsonUtil.mapper().readValue(paths, String[].class));
  }
}
