package headrace.catalog;

import java.util.List;
import java.util.stream.Stream;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.catalog.ViewCatalog;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.spark.sql.connector.catalog.Identifier;

/** Finds names as a catalog spells them, because Iceberg's catalogs know only exact spellings. */
final class CaseInsensitiveNames {
  private static final String DROPPED = "__hr_dropped";

  private CaseInsensitiveNames() {}

  /** The only table or view that is meant; null if there is none, or if there are several. */
  static Identifier resolve(Catalog catalog, Identifier wanted) {
    String[] namespace = wanted.namespace();
    if (namespace.length < 1 || namespace.length > 2) {
      return null;
    }
    String schema = resolveSchema(catalog, namespace[0]);
    if (schema == null) {
      return null;
    }
    boolean isMetadataTable = namespace.length == 2;
    String table = best(relations(catalog, schema), isMetadataTable ? namespace[1] : wanted.name());
    if (table == null) {
      return null;
    }
    return isMetadataTable
        ? Identifier.of(new String[] {schema, table}, wanted.name())
        : Identifier.of(new String[] {schema}, table);
  }

  /** The schema that is meant; null if there is none, or if there are several. */
  static String resolveSchema(Catalog catalog, String wanted) {
    var namespaces = (SupportsNamespaces) catalog;
    if (namespaces.namespaceExists(Namespace.of(wanted))) {
      return wanted;
    }
    var schemas =
        namespaces.listNamespaces().stream()
            .map(Namespace::toString)
            .filter(name -> !DROPPED.equals(name));
    return best(schemas.toList(), wanted);
  }

  /** Tables and views whose names differ from the wanted one in case at most. */
  static List<String> alike(Catalog catalog, String schema, String wanted) {
    return alike(relations(catalog, schema), wanted);
  }

  private static List<String> relations(Catalog catalog, String schema) {
    Namespace namespace = Namespace.of(schema);
    try {
      var tables = catalog.listTables(namespace).stream();
      var views =
          catalog instanceof ViewCatalog viewCatalog
              ? viewCatalog.listViews(namespace).stream()
              : Stream.<TableIdentifier>empty();
      return Stream.concat(tables, views).map(TableIdentifier::name).toList();
    } catch (NoSuchNamespaceException missing) {
      return List.of();
    }
  }

  private static String best(List<String> names, String wanted) {
    if (names.contains(wanted)) {
      return wanted;
    }
    List<String> found = alike(names, wanted);
    return found.size() == 1 ? found.get(0) : null;
  }

  private static List<String> alike(List<String> names, String wanted) {
    return names.stream().filter(name -> name.equalsIgnoreCase(wanted)).toList();
  }
}
