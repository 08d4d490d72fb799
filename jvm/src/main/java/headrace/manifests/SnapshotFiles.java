package headrace.manifests;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Evaluator;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.InclusiveMetricsEvaluator;
import org.apache.iceberg.expressions.ManifestEvaluator;
import org.apache.iceberg.expressions.Projections;
import org.apache.iceberg.util.ContentFileUtil;
import org.apache.iceberg.util.DeleteFileSet;

/**
 * The data files of a snapshot that may have rows of interest, each with its deletes, planned from
 * manifests in memory. Iceberg's own planning opens every manifest each time.
 */
public final class SnapshotFiles {
  private final Table table;
  private final Expression filter;
  private final Manifests manifests;
  private final InclusiveMetricsEvaluator metrics;
  private final Map<Integer, PartitionFilter> partitionFilters = new HashMap<>();

  private record PartitionFilter(ManifestEvaluator ofManifests, Evaluator ofFiles) {}

  /** The filter has the names that columns have in the table's current schema. */
  public SnapshotFiles(Table table, Expression filter) {
    this.table = table;
    this.filter = filter;
    this.manifests = new Manifests(table);
    this.metrics = new InclusiveMetricsEvaluator(table.schema(), filter);
  }

  public List<FileWithDeletes> of(Snapshot snapshot) throws IOException {
    Collection<ManifestFile> all = manifests.of(snapshot).values();
    DeleteFileSet deletes = manifests.deletes(all);
    if (!deletes.stream().allMatch(ContentFileUtil::isDV)) {
      return planned(snapshot);
    }
    Map<String, List<DeleteFile>> vectors = new HashMap<>();
    deletes.forEach(vector -> vectors.put(vector.referencedDataFile(), List.of(vector)));
    var found = new ArrayList<FileWithDeletes>();
    for (ManifestFile manifest : all) {
      if (manifest.content() == ManifestContent.DATA) {
        for (DataFile file : files(manifest)) {
          found.add(new FileWithDeletes(file, vectors.getOrDefault(file.location(), List.of())));
        }
      }
    }
    return found;
  }

  private List<DataFile> files(ManifestFile manifest) throws IOException {
    PartitionFilter partitions =
        partitionFilters.computeIfAbsent(manifest.partitionSpecId(), this::partitionFilter);
    if (!partitions.ofManifests.eval(manifest)) {
      return List.of();
    }
    if (ManifestCache.isTooLarge(manifest)) {
      return manifests.dataFiles(manifest, filter);
    }
    Predicate<DataFile> isChosen =
        file -> partitions.ofFiles.eval(file.partition()) && metrics.eval(file);
    return manifests.dataFiles(manifest).stream().filter(isChosen).toList();
  }

  private PartitionFilter partitionFilter(int specId) {
    PartitionSpec spec = table.specs().get(specId);
    Expression ofPartitions = Projections.inclusive(spec).project(filter);
    return new PartitionFilter(
        ManifestEvaluator.forPartitionFilter(ofPartitions, spec, true),
        new Evaluator(spec.partitionType(), ofPartitions));
  }

  /**
   * For deletes other than vectors: which of them hold for a file is Iceberg's own planning to say.
   * It takes the names that columns had then, so a filter is of no use to it.
   */
  private List<FileWithDeletes> planned(Snapshot snapshot) throws IOException {
    var found = new ArrayList<FileWithDeletes>();
    try (var tasks = table.newScan().useSnapshot(snapshot.snapshotId()).planFiles()) {
      tasks.forEach(task -> found.add(FileWithDeletes.of(task)));
    }
    found.removeIf(each -> !metrics.eval(each.file()));
    return found;
  }
}
