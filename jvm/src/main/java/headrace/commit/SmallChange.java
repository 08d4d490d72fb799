package headrace.commit;

import headrace.lookup.DeleteLoaders;
import headrace.manifests.FileWithDeletes;
import headrace.manifests.SnapshotFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.formats.FormatModelRegistry;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.DeleteWriteResult;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.relocated.com.google.common.util.concurrent.MoreExecutors;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.util.ContentFileUtil;
import org.apache.iceberg.util.JsonUtil;
import org.apache.iceberg.util.Tasks;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/**
 * Rows in the driver's memory, written to a table in one commit, because a Spark job costs more
 * than the rows of a small change.
 *
 * <p>After the columns of the table each row has: what is to be done (insert, update, delete), and
 * the file, the position and the id of the row that it replaces or removes.
 */
public final class SmallChange {
  /** Iceberg looks every 10 ms whether other threads are done. */
  private static final ExecutorService IN_THIS_THREAD = MoreExecutors.newDirectExecutorService();

  private final Table table;
  private final StructType columns;
  private final int width;
  private final List<String> written = new ArrayList<>();
  private final List<DataFile> newFiles = new ArrayList<>();
  private InternalRow[] placed;
  private long bytes;

  public SmallChange(GuardedTable target) {
    this.table = target.direct();
    this.columns = SparkSchemaUtil.convert(table.schema());
    this.width = columns.length();
  }

  /** Of the files written. */
  public long bytes() {
    return bytes;
  }

