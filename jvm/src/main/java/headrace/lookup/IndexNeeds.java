package headrace.lookup;

import headrace.manifests.SnapshotFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.shaded.com.github.benmanes.caffeine.cache.Cache;
import org.apache.iceberg.shaded.com.github.benmanes.caffeine.cache.Caffeine;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.JsonUtil;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Which indexes a look-up in a version of a table would use, and which it would have to make: by
 * manifests, by the names of the indexes that are there, and by the page indexes of a few files. No
 * row is read, and the keys are not known yet.
 */
final class IndexNeeds {
  /** Files without an index, of which the largest tell whether pages suffice for all. */
  private static final int SAMPLED_FILES = 3;

  private static final int SAMPLED_PAGES = 5;
  private static final int MOST_KNOWN = 10_000;

  /** By the index that a file may have: data files never change. */
  private static final Cache<Path, Long> ROWS_OF_A_KEY =
      Caffeine.newBuilder().maximumSize(MOST_KNOWN).build();

  private final Table table;
  private final List<Types.NestedField> fields;
  private final Keys keys;
  private final PositionIndexes indexes;
  private final long mostWithout;
  private final List<DataFile> without = new ArrayList<>();
  private long indexedFiles;
  private long indexedBytes;

  /** Files with at most {@code smallFile} rows have no index, either. */
  IndexNeeds(Table table, List<Types.NestedField> fields, PositionIndexes indexes, long smallFile) {
    this.table = table;
    this.fields = fields;
    this.keys = new Keys(fields, new InternalRow[0]);
    this.indexes = indexes;
    this.mostWithout = Math.max(indexes.fewRows(), smallFile);
  }

  /** In JSON. Files with few rows have no index. */
  String of(long snapshot) throws IOException {
    var files = new SnapshotFiles(table, Expressions.alwaysTrue());
    for (var each : files.of(table.snapshot(snapshot))) {
      add(each.file());
    }
    boolean isMade = !without.isEmpty() && (indexedFiles > 0 || !pagesSuffice());
    List<DataFile> made = isMade ? without : List.of();
    var content = new LinkedHashMap<String, Object>();
    content.put("files", indexedFiles);
    content.put("bytes", indexedBytes);
    content.put("missing_files", made.size());
    content.put("missing_rows", made.stream().mapToLong(DataFile::recordCount).sum());
    content.put("missing_bytes", made.stream().mapToLong(PositionIndexes::bytes).sum());
    return JsonUtil.mapper().writeValueAsString(content);
  }

  private void add(DataFile file) {
    boolean isLarge = file.recordCount() > mostWithout && indexes.fits(file);
    if (!isLarge || file.format() != FileFormat.PARQUET) {
      return;
    }
    long stored = indexes.bytesStored(file, keys.columns());
    if (stored > 0) {
      indexedFiles++;
      indexedBytes += stored;
    } else {
      without.add(file);
    }
  }

  private boolean pagesSuffice() throws IOException {
    var largest = Comparator.comparing(DataFile::recordCount).reversed();
    for (DataFile file : without.stream().sorted(largest).limit(SAMPLED_FILES).toList()) {
      if (knownRowsOfAKey(file) > indexes.fewRows()) {
        return false;
      }
    }
    return true;
  }

  private long knownRowsOfAKey(DataFile file) throws IOException {
    Path name = indexes.file(file, keys.columns());
    Long known = ROWS_OF_A_KEY.getIfPresent(name);
    if (known == null) {
      known = rowsOfAKey(file);
      ROWS_OF_A_KEY.put(name, known);
    }
    return known;
  }

  /** In pages that may hold a key, on average of some places in the file. */
  private long rowsOfAKey(DataFile file) throws IOException {
    var figures = new ReadFigures();
    try (IndexedFile open = IndexedFile.open(table.io(), file, figures)) {
      FileObstacles.check(open, table.specs().get(file.specId()), fields);
      var search = new KeySearch(open, keys, figures);
      if (search.hasNoColumn()) {
        return 0;
      }
      long rows = 0;
      for (int i = 0; i < SAMPLED_PAGES; i++) {
        rows += search.rowsLikeThoseAt((i + 0.5) / SAMPLED_PAGES);
      }
      return rows / SAMPLED_PAGES;
    } catch (Obstacle leftToSpark) {
      return 0;
    }
  }
}
