package headrace.lookup;

import java.util.Arrays;

/** Numbers without objects. */
public final class LongList {
  private long[] numbers = new long[16];
  private int size;

  public void add(long number) {
    if (size == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * size);
    }
    numbers[size++] = number;
  }

  public int size() {
    return size;
  }

  public long get(int place) {
    return numbers[place];
  }

  void sort() {
    Arrays.sort(numbers, 0, size);
  }

  long[] sorted() {
    long[] copy = Arrays.copyOf(numbers, size);
    Arrays.sort(copy);
    return copy;
  }
}
