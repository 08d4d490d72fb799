package headrace.commit;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.util.JsonUtil;

/** Commits that carry entries in the summary of their snapshot: Python gives them as JSON. */
final class Summaries {
  private Summaries() {}

  static void commit(SnapshotUpdate<?> update, String summary) throws IOException {
    read(summary).forEach(update::set);
    update.commit();
  }

  /** A JSON object whose values are strings or null. */
  static Map<String, String> read(String json) throws IOException {
    Map<?, ?> entries = JsonUtil.mapper().readValue(json, Map.class);
    var found = new LinkedHashMap<String, String>();
    entries.forEach((key, value) -> found.put((String) key, (String) value));
    return found;
  }
}
