package headrace.commit;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.formats.FormatModelRegistry;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.relocated.com.google.common.util.concurrent.MoreExecutors;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.util.Tasks;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.ArrowUtils;
import org.apache.spark.sql.vectorized.ArrowColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Rows of an Arrow stream in a file, appended to a table in one commit by this process, without a
 * Spark job. They are read batch by batch, so that memory does not grow with their number.
 */
public final class StreamedRows {
  /** Each open file of a partition has buffers for all columns. */
  private static final int MOST_OPEN = 32;

  private final PositionedTable target;
  private final Table table;
  private final StructType columns;
  private final FileFormat format;
  private final OutputFileFactory files;
  private final Map<PartitionKey, DataWriter<InternalRow>> open = new HashMap<>();
  private final List<DataFile> written = new ArrayList<>();
  private final List<String> locations = new ArrayList<>();

  public StreamedRows(PositionedTable target) {
    this.target = target;
    this.table = target.direct();
    this.columns = SparkSchemaUtil.convert(table.schema());
    String name =
        table
            .properties()
            .getOrDefault(
                TableProperties.DEFAULT_FILE_FORMAT, TableProperties.DEFAULT_FILE_FORMAT_DEFAULT);
    this.format = FileFormat.fromString(name);
    this.files = OutputFileFactory.builderFor(table, 0, 0L).format(format).build();
  }

  /** The columns of the stream are those of the table, in their order. */
  public void append(String arrowFile) throws IOException {
    try {
      writeFiles(Path.of(arrowFile));
      AppendFiles append = table.newAppend();
      written.forEach(append::appendFile);
      append.scanManifestsWith(MoreExecutors.newDirectExecutorService());
      target.mark(append);
      append.commit();
    } catch (CommitStateUnknownException unknown) {
      throw unknown;
    } catch (RuntimeException | IOException failed) {
      removeFiles();
      throw failed;
    }
  }

  private void writeFiles(Path arrowFile) throws IOException {
    try (BufferAllocator allocator =
            ArrowUtils.rootAllocator().newChildAllocator("streamed rows", 0, Long.MAX_VALUE);
        var input = new BufferedInputStream(Files.newInputStream(arrowFile), 1 << 20);
        var reader = new ArrowStreamReader(input, allocator)) {
      VectorSchemaRoot root = reader.getVectorSchemaRoot();
      while (reader.loadNextBatch()) {
        writeBatch(root);
      }
      closeWriters();
    } finally {
      for (DataWriter<InternalRow> writer : open.values()) {
        writer.close();
      }
    }
  }

  private void writeBatch(VectorSchemaRoot root) throws IOException {
    ColumnVector[] vectors =
        root.getFieldVectors().stream()
            .map((FieldVector each) -> new ArrowColumnVector(each))
            .toArray(ColumnVector[]::new);
    var batch = new ColumnarBatch(vectors, root.getRowCount());
    var partitioned = new PartitionedRow(columns, table.schema().asStruct());
    var key = new PartitionKey(table.spec(), table.schema());
    for (Iterator<InternalRow> rows = batch.rowIterator(); rows.hasNext(); ) {
      InternalRow row = row(rows.next(), columns);
      key.partition(partitioned.wrap(row));
      writer(key).write(row);
    }
  }

  /** With NULL where Arrow's row has none: that one refuses to be asked for such a value. */
  private static InternalRow row(SpecializedGetters row, StructType type) {
    var values = new Object[type.length()];
    for (int i = 0; i < values.length; i++) {
      values[i] = value(row, i, type.fields()[i].dataType());
    }
    return new GenericInternalRow(values);
  }

  private static Object value(SpecializedGetters from, int place, DataType type) {
    if (from.isNullAt(place)) {
      return null;
    }
    if (type instanceof StructType struct) {
      return row(from.getStruct(place, struct.length()), struct);
    }
    if (type instanceof ArrayType array) {
      return array(from.getArray(place), array.elementType());
    }
    if (type instanceof MapType map) {
      MapData entries = from.getMap(place);
      return new ArrayBasedMapData(
          array(entries.keyArray(), map.keyType()), array(entries.valueArray(), map.valueType()));
    }
    return from.get(place, type);
  }

  private static ArrayData array(ArrayData elements, DataType type) {
    var values = new Object[elements.numElements()];
    for (int i = 0; i < values.length; i++) {
      values[i] = value(elements, i, type);
    }
    return new GenericArrayData(values);
  }

  private DataWriter<InternalRow> writer(PartitionKey key) throws IOException {
    DataWriter<InternalRow> found = open.get(key);
    if (found == null) {
      if (open.size() == MOST_OPEN) {
        closeWriters();
      }
      PartitionKey kept = key.copy();
      found = newWriter(kept);
      open.put(kept, found);
    }
    return found;
  }

  private void closeWriters() throws IOException {
    for (DataWriter<InternalRow> writer : open.values()) {
      writer.close();
      written.add(writer.toDataFile());
    }
    open.clear();
  }

  private DataWriter<InternalRow> newWriter(PartitionKey partition) throws IOException {
    boolean isPartitioned = table.spec().isPartitioned();
    EncryptedOutputFile file =
        isPartitioned ? files.newOutputFile(partition) : files.newOutputFile();
    locations.add(file.encryptingOutputFile().location());
    return FormatModelRegistry.<InternalRow, StructType>dataWriteBuilder(
            format, InternalRow.class, file)
        .setAll(table.properties())
        .metricsConfig(MetricsConfig.forTable(table))
        .schema(table.schema())
        .engineSchema(columns)
        .spec(table.spec())
        .partition(isPartitioned ? partition : null)
        .keyMetadata(file.keyMetadata())
        .overwrite()
        .build();
  }

  /** What cannot be removed is an orphan, which changes nothing. */
  private void removeFiles() {
    Tasks.foreach(locations).suppressFailureWhenFinished().run(table.io()::deleteFile);
  }
}
