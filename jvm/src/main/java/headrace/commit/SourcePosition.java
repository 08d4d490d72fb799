package headrace.commit;

import java.util.Map;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.exceptions.ValidationException;

/**
 * How far a source has been read into a table, as the table itself says.
 *
 * <p>The commit that brings the rows has the position in the summary of its snapshot, so a table
 * that is restored to an earlier version has the position of that version. The same commit sets a
 * property of the table, which is there when all snapshots with a position have expired.
 */
final class SourcePosition {
  private SourcePosition() {}

  /** Null if nothing was read into this table, or it was replaced by a new one since. */
  static String of(TableMetadata metadata, String key) {
    Snapshot oldest = null;
    for (Snapshot at = metadata.currentSnapshot(); at != null; at = parent(metadata, at)) {
      String found = at.summary().get(key);
      if (found != null) {
        return found;
      }
      oldest = at;
    }
    boolean isComplete = oldest == null || oldest.parentId() == null;
    return isComplete ? null : kept(metadata, key, oldest);
  }

  /** Of a snapshot that has expired. */
  private static String kept(TableMetadata metadata, String key, Snapshot oldest) {
    String kept = metadata.properties().get(key);
    if (kept == null) {
      return null;
    }
    int end = kept.indexOf(' ');
    if (Long.parseLong(kept.substring(0, end)) >= oldest.sequenceNumber()) {
      throw new ValidationException("the position of this version is lost");
    }
    return kept.substring(end + 1);
  }

  /** The metadata with the position as a property, too. */
  static TableMetadata keep(TableMetadata metadata, String key, String position) {
    String kept = metadata.currentSnapshot().sequenceNumber() + " " + position;
    return TableMetadata.buildFrom(metadata).setProperties(Map.of(key, kept)).build();
  }

  static TableMetadata metadata(Table table) {
    return ((HasTableOperations) table).operations().current();
  }

  private static Snapshot parent(TableMetadata metadata, Snapshot child) {
    return child.parentId() == null ? null : metadata.snapshot(child.parentId());
  }
}
