package headrace.lookup;

import java.io.IOException;

/** Where in a data file rows with a key may be. */
interface KeyPositions {
  /**
   * Positions of rows whose keys have one of the hashes, which are distinct, in order; null if they
   * can no longer be told. There may be no more than {@code most}.
   */
  long[] find(int[] hashes, long most) throws IOException, TooManyRows;

  /** An entry: entries are in the order of their hashes. */
  static long entry(int hash, long position) {
    return ((long) hash << Integer.SIZE) | position;
  }

  static long first(int hash) {
    return entry(hash, 0);
  }

  static long last(int hash) {
    return entry(hash, 0xFFFF_FFFFL);
  }

  static long position(long entry) {
    return entry & 0xFFFF_FFFFL;
  }
}
