package headrace.lookup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.math.BigInteger;
import org.apache.parquet.io.api.Binary;
import org.junit.jupiter.api.Test;

class KeyHashTest {
  /** Indexes on disk have them: a change of the function must change the format of the index. */
  @Test
  void hashesNeverChange() {
    assertEquals(2104380099, KeyHash.of(new Object[] {1L}));
  }

  @Test
  void partsOfAKeyAreNotTakenForEachOther() {
    assertNotEquals(KeyHash.of(new Object[] {1L, 2L}), KeyHash.of(new Object[] {2L, 1L}));
    assertNotEquals(KeyHash.of(new Object[] {1L, null}), KeyHash.of(new Object[] {null, 1L}));
    assertNotEquals(
        KeyHash.of(new Object[] {text("ab"), text("c")}),
        KeyHash.of(new Object[] {text("a"), text("bc")}));
  }

  @Test
  void equalValuesHaveEqualHashes() {
    Binary part = Binary.fromConstantByteArray(new byte[] {0, 'a', 'b', 0}, 1, 2);
    assertEquals(KeyHash.of(new Object[] {text("ab")}), KeyHash.of(new Object[] {part}));
    BigInteger large = BigInteger.TWO.pow(100);
    assertEquals(
        KeyHash.of(new Object[] {large}), KeyHash.of(new Object[] {large.add(BigInteger.ZERO)}));
  }

  private static Binary text(String text) {
    return Binary.fromString(text);
  }
}
