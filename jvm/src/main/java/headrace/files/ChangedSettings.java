package headrace.files;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.util.SerializableSupplier;

/** Hadoop's settings as their difference from the defaults that every Hadoop carries. */
final class ChangedSettings implements SerializableSupplier<Configuration> {
  private static final long serialVersionUID = 1L;
  private static final Map<Map<String, String>, Configuration> KNOWN = new ConcurrentHashMap<>();

  private final HashMap<String, String> changed;

  private ChangedSettings(HashMap<String, String> changed) {
    this.changed = changed;
  }

  static ChangedSettings of(Configuration settings) {
    var changed = new HashMap<String, String>();
    for (var name : settings.getPropsWithPrefix("").keySet()) {
      if (!isDefault(settings, name)) {
        changed.put(name, settings.getRaw(name));
      }
    }
    return new ChangedSettings(changed);
  }

  private static boolean isDefault(Configuration settings, String name) {
    var sources = settings.getPropertySources(name);
    return sources != null
        && sources.length > 0
        && sources[sources.length - 1].endsWith("-default.xml");
  }

  @Override
  public Configuration get() {
    return KNOWN.computeIfAbsent(changed, ChangedSettings::withDefaults);
  }

  private static Configuration withDefaults(Map<String, String> changed) {
    var settings = new Configuration();
    changed.forEach(settings::set);
    return settings;
  }
}
