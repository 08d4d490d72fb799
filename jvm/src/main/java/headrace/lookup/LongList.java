package headrace.lookup;

import java.util.Arrays;

/** Numbers without objects. */
final class LongList {
  private long[] numbers = new long[16];
  private int size;

  void add(long number) {
    if (size == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * size);
    }
    numbers[size++] = number;
  }

  int size() {
    return size;
  }

  long get(int place) {
    return numbers[place];
  }

  long[] sorted() {
    long[] copy = Arrays.copyOf(numbers, size);
    Arrays.sort(copy);
    return copy;
  }
}
