package headrace.queries;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.iceberg.util.JsonUtil;
import org.apache.spark.sql.RuntimeConfig;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/** Settings of a session until those before are restored. */
public final class TemporarySettings {
  private final RuntimeConfig settings;
  private final Map<String, Option<String>> before = new LinkedHashMap<>();

  public TemporarySettings(SparkSession session, Map<String, String> wanted) {
    this.settings = session.conf();
    wanted.keySet().forEach(key -> before.put(key, settings.getOption(key)));
    try {
      wanted.forEach(settings::set);
    } catch (RuntimeException refused) {
      restore();
      throw refused;
    }
  }

  /** {@code wanted} is a JSON object. */
  public static TemporarySettings of(SparkSession session, String wanted) throws Exception {
    return new TemporarySettings(session, read(wanted));
  }

  static Map<String, String> read(String json) throws Exception {
    Map<String, String> found = new LinkedHashMap<>();
    JsonUtil.mapper()
        .readTree(json)
        .properties()
        .forEach(entry -> found.put(entry.getKey(), entry.getValue().textValue()));
    return found;
  }

  public void restore() {
    before.forEach(
        (key, value) -> {
          if (value.isDefined()) {
            settings.set(key, value.get());
          } else {
            settings.unset(key);
          }
        });
  }
}