  /** Whether a row, as told apart by these columns, is there twice. */
  public boolean repeats(InternalRow[] rows, String keys) throws IOException {
    int[] places = JsonUtil.mapper().readValue(keys, int[].class);
    var seen = new HashSet<List<Object>>();
    for (InternalRow row : rows) {
      if (!seen.add(key(row, places))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Gives rows the places of the old rows that have the same keys, which are the first columns of
   * those, before file, position and id. What is wrong, or null: then the rows are placed.
   */
  public String place(InternalRow[] rows, InternalRow[] old, String keys) throws IOException {
    int[] places = JsonUtil.mapper().readValue(keys, int[].class);
    var known = new HashMap<List<Object>, InternalRow>();
    for (InternalRow row : old) {
      var key = new ArrayList<Object>();
      for (int i = 0; i < places.length; i++) {
        key.add(comparable(row.isNullAt(i) ? null : row.get(i, type(places[i]))));
      }
      if (known.put(key, row) != null) {
        return "twice";
      }
    }
    placed = new InternalRow[rows.length];
    for (int i = 0; i < rows.length; i++) {
      InternalRow replaced = known.get(key(rows[i], places));
      boolean isNew = "insert".equals(action(rows[i]));
      if (isNew != (replaced == null)) {
        return isNew ? "there" : "missing";
      }
      placed[i] = isNew ? rows[i] : withPlace(rows[i], replaced, places.length);
    }
    return null;
  }

  public InternalRow[] placed() {
    return placed;
  }

  private InternalRow withPlace(InternalRow row, InternalRow old, int start) {
    var values = new Object[width + 4];
    for (int i = 0; i < width; i++) {
      values[i] = value(row, i);
    }
    values[width] = row.getUTF8String(width);
    values[width + 1] = old.getUTF8String(start);
    values[width + 2] = old.getLong(start + 1);
    values[width + 3] = old.isNullAt(start + 2) ? null : old.getLong(start + 2);
    return new GenericInternalRow(values);
  }

  private List<Object> key(InternalRow row, int[] places) {
    var key = new ArrayList<Object>();
    for (int place : places) {
      key.add(comparable(value(row, place)));
    }
    return key;
  }

  private DataType type(int place) {
    return columns.fields()[place].dataType();
  }

  private static Object comparable(Object value) {
    return value instanceof byte[] binary ? ByteBuffer.wrap(binary) : value;
  }

  public void commit(InternalRow[] rows, String summary) throws IOException {
    try {
      writeRows(rows);
      Map<String, List<Long>> replaced = positions(rows);
      if (replaced.isEmpty()) {
        append(summary);
      } else {
        commitDelta(replaced, summary);
      }
    } catch (CommitStateUnknownException unknown) {
      throw unknown;
    } catch (RuntimeException | IOException failed) {
      removeFiles();
      throw failed;
    }
  }

  private void append(String summary) throws IOException {
    AppendFiles append = table.newAppend();
    newFiles.forEach(append::appendFile);
    commit(append, summary);
  }

  private void commitDelta(Map<String, List<Long>> replaced, String summary) throws IOException {
    RowDelta delta = table.newRowDelta().validateFromSnapshot(table.currentSnapshot().snapshotId());
    newFiles.forEach(delta::addRows);
    Map<String, FileWithDeletes> current = current(replaced.keySet());
    removeEmptied(delta, replaced, current);
    DeleteWriteResult deletes = writeVectors(replaced, current);
    deletes.deleteFiles().forEach(delta::addDeletes);
    deletes.rewrittenDeleteFiles().forEach(delta::removeDeletes);
    commit(delta, summary);
  }

  private static void commit(SnapshotUpdate<?> update, String summary) throws IOException {
    update.scanManifestsWith(IN_THIS_THREAD);
    Summaries.commit(update, summary);
  }

  /** What cannot be removed is an orphan, which changes nothing. */
  private void removeFiles() {
    Tasks.foreach(written).suppressFailureWhenFinished().run(table.io()::deleteFile);
  }

  /**
   * By partition, one file each; a row that is updated keeps its id. One writer at a time: each has
   * buffers for all columns, and there may be as many partitions as rows.
   */
  private void writeRows(InternalRow[] rows) throws IOException {
    for (var partition : byPartition(rows).entrySet()) {
      DataWriter<InternalRow> writer = newWriter(partition.getKey());
      try (writer) {
        for (InternalRow row : partition.getValue()) {
          writer.write(withLineage(row));
        }
      }
      DataFile file = writer.toDataFile();
      bytes += file.fileSizeInBytes();
      newFiles.add(file);
    }
  }

  private Map<PartitionKey, List<InternalRow>> byPartition(InternalRow[] rows) {
    var partitioned = new PartitionedRow(columns, table.schema().asStruct());
    var key = new PartitionKey(table.spec(), table.schema());
    var found = new LinkedHashMap<PartitionKey, List<InternalRow>>();
    for (InternalRow row : rows) {
      if (!"delete".equals(action(row))) {
        key.partition(partitioned.wrap(row));
        List<InternalRow> own = found.get(key);
        if (own == null) {
          own = new ArrayList<>();
          found.put(key.copy(), own);
        }
        own.add(row);
      }
    }
    return found;
  }

  private DataWriter<InternalRow> newWriter(PartitionKey partition) throws IOException {
    String name =
        table
            .properties()
            .getOrDefault(
                TableProperties.DEFAULT_FILE_FORMAT, TableProperties.DEFAULT_FILE_FORMAT_DEFAULT);
    FileFormat format = FileFormat.fromString(name);
    OutputFileFactory files =
        OutputFileFactory.builderFor(table, newFiles.size(), 0L).format(format).build();
    boolean isPartitioned = table.spec().isPartitioned();
    EncryptedOutputFile file =
        isPartitioned ? files.newOutputFile(partition) : files.newOutputFile();
    written.add(file.encryptingOutputFile().location());
    Schema schema = MetadataColumns.schemaWithRowLineage(table.schema());
    return FormatModelRegistry.<InternalRow, StructType>dataWriteBuilder(
            format, InternalRow.class, file)
        .setAll(table.properties())
        .metricsConfig(MetricsConfig.forTable(table))
        .schema(schema)
        .engineSchema(SparkSchemaUtil.convert(schema))
        .spec(table.spec())
        .partition(isPartitioned ? partition : null)
        .keyMetadata(file.keyMetadata())
        .overwrite()
        .build();
  }

  private InternalRow withLineage(InternalRow row) {
    var values = new Object[width + 2];
    for (int i = 0; i < width; i++) {
      values[i] = value(row, i);
    }
    values[width] = row.isNullAt(width + 3) ? null : row.getLong(width + 3);
    return new GenericInternalRow(values);
  }

  private Object value(InternalRow row, int place) {
    return row.isNullAt(place) ? null : row.get(place, type(place));
  }

  private String action(InternalRow row) {
    return row.getUTF8String(width).toString();
  }

  /** Of rows that are replaced or removed: by file. */
  private Map<String, List<Long>> positions(InternalRow[] rows) {
    var found = new HashMap<String, List<Long>>();
    for (InternalRow row : rows) {
      if (!"insert".equals(action(row))) {
        String file = row.getUTF8String(width + 1).toString();
        found.computeIfAbsent(file, each -> new ArrayList<>()).add(row.getLong(width + 2));
      }
    }
    return found;
  }

  /**
   * Files of which no row is left are taken out whole, so that rows that change often leave no
   * trail.
   */
  private static void removeEmptied(
      RowDelta delta, Map<String, List<Long>> replaced, Map<String, FileWithDeletes> current) {
    replaced
        .entrySet()
        .removeIf(
            entry -> {
              FileWithDeletes file = current.get(entry.getKey());
              boolean isEmptied = isEmptied(file, entry.getValue().size());
              if (isEmptied) {
                delta.removeRows(file.file());
                file.deletes().forEach(delta::removeDeletes);
              }
              return isEmptied;
            });
  }

  /** Known only where all deletes are vectors, which say how many rows they take out. */
  private static boolean isEmptied(FileWithDeletes file, long removed) {
    if (!file.deletes().stream().allMatch(ContentFileUtil::isDV)) {
      return false;
    }
    long deleted = file.deletes().stream().mapToLong(DeleteFile::recordCount).sum();
    return file.file().recordCount() == removed + deleted;
  }

  private DeleteWriteResult writeVectors(
      Map<String, List<Long>> replaced, Map<String, FileWithDeletes> current) throws IOException {
    DeleteLoader loader = DeleteLoaders.of(table);
    OutputFileFactory files =
        OutputFileFactory.builderFor(table, 0, 1L).format(FileFormat.PUFFIN).build();
    var writer =
        new BaseDVFileWriter(
            files,
            location -> {
              List<DeleteFile> deletes = positionDeletes(current.get(location));
              return deletes.isEmpty() ? null : loader.loadPositionDeletes(deletes, location);
            });
    try (writer) {
      replaced.forEach(
          (location, positions) -> delete(writer, current.get(location).file(), positions));
    }
    for (DeleteFile vector : writer.result().deleteFiles()) {
      bytes += vector.contentSizeInBytes();
      written.add(vector.location());
    }
    return writer.result();
  }

  private void delete(BaseDVFileWriter writer, DataFile file, List<Long> positions) {
    PartitionSpec spec = table.specs().get(file.specId());
    for (long position : positions) {
      writer.delete(file.location(), position, spec, file.partition());
    }
  }

  private static List<DeleteFile> positionDeletes(FileWithDeletes file) {
    return file.deletes().stream()
        .filter(delete -> delete.content() == FileContent.POSITION_DELETES)
        .toList();
  }

  private Map<String, FileWithDeletes> current(Set<String> files) throws IOException {
    var found = new HashMap<String, FileWithDeletes>();
    var all = new SnapshotFiles(table, Expressions.alwaysTrue()).of(table.currentSnapshot());
    for (FileWithDeletes each : all) {
      if (files.contains(each.file().location())) {
        found.put(each.file().location(), each);
      }
    }
    return found;
  }
}
