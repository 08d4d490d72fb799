package headrace.lookup;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

class SmallFileKeysTest {
  private static final List<KeyColumn> KEY = List.of(column(1));

  private static KeyColumn column(int id) {
    var field = Types.NestedField.required(id, "k", Types.LongType.get());
    return new KeyColumn(field, List.of());
  }

  private static DataFile file(String location, long bytes) {
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath(location + ".parquet")
        .withFileSizeInBytes(bytes)
        .withRecordCount(1)
        .build();
  }

  private static LongList entries(int... hashes) {
    var entries = new LongList();
    for (int position = 0; position < hashes.length; position++) {
      entries.add(KeyPositions.entry(hashes[position], position));
    }
    return entries;
  }

  @Test
  void positionsOfHashesAreInOrder() throws Exception {
    int[] hashes = {7, -3, 7, Integer.MIN_VALUE, Integer.MAX_VALUE, 7};
    var keys = SmallFileKeys.add(file("order", 1), KEY, entries(hashes));
    assertArrayEquals(new long[] {0, 2, 5}, keys.find(new int[] {7}, 9));
    int[] wanted = {Integer.MAX_VALUE, 8, -3, Integer.MIN_VALUE};
    assertArrayEquals(new long[] {1, 3, 4}, keys.find(wanted, 9));
    assertArrayEquals(new long[0], keys.find(new int[] {8}, 9));
    assertThrows(TooManyRows.class, () -> keys.find(new int[] {7}, 2));
  }

  @Test
  void theyAreThoseOfOneFileAndOneKey() {
    assertNull(SmallFileKeys.find(file("a", 5), KEY));
    var keys = SmallFileKeys.add(file("a", 5), KEY, entries(1));
    assertSame(keys, SmallFileKeys.find(file("a", 5), KEY));
    assertNull(SmallFileKeys.find(file("a", 6), KEY));
    assertNull(SmallFileKeys.find(file("b", 5), KEY));
    assertNull(SmallFileKeys.find(file("a", 5), List.of(column(2))));
  }
}
