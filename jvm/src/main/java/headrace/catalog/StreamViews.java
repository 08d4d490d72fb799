package headrace.catalog;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.View;
import org.apache.spark.sql.types.StructType;

/**
 * The table streams that the statement of this thread reads, each as a view of its rows: no other
 * statement may see them, as each has its own rows.
 */
public final class StreamViews {
  private static final ThreadLocal<Map<Name, StreamView>> SHOWN = new ThreadLocal<>();

  private StreamViews() {}

  /** Until {@link #hide} is called, in this thread. */
  public static void show(String schema, String name, String query, String columns) {
    if (SHOWN.get() == null) {
      SHOWN.set(new HashMap<>());
    }
    var view = new StreamView(schema, name, query, StructType.fromDDL(columns));
    SHOWN.get().put(new Name(schema, name), view);
  }

  /** All that this thread shows. */
  public static void hide() {
    SHOWN.remove();
  }

  /** Null if there is none. */
  static View find(Identifier identifier) {
    String[] namespace = identifier.namespace();
    return namespace.length == 1 ? shown().get(new Name(namespace[0], identifier.name())) : null;
  }

  /**
   * The only one whose name differs from this in case; null if there is none, or if there are
   * several.
   */
  static View findAlike(Identifier identifier) {
    String[] namespace = identifier.namespace();
    if (namespace.length != 1) {
      return null;
    }
    List<StreamView> found =
        shown().values().stream()
            .filter(view -> view.isNamedLike(namespace[0], identifier.name()))
            .toList();
    return found.size() == 1 ? found.get(0) : null;
  }

  private static Map<Name, StreamView> shown() {
    Map<Name, StreamView> shown = SHOWN.get();
    return shown == null ? Map.of() : shown;
  }

  private record Name(String schema, String name) {}

  /** A view without an entry in the catalog. */
  private static final class StreamView implements View {
    private final String schema;
    private final String name;
    private final String query;
    private final StructType columns;

    StreamView(String schema, String name, String query, StructType columns) {
      this.schema = schema;
      this.name = name;
      this.query = query;
      this.columns = columns;
    }

    boolean isNamedLike(String otherSchema, String otherName) {
      return schema.equalsIgnoreCase(otherSchema) && name.equalsIgnoreCase(otherName);
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public String query() {
      return query;
    }

    @Override
    public String currentCatalog() {
      return "lake";
    }

    @Override
    public String[] currentNamespace() {
      return new String[] {schema};
    }

    @Override
    public StructType schema() {
      return columns;
    }

    @Override
    public String[] queryColumnNames() {
      return columns.fieldNames();
    }

    @Override
    public String[] columnAliases() {
      return new String[0];
    }

    @Override
    public String[] columnComments() {
      return new String[0];
    }

    @Override
    public Map<String, String> properties() {
      return Map.of();
    }
  }
}
