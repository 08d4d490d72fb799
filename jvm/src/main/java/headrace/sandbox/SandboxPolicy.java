package headrace.sandbox;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.iceberg.util.JsonUtil;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistryBase;
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What the statements of a session may use: the lists are Python's, what they mean is said here.
 */
final class SandboxPolicy {
  private final Set<String> catalogs;
  private final List<String> tableRoots;
  private final List<String> fileRoots;
  private final boolean readsKafka;
  private final Set<String> plans;
  private final Set<String> withheldPlans;
  private final Set<String> procedures;
  private final Set<String> settings;
  private final List<String> settingPrefixes;
  private final List<String> refusedSettingPrefixes;
  private final Set<String> readOptions;
  private final Set<String> refusedFunctions = new HashSet<>();

  SandboxPolicy(Map<String, List<String>> lists) {
    this.catalogs = Set.copyOf(lists.get("catalogs"));
    this.fileRoots = roots(lists.get("directories").stream());
    this.tableRoots =
        roots(Stream.concat(lists.get("warehouses").stream(), lists.get("directories").stream()));
    this.readsKafka = !lists.get("brokers").isEmpty();
    this.plans = Set.copyOf(lists.get("plans"));
    this.withheldPlans = Set.copyOf(lists.get("withheld_plans"));
    this.procedures = Set.copyOf(lists.get("procedures"));
    this.settings = Set.copyOf(lists.get("settings"));
    this.settingPrefixes = lists.get("setting_prefixes");
    this.refusedSettingPrefixes = lists.get("refused_setting_prefixes");
    this.readOptions = Set.copyOf(lists.get("read_options"));
    var safe = Set.copyOf(lists.get("functions"));
    refuseOthers(FunctionRegistry.builtin(), safe);
    refuseOthers(TableFunctionRegistry.builtin(), safe);
  }

  /** From an object of lists. */
  @SuppressWarnings("unchecked")
  static SandboxPolicy read(String json) throws IOException {
    return new SandboxPolicy(JsonUtil.mapper().readValue(json, Map.class));
  }

  /** Functions that Spark has and that are not listed, those of a later Spark among them. */
  private void refuseOthers(FunctionRegistryBase<?> registry, Set<String> safe) {
    CollectionConverters.asJava(registry.listFunction()).stream()
        .map(function -> lower(function.funcName()))
        .filter(name -> !safe.contains(name))
        .forEach(refusedFunctions::add);
  }

  boolean hasDirectories() {
    return !fileRoots.isEmpty();
  }

  /** No statement makes Spark read Kafka: what does has been judged by its servers before. */
  boolean readsKafka() {
    return readsKafka;
  }

  boolean holdsCatalog(String name) {
    return catalogs.contains(name);
  }

  boolean holdsTable(String path) {
    return isInside(path, tableRoots);
  }

  boolean holdsFile(String path) {
    return isInside(path, fileRoots);
  }

  boolean knowsPlan(String className) {
    return plans.contains(className);
  }

  /** What would stay inside, but the user of the session is not permitted to do. */
  boolean withholdsPlan(String className) {
    return withheldPlans.contains(className);
  }

  boolean refusesFunction(String name) {
    return refusedFunctions.contains(lower(name));
  }

  boolean holdsProcedure(String name) {
    return procedures.contains(lower(name));
  }

  boolean takesReadOption(String key) {
    return readOptions.contains(lower(key));
  }

  boolean maySet(String key) {
    String lowered = lower(key);
    if (startsWithAny(lowered, refusedSettingPrefixes)) {
      return settings.contains(lowered);
    }
    boolean namesClass = lowered.endsWith("class") || lowered.endsWith("classes");
    return !lowered.contains(".") || (startsWithAny(lowered, settingPrefixes) && !namesClass);
  }

  /** Whether the value of a property is a path or a class. */
  static boolean namesPlace(String key) {
    String lowered = lower(key);
    boolean isPlace =
        lowered.equals("path")
            || lowered.equals("location")
            || Stream.of("impl", ".path", "-path", "-location").anyMatch(lowered::endsWith);
    return isPlace && !lowered.startsWith("dt.");
  }

  static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  private static boolean isInside(String path, List<String> roots) {
    String plain = withoutFileScheme(path);
    boolean isAbsolute = plain.startsWith("/") || plain.contains("://");
    boolean climbs =
        Stream.of(plain.split("/")).anyMatch(part -> part.equals(".") || part.equals(".."));
    boolean isPattern = plain.chars().anyMatch(each -> "{}%\\,".indexOf(each) >= 0 || each < ' ');
    return isAbsolute
        && !climbs
        && !isPattern
        && roots.stream()
            .anyMatch(root -> withoutSlash(plain).equals(root) || plain.startsWith(root + "/"));
  }

  private static List<String> roots(Stream<String> places) {
    return places.map(place -> withoutSlash(withoutFileScheme(place))).toList();
  }

  private static String withoutFileScheme(String path) {
    String lowered = lower(path);
    if (lowered.startsWith("file://")) {
      return path.substring("file://".length());
    }
    return lowered.startsWith("file:") ? path.substring("file:".length()) : path;
  }

  private static String withoutSlash(String path) {
    return path.replaceFirst("/+\\z", "");
  }

  private static boolean startsWithAny(String text, List<String> prefixes) {
    return prefixes.stream().anyMatch(text::startsWith);
  }
}
