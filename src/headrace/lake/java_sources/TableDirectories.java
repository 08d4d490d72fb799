package headrace;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NotFoundException;

/** Where the tables of a catalog have their files: no two of them in one directory, or one below the other. */
public final class TableDirectories {
    private static final String[] PLACES = {
        "location",
        "write.data.path",
        "write.metadata.path",
        "write.object-storage.path",
        "write.folder-storage.path"
    };

    private final Catalog catalog;

    public TableDirectories(Catalog catalog) {
        this.catalog = catalog;
    }

    /** Those that properties name. */
    public static List named(Map properties) {
        List found = new ArrayList();
        for (int i = 0; i < PLACES.length; i++) {
            Object place = properties.get(PLACES[i]);
            if (place != null) {
                found.add(place);
            }
        }
        return found;
    }

    /** Throws unless the directories of a table are its own. */
    public void expectOwn(TableIdentifier name) {
        expectFree(name, directories(catalog.loadTable(name)));
    }

    /** Throws if another table than the named one has files in one of these directories, or may have. */
    public void expectFree(TableIdentifier name, List wanted) {
        Iterator namespaces = ((SupportsNamespaces) catalog).listNamespaces().iterator();
        while (namespaces.hasNext() && !wanted.isEmpty()) {
            Iterator tables = catalog.listTables((Namespace) namespaces.next()).iterator();
            while (tables.hasNext()) {
                TableIdentifier other = (TableIdentifier) tables.next();
                if (!other.equals(name) && overlap(wanted, directoriesOf(other))) {
                    throw new DirectoryConflict(
                            "the directory of " + name + " overlaps with that of the table " + other);
                }
            }
        }
    }

    private List directoriesOf(TableIdentifier name) {
        try {
            return directories(catalog.loadTable(name));
        } catch (NoSuchTableException dropped) {
            return new ArrayList();
        } catch (NotFoundException withoutMetadata) {
            return new ArrayList();
        }
    }

    private static List directories(Table table) {
        List found = named(table.properties());
        found.add(table.location());
        return found;
    }

    private static boolean overlap(List some, List others) {
        for (Iterator one = some.iterator(); one.hasNext(); ) {
            String directory = plain((String) one.next());
            for (Iterator two = others.iterator(); two.hasNext(); ) {
                String other = plain((String) two.next());
                if (directory.startsWith(other) || other.startsWith(directory)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Without a scheme, "." and "..", and with a slash at its end. */
    private static String plain(String location) {
        int scheme = location.indexOf(":/");
        String path = scheme < 0 ? location : location.substring(scheme + 1);
        return java.nio.file.Paths.get(path.replaceAll("^/+", "/"), new String[0]).normalize() + "/";
    }
}
