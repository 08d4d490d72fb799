package headrace.lookup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.metadata.FileMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.internal.hadoop.metadata.IndexReference;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;
import org.junit.jupiter.api.Test;

class FileIndexCacheTest {
  private static FileIndex index(int indexBytes) {
    var column = Types.required(PrimitiveTypeName.INT32).named("k");
    var chunk =
        ColumnChunkMetaData.get(
            ColumnPath.get("k"),
            column,
            CompressionCodecName.UNCOMPRESSED,
            null,
            Set.of(Encoding.PLAIN),
            null,
            0,
            0,
            1,
            1,
            1);
    chunk.setOffsetIndexReference(new IndexReference(0, indexBytes));
    var rowGroup = new BlockMetaData();
    rowGroup.addColumn(chunk);
    var file = new FileMetaData(new MessageType("m", column), Map.of(), "test");
    return new FileIndex(new ParquetMetadata(file, List.of(rowGroup)));
  }

  @Test
  void aFileOfAnotherLengthIsAnother() {
    var cache = new FileIndexCache(100_000);
    FileIndex index = index(10);
    cache.add("a", 5, index);
    assertSame(index, cache.find("a", 5));
    assertNull(cache.find("a", 6));
    assertNull(cache.find("b", 5));
  }

  @Test
  void thoseUsedLongestAgoGoFirst() {
    long size = index(10).largestSize();
    var cache = new FileIndexCache(2 * size);
    cache.add("a", 1, index(10));
    cache.add("b", 1, index(10));
    cache.find("a", 1);
    cache.add("c", 1, index(10));
    assertNull(cache.find("b", 1));
    assertEquals(2, cache.count());
    cache.add("c", 1, index(10));
    assertEquals(2, cache.count());
  }

  @Test
  void whatIsLargerThanTheLimitIsNotKept() {
    var cache = new FileIndexCache(2 * index(10).largestSize());
    cache.add("a", 1, index(10));
    cache.add("large", 1, index(100_000));
    assertNull(cache.find("large", 1));
    assertEquals(1, cache.count());
  }
}
