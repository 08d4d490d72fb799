package headrace.lookup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LongIndexTest {
  @Test
  void findsWhatAMapFinds() {
    var random = new Random(7);
    for (int size : new int[] {0, 1, 2, 3, 1000}) {
      var known = new HashMap<Long, Integer>();
      for (int i = 0; i < size; i++) {
        known.put(random.nextBoolean() ? (long) i << 32 : random.nextLong(), i);
      }
      var index = new LongIndex(known);
      known.forEach((number, place) -> assertEquals(place, index.find(number)));
      for (long other = -2000; other < 2000; other++) {
        assertEquals(known.getOrDefault(other, LongIndex.NONE), index.find(other));
      }
    }
  }

  @Test
  void extremesAndZero() {
    var index = new LongIndex(Map.of(0L, 5, Long.MIN_VALUE, 6, Long.MAX_VALUE, 7));
    assertEquals(5, index.find(0));
    assertEquals(6, index.find(Long.MIN_VALUE));
    assertEquals(7, index.find(Long.MAX_VALUE));
    assertEquals(LongIndex.NONE, index.find(1));
  }
}
