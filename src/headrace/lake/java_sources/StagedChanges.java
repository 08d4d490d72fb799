package headrace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.spark.ScanTaskSetManager;
import org.apache.iceberg.spark.SparkTableCache;
import org.apache.iceberg.util.Tasks;
import org.apache.iceberg.util.ThreadPools;

/** A plan made readable for Spark, under the names id+ and id-. */
public final class StagedChanges {
    private final Table table;
    private final String id;
    private final List vectorFiles = new ArrayList();

    public StagedChanges(Table table, String id) {
        this.table = table;
        this.id = id;
    }

    /** The signs under which there is something to read. */
    public String stage(ChangePlan plan) throws IOException {
        List plus = new ArrayList(plan.plus());
        List minus = new ArrayList(plan.minus());
        for (Iterator it = plan.touched().iterator(); it.hasNext(); ) {
            List leg = (List) it.next();
            load(leg);
            minus.addAll(inverted(leg, true));
            plus.addAll(inverted(leg, false));
        }
        return stage("+", plus) + stage("-", minus);
    }

    private String stage(String sign, List files) {
        if (files.isEmpty()) {
            return "";
        }
        List tasks = new ArrayList();
        for (Iterator it = files.iterator(); it.hasNext(); ) {
            tasks.add(((FileUnderDeletes) it.next()).task(table));
        }
        ScanTaskSetManager.get().stageTasks(table, id + sign, tasks);
        SparkTableCache.get().add(id + sign, table);
        return sign;
    }

    public void close() {
        String[] signs = new String[] {"+", "-"};
        for (int i = 0; i < signs.length; i++) {
            ScanTaskSetManager.get().removeTasks(table, id + signs[i]);
            SparkTableCache.get().remove(id + signs[i]);
        }
        for (Iterator it = vectorFiles.iterator(); it.hasNext(); ) {
            table.io().deleteFile((String) it.next());
        }
        vectorFiles.clear();
    }

    private void load(List files) {
        final DeleteLoader loader = DeleteLoaders.of(table);
        Tasks.foreach((Iterable) files)
                .executeWith(ThreadPools.getWorkerPool())
                .stopOnFailure()
                .run(
                        new Tasks.Task() {
                            public void run(Object file) {
                                ((TouchedFile) file).load(loader);
                            }
                        });
    }

    /** Files under vectors that leave only the rows that went, or came back. */
    private List inverted(List leg, boolean gone) throws IOException {
        Map files = new HashMap();
        for (Iterator it = leg.iterator(); it.hasNext(); ) {
            TouchedFile file = (TouchedFile) it.next();
            if ((gone ? file.allButGone() : file.allButBack()) != null) {
                files.put(file.file().location(), file);
            }
        }
        List found = new ArrayList();
        if (files.isEmpty()) {
            return found;
        }
        for (Iterator it = write(files, gone).iterator(); it.hasNext(); ) {
            DeleteFile vector = (DeleteFile) it.next();
            TouchedFile file = (TouchedFile) files.get(vector.referencedDataFile());
            List deletes = new ArrayList(file.equality());
            deletes.add(vector);
            found.add(new FileUnderDeletes(file.file(), deletes));
        }
        return found;
    }

    private List write(Map files, boolean gone) throws IOException {
        final String location =
                table.locationProvider().newDataLocation(id + "-" + vectorFiles.size() + ".puffin");
        vectorFiles.add(location);
        BaseDVFileWriter writer =
                new BaseDVFileWriter(
                        new Supplier() {
                            public Object get() {
                                return table.io().newOutputFile(location);
                            }
                        },
                        new Function() {
                            public Object apply(Object path) {
                                return null;
                            }
                        });
        try {
            for (Iterator it = files.values().iterator(); it.hasNext(); ) {
                TouchedFile file = (TouchedFile) it.next();
                PositionDeleteIndex vector = gone ? file.allButGone() : file.allButBack();
                PartitionSpec spec = (PartitionSpec) table.specs().get(Integer.valueOf(file.file().specId()));
                writer.delete(file.file().location(), vector, spec, file.file().partition());
            }
        } finally {
            writer.close();
        }
        return writer.result().deleteFiles();
    }
}
