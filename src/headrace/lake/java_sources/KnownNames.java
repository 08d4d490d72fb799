package headrace;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.catalog.ViewCatalog;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.spark.sql.connector.catalog.Identifier;

/** Names as a catalog has them, found without regard to case. */
public final class KnownNames {
    private static final String DROPPED = "__hr_dropped";

    public KnownNames() {}

    /** The only table or view that is meant; null if there is none, or if there are several. */
    public static Identifier only(Catalog catalog, Identifier wanted) {
        String[] namespace = wanted.namespace();
        if (namespace.length < 1 || namespace.length > 2) {
            return null;
        }
        String schema = schema(catalog, namespace[0]);
        if (schema == null) {
            return null;
        }
        boolean isPart = namespace.length == 2;
        String table = best(relations(catalog, schema), isPart ? namespace[1] : wanted.name());
        if (table == null) {
            return null;
        }
        return isPart
                ? Identifier.of(new String[] {schema, table}, wanted.name())
                : Identifier.of(new String[] {schema}, table);
    }

    /** The schema that is meant; null if there is none, or if there are several. */
    public static String schema(Catalog catalog, String wanted) {
        SupportsNamespaces namespaces = (SupportsNamespaces) catalog;
        if (namespaces.namespaceExists(Namespace.of(new String[] {wanted}))) {
            return wanted;
        }
        List found = new ArrayList();
        for (Iterator it = namespaces.listNamespaces().iterator(); it.hasNext(); ) {
            String name = it.next().toString();
            if (!DROPPED.equals(name)) {
                found.add(name);
            }
        }
        return best(found, wanted);
    }

    /** Those that differ from the wanted name in case at most. */
    public static List alike(Catalog catalog, String schema, String wanted) {
        return alike(relations(catalog, schema), wanted);
    }

    private static List relations(Catalog catalog, String schema) {
        Namespace namespace = Namespace.of(new String[] {schema});
        try {
            List found = new ArrayList(catalog.listTables(namespace));
            if (catalog instanceof ViewCatalog) {
                found.addAll(((ViewCatalog) catalog).listViews(namespace));
            }
            List names = new ArrayList();
            for (Iterator it = found.iterator(); it.hasNext(); ) {
                names.add(((TableIdentifier) it.next()).name());
            }
            return names;
        } catch (NoSuchNamespaceException missing) {
            return Collections.EMPTY_LIST;
        }
    }

    private static String best(List names, String wanted) {
        if (names.contains(wanted)) {
            return wanted;
        }
        List found = alike(names, wanted);
        return found.size() == 1 ? (String) found.get(0) : null;
    }

    private static List alike(List names, String wanted) {
        List found = new ArrayList();
        for (Iterator it = names.iterator(); it.hasNext(); ) {
            String name = (String) it.next();
            if (name.equalsIgnoreCase(wanted)) {
                found.add(name);
            }
        }
        return found;
    }
}
