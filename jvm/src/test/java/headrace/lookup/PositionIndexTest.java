package headrace.lookup;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PositionIndexTest {
  private static final IndexDescription DESCRIPTION =
      new IndexDescription(
          new IndexDescription.TableIdentity(List.of("lake", "public", "t"), "u-1"),
          "file:/data/a.parquet",
          1234,
          List.of(new IndexDescription.IndexedColumn(3, "käy", KeyType.LONG)));

  private static final byte[] ID = DESCRIPTION.id();

  @TempDir Path directory;

  private Path written(int... hashes) throws IOException {
    long[] entries = new long[hashes.length];
    for (int i = 0; i < hashes.length; i++) {
      entries[i] = KeyPositions.entry(hashes[i], i);
    }
    Arrays.sort(entries);
    Path file = directory.resolve("index");
    Files.deleteIfExists(file);
    try (var writer = new PositionIndex.Writer(file, DESCRIPTION, hashes.length)) {
      for (long entry : entries) {
        writer.add(entry);
      }
      writer.finish();
    }
    return file;
  }

  private static long[] found(Path file, int... hashes) throws Exception {
    return PositionIndex.open(file, ID).find(hashes, Long.MAX_VALUE);
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
    PositionIndex index = PositionIndex.open(written(1, 1, 1), ID);
    assertThrows(TooManyRows.class, () -> index.find(new int[] {1}, 2));
  }

  @Test
  void anIndexOfSomethingElseIsNone() throws Exception {
    Path file = written(1, 2);
    byte[] other = ID.clone();
    other[31] = 1;
    assertNull(PositionIndex.open(file, other));
    assertNotNull(PositionIndex.open(file, ID));
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

  @Test
  void theFileSaysWhatItIsAnIndexOf() throws Exception {
    assertEquals(DESCRIPTION, PositionIndex.open(written(1, 2)).description());
  }

  /** Indexes are found by it: where it changes, all of them are made again. */
  @Test
  void theIdOfAnIndexStaysTheSame() {
    assertEquals(
        "59da0df9ce755d71e2db4a07816e694baf46ef2e084e06707405968758672ea5",
        HexFormat.of().formatHex(ID));
  }

  /** Names of tables and columns may change while their index stays. */
  @Test
  void namesAreNotPartOfTheId() {
    var renamed =
        new IndexDescription(
            new IndexDescription.TableIdentity(List.of("lake", "public", "other"), "u-2"),
            DESCRIPTION.location(),
            DESCRIPTION.length(),
            List.of(new IndexDescription.IndexedColumn(3, "k", KeyType.LONG)));
    assertArrayEquals(ID, renamed.id());
  }

  private static SortedEntries entries(int... hashes) {
    return new SortedEntries(
        hashes.length,
        taker -> {
          for (int position = 0; position < hashes.length; position++) {
            taker.take(hashes[position], position);
          }
        });
  }

  @Test
  void anIndexIsComparedEntryByEntry() throws Exception {
    int[] hashes = new Random(3).ints(3 * PositionIndex.ENTRIES + 5).toArray();
    PositionIndex index = PositionIndex.open(written(hashes));
    assertTrue(index.hasEntries(entries(hashes)));
    assertFalse(index.hasEntries(entries(Arrays.copyOf(hashes, hashes.length - 1))));
    assertFalse(index.hasEntries(entries(Arrays.copyOf(hashes, hashes.length + 1))));
    for (int place = 0; place < hashes.length; place += 101) {
      int[] other = hashes.clone();
      other[place]++;
      assertFalse(index.hasEntries(entries(other)));
    }
  }

  /** An index that was wrong may be replaced by another process while this one has it open. */
  @Test
  void anIndexThatWasMadeAgainIsNotReadByItsOldDirectory() throws Exception {
    PositionIndex old = PositionIndex.open(written(new Random(4).ints(2000).toArray()));
    written(new Random(5).ints(2000).toArray());
    assertNull(old.find(new int[] {1}, Long.MAX_VALUE));
  }

  private static long[] positions(Path file, int[] hashes) throws Exception {
    PositionIndex index = PositionIndex.open(file, ID);
    return index == null ? null : index.find(hashes, Long.MAX_VALUE);
  }
}
