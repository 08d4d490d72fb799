package headrace.lookup;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.internal.hadoop.metadata.IndexReference;

/**
 * What a Parquet file says of its pages: the footer, and of those pages that were asked for, bounds
 * and offsets.
 */
final class FileIndex {
  private static final int CHUNK_BYTES = 1000;
  private static final int BYTES_PER_STORED_BYTE = 4;

  final ParquetMetadata footer;
  final Map<BoundsKey, Optional<PageBounds>> pageBounds = new ConcurrentHashMap<>();
  final Map<ColumnChunkMetaData, Optional<OffsetIndex>> offsetIndexes = new ConcurrentHashMap<>();

  /** A column may be looked for by values of another type once its own has been widened. */
  record BoundsKey(ColumnChunkMetaData chunk, KeyType type) {}

  FileIndex(ParquetMetadata footer) {
    this.footer = footer;
  }

  /** Of memory, about, once all indexes were read. */
  long largestSize() {
    long size = 0;
    for (BlockMetaData rowGroup : footer.getBlocks()) {
      List<ColumnChunkMetaData> chunks = rowGroup.getColumns();
      for (ColumnChunkMetaData chunk : chunks) {
        long stored =
            length(chunk.getColumnIndexReference()) + length(chunk.getOffsetIndexReference());
        size += CHUNK_BYTES + stored * BYTES_PER_STORED_BYTE;
      }
    }
    return size;
  }

  private static long length(IndexReference reference) {
    return reference == null ? 0 : reference.getLength();
  }
}
