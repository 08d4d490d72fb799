package headrace.lookup;

import java.util.Arrays;
import java.util.Map;

/** From numbers to places, without objects: a search looks up millions of values. */
final class LongIndex {
  static final int NONE = -1;

  private final long[] numbers;
  private final int[] places;
  private final int mask;

  LongIndex(Map<Long, Integer> known) {
    int capacity = Integer.highestOneBit(Math.max(2, known.size())) * 4;
    this.numbers = new long[capacity];
    this.places = new int[capacity];
    this.mask = capacity - 1;
    Arrays.fill(places, NONE);
    known.forEach(this::put);
  }

  private void put(long number, int place) {
    int slot = slot(number);
    numbers[slot] = number;
    places[slot] = place;
  }

  /** NONE if it is not there. */
  int find(long number) {
    return places[slot(number)];
  }

  /** Where it is, or the free slot where it would be. */
  private int slot(long number) {
    int slot = (int) ((number * 0x9E3779B97F4A7C15L) >>> 32) & mask;
    while (places[slot] != NONE && numbers[slot] != number) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
}
