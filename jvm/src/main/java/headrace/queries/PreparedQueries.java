package headrace.queries;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.iceberg.shaded.com.github.benmanes.caffeine.cache.Cache;
import org.apache.iceberg.shaded.com.github.benmanes.caffeine.cache.Caffeine;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Queries whose plans are kept: a refresh asks the same of other rows each time, and to parse,
 * analyze, optimize and plan a query takes longer than to run it on a few rows.
 */
final class PreparedQueries {
  private static final int MOST = 256;
  private static final Pattern VIEW = Pattern.compile("__hr_[0-9a-f]{32}");

  private static final Cache<Key, PreparedQuery> PLANS =
      Caffeine.newBuilder().maximumSize(MOST).build();

  /** What a plan depends on: views have numbers for names. */
  private record Key(String query, List<StructType> inputs, Map<String, String> settings) {}

  private final Key key;
  private final List<LocalRelation> inputs = new ArrayList<>();

  /** The query, as the settings of the session are now. */
  PreparedQueries(SparkSession session, String query) {
    var names = new LinkedHashSet<String>();
    String numbered =
        VIEW.matcher(query)
            .replaceAll(
                found -> {
                  names.add(found.group());
                  return "__hr_input_" + List.copyOf(names).indexOf(found.group());
                });
    for (String name : names) {
      LocalRelation rows = DriverViews.find(name);
      if (rows != null) {
        inputs.add(rows);
      }
    }
    boolean areKnown = !names.isEmpty() && inputs.size() == names.size();
    this.key =
        areKnown
            ? new Key(
                numbered,
                inputs.stream().map(LocalRelation::schema).toList(),
                CollectionConverters.asJava(session.conf().getAll()))
            : null;
  }

  /** Whether the views that it names are all known, and have no more rows than that. */
  boolean readsFew(long fewRows) {
    return key != null && inputs.stream().mapToLong(PreparedQueries::count).sum() <= fewRows;
  }

  /** Null if it was not prepared yet. */
  PreparedQuery find() {
    return PLANS.getIfPresent(key);
  }

  void keep(PreparedQuery prepared) {
    PLANS.put(key, prepared);
  }

  List<LocalRelation> inputs() {
    return inputs;
  }

  private static long count(LocalRelation relation) {
    return CollectionConverters.asJava(relation.data()).size();
  }

  static InternalRow[] rows(LocalRelation relation) {
    return CollectionConverters.asJava(relation.data()).toArray(InternalRow[]::new);
  }
}
