package headrace;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.util.DeleteFileSet;
import org.apache.iceberg.util.PartitionSet;

/** Reads the manifests of a table. */
public final class Manifests {
    private static final List DATA_COLUMNS =
            Arrays.asList(
                    new String[] {
                        "content", "file_path", "file_format", "partition", "record_count", "file_size_in_bytes",
                        "key_metadata", "split_offsets", "sort_order_id", "first_row_id"
                    });

    private final Table table;

    public Manifests(Table table) {
        this.table = table;
    }

    /** By location and first row id, which a manifest is given anew when a table gets lineage. */
    public Map of(Snapshot snapshot) {
        Map found = new LinkedHashMap();
        if (snapshot != null) {
            for (Iterator it = snapshot.allManifests(table.io()).iterator(); it.hasNext(); ) {
                ManifestFile manifest = (ManifestFile) it.next();
                found.put(manifest.path() + " " + manifest.firstRowId(), manifest);
            }
        }
        return found;
    }

    /** Live files by their location. */
    public Map dataFiles(Collection manifests) throws IOException {
        Map found = new LinkedHashMap();
        for (Iterator it = manifests.iterator(); it.hasNext(); ) {
            ManifestFile manifest = (ManifestFile) it.next();
            if (manifest.content() == ManifestContent.DATA) {
                ManifestReader reader = ManifestFiles.read(manifest, table.io(), table.specs());
                collect(reader.select(DATA_COLUMNS), found, null);
            }
        }
        return found;
    }

    /** Of those that are wanted, unless all are. */
    private static void collect(ManifestReader reader, Map found, Set wanted) throws IOException {
        try {
            for (Iterator it = reader.iterator(); it.hasNext(); ) {
                DataFile file = (DataFile) it.next();
                if (wanted == null || wanted.contains(file.location())) {
                    found.put(file.location(), file);
                }
            }
        } finally {
            reader.close();
        }
    }

    public DeleteFileSet deletes(Collection manifests) throws IOException {
        DeleteFileSet found = DeleteFileSet.create();
        for (Iterator it = manifests.iterator(); it.hasNext(); ) {
            ManifestFile manifest = (ManifestFile) it.next();
            if (manifest.content() == ManifestContent.DELETES) {
                ManifestReader reader = ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs());
                try {
                    for (Iterator files = reader.iterator(); files.hasNext(); ) {
                        found.add(files.next());
                    }
                } finally {
                    reader.close();
                }
            }
        }
        return found;
    }

    /** Of the wanted files those that are live, looking only into the partitions of their vectors. */
    public Map find(Set wanted, DeleteFileSet vectors, Collection manifests) throws IOException {
        PartitionSet partitions = PartitionSet.create(table.specs());
        for (Iterator it = vectors.iterator(); it.hasNext(); ) {
            DeleteFile vector = (DeleteFile) it.next();
            partitions.add(vector.specId(), vector.partition());
        }
        Map found = new LinkedHashMap();
        for (Iterator it = manifests.iterator(); it.hasNext() && found.size() < wanted.size(); ) {
            ManifestFile manifest = (ManifestFile) it.next();
            if (manifest.content() == ManifestContent.DATA) {
                ManifestReader reader = ManifestFiles.read(manifest, table.io(), table.specs());
                collect(reader.select(DATA_COLUMNS).filterPartitions(partitions), found, wanted);
            }
        }
        return found;
    }
}
