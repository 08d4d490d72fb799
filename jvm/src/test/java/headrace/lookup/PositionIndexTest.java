package headrace.lookup;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PositionIndexTest {
  private static final byte[] NAME = new byte[32];

  @TempDir Path directory;

  private Path written(int... hashes) throws IOException {
    long[] entries = new long[hashes.length];
    for (int i = 0; i < hashes.length; i++) {
      entries[i] = KeyPositions.entry(hashes[i], i);
    }
    Arrays.sort(entries);
    Path file = directory.resolve("index");
    Files.deleteIfExists(file);
    try (var writer = new PositionIndex.Writer(file, NAME, hashes.length)) {
      for (long entry : entries) {
        writer.add(entry);
      }
      writer.finish();
    }
    return file;
  }

  private static long[] found(Path file, int... hashes) throws Exception {
    return PositionIndex.open(file, NAME).find(hashes, Long.MAX_VALUE);
  }

  @Test
  void positionsOfAHashAreInOrder() throws Exception {
    Path file = written(7, -3, 7, Integer.MIN_VALUE, Integer.MAX_VALUE, 7);
    assertArrayEquals(new long[] {0, 2, 5}, found(file, 7));
    assertArrayEquals(new long[] {1, 3, 4}, found(file, Integer.MAX_VALUE, -3, Integer.MIN_VALUE));
    assertArrayEquals(new long[0], found(file, 8));
  }

  @Test
  void aFileWithoutRows() throws Exception {
    assertArrayEquals(new long[0], found(written(), 1));
  }

  @Test
  void hashesThatManyRowsShareSpanBlocks() throws Exception {
    var random = new Random(1);
    int[] hashes = random.ints(5 * PositionIndex.ENTRIES, 0, 3).toArray();
    Path file = written(hashes);
    for (int hash = 0; hash < 3; hash++) {
      int wanted = hash;
      long[] expected =
          java.util.stream.LongStream.range(0, hashes.length)
              .filter(position -> hashes[(int) position] == wanted)
              .toArray();
      assertArrayEquals(expected, found(file, hash));
    }
  }

  @Test
  void moreThanAreWantedAreRefused() throws Exception {
    PositionIndex index = PositionIndex.open(written(1, 1, 1), NAME);
    assertThrows(TooManyRows.class, () -> index.find(new int[] {1}, 2));
  }

  @Test
  void anIndexOfSomethingElseIsNone() throws Exception {
    Path file = written(1, 2);
    byte[] other = NAME.clone();
    other[31] = 1;
    assertNull(PositionIndex.open(file, other));
    assertNotNull(PositionIndex.open(file, NAME));
  }

  /** Whatever byte is lost or changed, no position is missed without notice. */
  @Test
  void damageIsNoticed() throws Exception {
    Path file = written(new Random(2).ints(700).toArray());
    byte[] whole = Files.readAllBytes(file);
    int[] all = new Random(2).ints(700).toArray();
    for (int place = 0; place < whole.length; place += 13) {
      byte[] changed = whole.clone();
      changed[place] ^= 0x40;
      Files.write(file, changed);
      assertNull(positions(file, all));
      Files.write(file, Arrays.copyOf(whole, place));
      assertNull(positions(file, all));
    }
  }

  private static long[] positions(Path file, int[] hashes) throws Exception {
    PositionIndex index = PositionIndex.open(file, NAME);
    return index == null ? null : index.find(hashes, Long.MAX_VALUE);
  }
}
