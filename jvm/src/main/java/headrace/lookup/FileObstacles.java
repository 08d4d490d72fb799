package headrace.lookup;

import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.types.Types;
import org.apache.parquet.CorruptDeltaByteArrays;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.execution.datasources.parquet.ParquetReadSupport;

/** Why a data file cannot be read by pages with the same result as by Iceberg. */
public final class FileObstacles {
  private FileObstacles() {}

  /** Known without opening it. */
  public static void check(DataFile file, List<DeleteFile> deletes) throws Obstacle {
    if (file.format() != FileFormat.PARQUET) {
      throw new Obstacle("a data file has the format " + file.format());
    }
    if (file.keyMetadata() != null) {
      throw new Obstacle("a data file is encrypted");
    }
    for (DeleteFile delete : deletes) {
      if (delete.content() == FileContent.EQUALITY_DELETES) {
        throw new Obstacle("a data file has equality deletes");
      }
    }
  }

  /** Known from its footer. */
  static void check(IndexedFile file, PartitionSpec spec, List<Types.NestedField> fields)
      throws Obstacle {
    if (CorruptDeltaByteArrays.requiresSequentialReads(
        file.createdBy(), Encoding.DELTA_BYTE_ARRAY)) {
      throw new Obstacle("a data file was written by " + file.createdBy());
    }
    MessageType stored = file.schema();
    if (!ParquetReadSupport.containsFieldIds(stored)) {
      throw new Obstacle("a data file has no field IDs");
    }
    for (Types.NestedField field : fields) {
      String reason = StoredFields.obstacle(stored, field);
      if (reason != null) {
        throw new Obstacle(reason);
      }
      if (StoredFields.find(stored, field) == null && isPartition(spec, field)) {
        throw new Obstacle("column " + field.name() + " is stored as a partition only");
      }
    }
  }

  private static boolean isPartition(PartitionSpec spec, Types.NestedField field) {
    return spec.getFieldsBySourceId(field.fieldId()).stream()
        .map(PartitionField::transform)
        .anyMatch(transform -> transform.isIdentity());
  }
}
