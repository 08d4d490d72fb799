package headrace.commit;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.transforms.Transform;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * The one partition that a commit may touch, so that refreshes of different partitions can commit
 * one after the other without being computed again.
 */
public final class PartitionScope {
  /** In the summary of each commit that touches one partition alone. */
  static final String KEY = "headrace.partition";

  private final String key;
  private final Map<String, String> values;

  /** Columns and values, given as JSON; the key is what a summary says of this partition. */
  public PartitionScope(String key, String values) throws IOException {
    this.key = key;
    this.values = Summaries.read(values);
  }

  /** Whether all commits after a snapshot, which may be null, are of other partitions. */
  boolean isUntouchedSince(Long snapshot, TableMetadata metadata) {
    return isLeftAlone(snapshot, metadata, false);
  }

  /** Whether all commits after a snapshot are of other partitions, or change no row. */
  boolean isLeftAloneSince(Long snapshot, TableMetadata metadata) {
    return isLeftAlone(snapshot, metadata, true);
  }

  private boolean isLeftAlone(Long snapshot, TableMetadata metadata, boolean mayBeRewritten) {
    Snapshot at = metadata.currentSnapshot();
    while (at != null && !Objects.equals(at.snapshotId(), snapshot)) {
      String touched = at.summary().get(KEY);
      boolean isRewrite = mayBeRewritten && DataOperations.REPLACE.equals(at.operation());
      if (!isRewrite && (touched == null || touched.equals(key))) {
        return false;
      }
      at = at.parentId() == null ? null : metadata.snapshot(at.parentId());
    }
    return at != null || snapshot == null;
  }

  /** The values of another partition that the newest snapshot touches; null if there is none. */
  String touchedOutside(TableMetadata metadata, FileIO io) {
    Snapshot made = metadata.currentSnapshot();
    @SuppressWarnings("deprecation") // SnapshotChanges reads only what a table has committed
    var touched =
        List.of(
            made.addedDataFiles(io),
            made.removedDataFiles(io),
            made.addedDeleteFiles(io),
            made.removedDeleteFiles(io));
    for (Iterable<? extends ContentFile<?>> files : touched) {
      for (ContentFile<?> file : files) {
        String found = outside(file, metadata);
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }

  private String outside(ContentFile<?> file, TableMetadata metadata) {
    var expected = new HashMap<>(values);
    List<PartitionField> fields = metadata.spec(file.specId()).fields();
    for (int place = 0; place < fields.size(); place++) {
      PartitionField field = fields.get(place);
      Types.NestedField column = metadata.schema().findField(field.sourceId());
      if (column != null && field.transform().isIdentity() && expected.containsKey(column.name())) {
        Object value = file.partition().get(place, Object.class);
        if (!isSame(column.type(), value, expected.remove(column.name()))) {
          return column.name() + " = " + shown(field, column.type(), value);
        }
      }
    }
    return expected.isEmpty() ? null : "another way to partition";
  }

  @SuppressWarnings("unchecked")
  private static String shown(PartitionField field, Type type, Object value) {
    return ((Transform<?, Object>) field.transform()).toHumanString(type, value);
  }

  private static boolean isSame(Type type, Object value, String expected) {
    if (value == null || expected == null) {
      return value == null && expected == null;
    }
    var comparator = Comparators.<Object>forType(type.asPrimitiveType());
    return comparator.compare(value, Conversions.fromPartitionString(type, expected)) == 0;
  }
}
