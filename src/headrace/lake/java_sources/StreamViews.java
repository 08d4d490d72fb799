package headrace;

import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.View;
import org.apache.spark.sql.types.StructType;

/** The table streams that the statement of this thread reads, each as a view of its rows. */
public final class StreamViews {
    private static final ThreadLocal SHOWN = new ThreadLocal();

    public StreamViews() {}

    public void show(String schema, String name, String query, String columns) {
        Map shown = (Map) SHOWN.get();
        if (shown == null) {
            shown = new HashMap();
            SHOWN.set(shown);
        }
        shown.put(key(schema, name), new StreamView(schema, name, query, StructType.fromDDL(columns)));
    }

    public void hide() {
        SHOWN.remove();
    }

    /** Null if there is none. */
    public static View find(Identifier identifier) {
        Map shown = (Map) SHOWN.get();
        if (shown == null || identifier.namespace().length != 1) {
            return null;
        }
        return (View) shown.get(key(identifier.namespace()[0], identifier.name()));
    }

    /** The only one whose name differs from this in case; null if there is none, or if there are several. */
    public static View findAlike(Identifier identifier) {
        Map shown = (Map) SHOWN.get();
        if (shown == null || identifier.namespace().length != 1) {
            return null;
        }
        StreamView found = null;
        for (Iterator it = shown.values().iterator(); it.hasNext(); ) {
            StreamView view = (StreamView) it.next();
            if (view.schema.equalsIgnoreCase(identifier.namespace()[0])
                    && view.name.equalsIgnoreCase(identifier.name())) {
                if (found != null) {
                    return null;
                }
                found = view;
            }
        }
        return found;
    }

    private static String key(String schema, String name) {
        return schema.length() + ":" + schema + name;
    }

    public static final class StreamView implements View {
        private final String schema;
        private final String name;
        private final String query;
        private final StructType columns;

        public StreamView(String schema, String name, String query, StructType columns) {
            this.schema = schema;
            this.name = name;
            this.query = query;
            this.columns = columns;
        }

        public String name() {
            return name;
        }

        public String query() {
            return query;
        }

        public String currentCatalog() {
            return "lake";
        }

        public String[] currentNamespace() {
            return new String[] {schema};
        }

        public StructType schema() {
            return columns;
        }

        public String[] queryColumnNames() {
            return columns.fieldNames();
        }

        public String[] columnAliases() {
            return new String[0];
        }

        public String[] columnComments() {
            return new String[0];
        }

        public Map properties() {
            return Collections.emptyMap();
        }
    }
}
