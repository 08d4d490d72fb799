package headrace.manifests;

import java.util.List;
import org.apache.iceberg.BaseFileScanTask;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.ResidualEvaluator;
import org.apache.iceberg.util.ContentFileUtil;

/** A data file and the deletes to read it under. */
public record FileWithDeletes(DataFile file, List<DeleteFile> deletes) {
  public static FileWithDeletes of(FileScanTask task) {
    return new FileWithDeletes(task.file(), task.deletes());
  }

  /** At most so many; exact unless deletes other than vectors hold. */
  public long rows() {
    long deleted =
        deletes.stream().filter(ContentFileUtil::isDV).mapToLong(DeleteFile::recordCount).sum();
    return file.recordCount() - deleted;
  }

  public FileScanTask task(Table table) {
    return new BaseFileScanTask(
        file.copyWithoutStats(),
        deletes.toArray(DeleteFile[]::new),
        SchemaParser.toJson(table.schema()),
        PartitionSpecParser.toJson(table.specs().get(file.specId())),
        ResidualEvaluator.unpartitioned(Expressions.alwaysTrue()));
  }
}
