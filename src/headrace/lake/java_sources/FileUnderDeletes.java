package headrace;

import java.util.Iterator;
import java.util.List;
import org.apache.iceberg.BaseFileScanTask;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.ResidualEvaluator;
import org.apache.iceberg.util.ContentFileUtil;

/** A data file and what is deleted of it. */
public final class FileUnderDeletes {
    private final DataFile file;
    private final List deletes;

    public FileUnderDeletes(DataFile file, List deletes) {
        this.file = file;
        this.deletes = deletes;
    }

    public DataFile file() {
        return file;
    }

    /** At most so many; exact unless deletes other than vectors hold. */
    public long rows() {
        long rows = file.recordCount();
        for (Iterator it = deletes.iterator(); it.hasNext(); ) {
            DeleteFile delete = (DeleteFile) it.next();
            rows -= ContentFileUtil.isDV(delete) ? delete.recordCount() : 0;
        }
        return rows;
    }

    public FileScanTask task(Table table) {
        return new BaseFileScanTask(
                (DataFile) file.copyWithoutStats(),
                (DeleteFile[]) deletes.toArray(new DeleteFile[0]),
                SchemaParser.toJson(table.schema()),
                PartitionSpecParser.toJson((PartitionSpec) table.specs().get(Integer.valueOf(file.specId()))),
                ResidualEvaluator.unpartitioned(Expressions.alwaysTrue()));
    }
}
