package headrace;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.formats.FormatModelRegistry;
import org.apache.iceberg.io.CloseableIterable;
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
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Rows in the driver's memory, written to a table in one commit without a Spark job.
 *
 * After the columns of the table each row has: what is to be done (insert, update, delete), and the file, the
 * position and the id of the row that it replaces or removes.
 */
public final class SmallChange {
    /** Iceberg looks every 10 ms whether other threads are done. */
    private static final ExecutorService IN_THIS_THREAD = MoreExecutors.newDirectExecutorService();

    private static final int FEW_MANIFESTS = 8;

    private final Table table;
    private final StructType columns;
    private final int width;
    private final List written = new ArrayList();
    private final List newFiles = new ArrayList();
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
        List places = (List) JsonUtil.mapper().readValue(keys, List.class);
        Set seen = new HashSet();
        for (int i = 0; i < rows.length; i++) {
            List key = new ArrayList();
            for (Iterator it = places.iterator(); it.hasNext(); ) {
                key.add(comparable(value(rows[i], ((Integer) it.next()).intValue())));
            }
            if (!seen.add(key)) {
                return true;
            }
        }
        return false;
    }

    private static Object comparable(Object value) {
        return value instanceof byte[] ? (Object) ByteBuffer.wrap((byte[]) value) : value;
    }

    public void commit(InternalRow[] rows, String summary) throws IOException {
        try {
            writeRows(rows);
            Map replaced = positions(rows);
            if (replaced.isEmpty()) {
                append(summary);
            } else {
                commitDelta(replaced, summary);
            }
        } catch (CommitStateUnknownException unknown) {
            throw unknown;
        } catch (RuntimeException failed) {
            removeFiles();
            throw failed;
        } catch (IOException failed) {
            removeFiles();
            throw failed;
        }
    }

    private void append(String summary) throws IOException {
        AppendFiles append = table.newAppend();
        for (Iterator it = newFiles.iterator(); it.hasNext(); ) {
            append.appendFile((DataFile) it.next());
        }
        commit(append, summary);
    }

    private void commitDelta(Map replaced, String summary) throws IOException {
        RowDelta delta = table.newRowDelta().validateFromSnapshot(table.currentSnapshot().snapshotId());
        for (Iterator it = newFiles.iterator(); it.hasNext(); ) {
            delta.addRows((DataFile) it.next());
        }
        Map tasks = tasks(replaced.keySet());
        removeEmptied(delta, replaced, tasks);
        DeleteWriteResult deletes = writeVectors(replaced, tasks);
        for (Iterator it = deletes.deleteFiles().iterator(); it.hasNext(); ) {
            delta.addDeletes((DeleteFile) it.next());
        }
        for (Iterator it = deletes.rewrittenDeleteFiles().iterator(); it.hasNext(); ) {
            delta.removeDeletes((DeleteFile) it.next());
        }
        commit(delta, summary);
    }

    private static void commit(SnapshotUpdate update, String summary) throws IOException {
        update.scanManifestsWith(IN_THIS_THREAD);
        GuardedTable.commit(update, summary);
    }

    /** What cannot be removed is an orphan, which changes nothing. */
    private void removeFiles() {
        Tasks.foreach((Iterable) written)
                .suppressFailureWhenFinished()
                .run(
                        new Tasks.Task() {
                            public void run(Object file) {
                                table.io().deleteFile((String) file);
                            }
                        });
    }

    /** By partition, one file each; a row that is updated keeps its id. */
    private void writeRows(InternalRow[] rows) throws IOException {
        PartitionedRow partitioned = new PartitionedRow(columns, table.schema().asStruct());
        PartitionKey key = new PartitionKey(table.spec(), table.schema());
        Map writers = new LinkedHashMap();
        try {
            for (int i = 0; i < rows.length; i++) {
                if (!"delete".equals(action(rows[i]))) {
                    key.partition(partitioned.wrap(rows[i]));
                    DataWriter writer = (DataWriter) writers.get(key);
                    if (writer == null) {
                        PartitionKey own = key.copy();
                        writer = newWriter(own);
                        writers.put(own, writer);
                    }
                    writer.write(withLineage(rows[i]));
                }
            }
        } finally {
            closeAll(writers);
        }
        for (Iterator it = writers.values().iterator(); it.hasNext(); ) {
            DataFile file = ((DataWriter) it.next()).toDataFile();
            bytes += file.fileSizeInBytes();
            newFiles.add(file);
        }
    }

    private static void closeAll(Map writers) throws IOException {
        for (Iterator it = writers.values().iterator(); it.hasNext(); ) {
            ((Closeable) it.next()).close();
        }
    }

    private DataWriter newWriter(PartitionKey partition) throws IOException {
        String name =
                (String)
                        table.properties()
                                .getOrDefault(
                                        TableProperties.DEFAULT_FILE_FORMAT,
                                        TableProperties.DEFAULT_FILE_FORMAT_DEFAULT);
        FileFormat format = FileFormat.fromString(name);
        OutputFileFactory files = OutputFileFactory.builderFor(table, newFiles.size(), 0L).format(format).build();
        EncryptedOutputFile file = table.spec().isPartitioned() ? files.newOutputFile(partition) : files.newOutputFile();
        written.add(file.encryptingOutputFile().location());
        Schema schema = MetadataColumns.schemaWithRowLineage(table.schema());
        return (DataWriter)
                FormatModelRegistry.dataWriteBuilder(format, InternalRow.class, file)
                        .setAll(table.properties())
                        .metricsConfig(MetricsConfig.forTable(table))
                        .schema(schema)
                        .engineSchema(SparkSchemaUtil.convert(schema))
                        .spec(table.spec())
                        .partition(table.spec().isPartitioned() ? partition : null)
                        .keyMetadata(file.keyMetadata())
                        .overwrite()
                        .build();
    }

    private InternalRow withLineage(InternalRow row) {
        Object[] values = new Object[width + 2];
        for (int i = 0; i < width; i++) {
            values[i] = value(row, i);
        }
        values[width] = row.isNullAt(width + 3) ? null : Long.valueOf(row.getLong(width + 3));
        return new GenericInternalRow(values);
    }

    private Object value(InternalRow row, int place) {
        StructField field = columns.fields()[place];
        return row.isNullAt(place) ? null : row.get(place, field.dataType());
    }

    private String action(InternalRow row) {
        return row.getUTF8String(width).toString();
    }

    /** Of rows that are replaced or removed: by file. */
    private Map positions(InternalRow[] rows) {
        Map found = new HashMap();
        for (int i = 0; i < rows.length; i++) {
            if (!"insert".equals(action(rows[i]))) {
                String file = rows[i].getUTF8String(width + 1).toString();
                if (!found.containsKey(file)) {
                    found.put(file, new ArrayList());
                }
                ((List) found.get(file)).add(Long.valueOf(rows[i].getLong(width + 2)));
            }
        }
        return found;
    }

    /** Files of which no row is left are taken out whole, so that rows that change often leave no trail. */
    private static void removeEmptied(RowDelta delta, Map replaced, Map tasks) {
        for (Iterator it = replaced.entrySet().iterator(); it.hasNext(); ) {
            Map.Entry entry = (Map.Entry) it.next();
            FileScanTask task = (FileScanTask) tasks.get(entry.getKey());
            if (isEmptied(task, ((List) entry.getValue()).size())) {
                delta.removeRows((DataFile) task.file());
                for (Iterator deletes = task.deletes().iterator(); deletes.hasNext(); ) {
                    delta.removeDeletes((DeleteFile) deletes.next());
                }
                it.remove();
            }
        }
    }

    /** Known only where all deletes are vectors, which say how many rows they take out. */
    private static boolean isEmptied(FileScanTask task, long removed) {
        long left = ((DataFile) task.file()).recordCount() - removed;
        for (Iterator it = task.deletes().iterator(); it.hasNext(); ) {
            DeleteFile delete = (DeleteFile) it.next();
            if (!ContentFileUtil.isDV(delete)) {
                return false;
            }
            left -= delete.recordCount();
        }
        return left == 0;
    }

    private DeleteWriteResult writeVectors(Map replaced, final Map tasks) throws IOException {
        final DeleteLoader loader = DeleteLoaders.of(table);
        OutputFileFactory files = OutputFileFactory.builderFor(table, 0, 1L).format(FileFormat.PUFFIN).build();
        BaseDVFileWriter writer =
                new BaseDVFileWriter(
                        files,
                        new Function() {
                            public Object apply(Object file) {
                                List deletes = byPosition((FileScanTask) tasks.get(file));
                                return deletes.isEmpty() ? null : loader.loadPositionDeletes(deletes, (String) file);
                            }
                        });
        try {
            for (Iterator it = replaced.entrySet().iterator(); it.hasNext(); ) {
                Map.Entry entry = (Map.Entry) it.next();
                delete(writer, (FileScanTask) tasks.get(entry.getKey()), (List) entry.getValue());
            }
        } finally {
            writer.close();
        }
        for (Iterator it = writer.result().deleteFiles().iterator(); it.hasNext(); ) {
            DeleteFile vector = (DeleteFile) it.next();
            bytes += vector.contentSizeInBytes().longValue();
            written.add(vector.location());
        }
        return writer.result();
    }

    private static void delete(BaseDVFileWriter writer, FileScanTask task, List positions) {
        DataFile file = (DataFile) task.file();
        for (Iterator it = positions.iterator(); it.hasNext(); ) {
            writer.delete(file.location(), ((Long) it.next()).longValue(), task.spec(), file.partition());
        }
    }

    private static List byPosition(FileScanTask task) {
        List found = new ArrayList();
        for (Iterator it = task.deletes().iterator(); it.hasNext(); ) {
            DeleteFile delete = (DeleteFile) it.next();
            if (delete.content() == FileContent.POSITION_DELETES) {
                found.add(delete);
            }
        }
        return found;
    }

    private Map tasks(Set files) throws IOException {
        Map found = new HashMap();
        TableScan scan = table.newScan();
        boolean few = table.currentSnapshot().allManifests(table.io()).size() <= FEW_MANIFESTS;
        CloseableIterable planned = (few ? (TableScan) scan.planWith(IN_THIS_THREAD) : scan).planFiles();
        try {
            for (Iterator it = planned.iterator(); it.hasNext(); ) {
                FileScanTask task = (FileScanTask) it.next();
                String location = ((DataFile) task.file()).location();
                if (files.contains(location)) {
                    found.put(location, task);
                }
            }
        } finally {
            planned.close();
        }
        return found;
    }
}
