package headrace.queries;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.iceberg.util.JsonUtil;
import org.apache.spark.sql.RuntimeConfig;
import org.apache.spark.sql.SparkSession;

/** Settings of a session until those before are restored; what was not set is not set again. */
public final class TemporarySettings {
  private final RuntimeConfig settings;
  private final Map<String, String> before = new LinkedHashMap<>();

  public TemporarySettings(SparkSession session, Map<String, String> wanted) {
    this.settings = session.conf();
    wanted.keySet().forEach(key -> before.put(key, settings.get(key, null)));
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
          if (value == null) {
            settings.unset(key);
          } else {
            settings.set(key, value);
          }
        });
  }
}
