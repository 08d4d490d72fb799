package headrace;

import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.JsonUtil;

/** The one partition that a commit may touch, and what other commits may have touched meanwhile. */
public final class OnePartition {
    /** In the summary of each commit that touches one partition alone. */
    private static final String KEY = "headrace.partition";

    private final String key;
    private final Map values;

    /** Columns and values, given as JSON; the key is what a summary says of this partition. */
    public OnePartition(String key, String values) throws IOException {
        this.key = key;
        this.values = (Map) JsonUtil.mapper().readValue(values, Map.class);
    }

    /** Whether all commits after a snapshot, which may be null, are of other partitions. */
    public boolean isUntouchedSince(Long snapshot, TableMetadata metadata) {
        return isLeftAlone(snapshot, metadata, false);
    }

    private boolean isLeftAlone(Long snapshot, TableMetadata metadata, boolean mayBeRewritten) {
        Snapshot at = metadata.currentSnapshot();
        while (at != null && !Objects.equals(Long.valueOf(at.snapshotId()), snapshot)) {
            String touched = (String) at.summary().get(KEY);
            boolean isRewrite = mayBeRewritten && DataOperations.REPLACE.equals(at.operation());
            if (!isRewrite && (touched == null || touched.equals(key))) {
                return false;
            }
            at = at.parentId() == null ? null : metadata.snapshot(at.parentId().longValue());
        }
        return at != null || snapshot == null;
    }

    /** Whether all commits after a snapshot are of other partitions, or change no row. */
    public boolean isLeftAloneSince(Long snapshot, TableMetadata metadata) {
        return isLeftAlone(snapshot, metadata, true);
    }

    /** The values of another partition that the newest snapshot touches; null if there is none. */
    public String touchedOutside(TableMetadata metadata, FileIO io) {
        Snapshot made = metadata.currentSnapshot();
        Iterable[] touched = {
            made.addedDataFiles(io),
            made.removedDataFiles(io),
            made.addedDeleteFiles(io),
            made.removedDeleteFiles(io)
        };
        for (int i = 0; i < touched.length; i++) {
            for (Iterator it = touched[i].iterator(); it.hasNext(); ) {
                String found = outside((ContentFile) it.next(), metadata);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    private String outside(ContentFile file, TableMetadata metadata) {
        PartitionSpec spec = metadata.spec(file.specId());
        Schema schema = metadata.schema();
        Map expected = new HashMap(values);
        List fields = spec.fields();
        for (int place = 0; place < fields.size(); place++) {
            PartitionField field = (PartitionField) fields.get(place);
            Types.NestedField column = schema.findField(field.sourceId());
            if (column != null && field.transform().isIdentity() && expected.containsKey(column.name())) {
                Object value = ((StructLike) file.partition()).get(place, Object.class);
                if (!isSame(column.type(), value, (String) expected.remove(column.name()))) {
                    return column.name() + " = " + field.transform().toHumanString(column.type(), value);
                }
            }
        }
        return expected.isEmpty() ? null : "another way to partition";
    }

    private static boolean isSame(Type type, Object value, String expected) {
        if (value == null || expected == null) {
            return value == null && expected == null;
        }
        Comparator comparator = Comparators.forType(type.asPrimitiveType());
        return comparator.compare(value, Conversions.fromPartitionString(type, expected)) == 0;
    }
}
