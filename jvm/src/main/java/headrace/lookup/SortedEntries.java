package headrace.lookup;

import java.io.IOException;

/**
 * The entries of a position index in order, as they follow from a data file: read in as many passes
 * as keep memory bounded, each for a range of hashes.
 */
final class SortedEntries {
  private static final int LARGEST_PASS = 1 << 22;
  private static final int SHARE = 128;

  /** Entries that are in memory at once, by each thread that reads some. */
  private static final int PASS =
      (int) Math.min(LARGEST_PASS, Runtime.getRuntime().maxMemory() / SHARE / Long.BYTES);

  private static final int MOST_IN_PASS = 4 * PASS;

  /** Gives the hash of the key of each row of a data file, in the order of the rows. */
  interface Hashes {
    interface Taker {
      void take(int hash, long position) throws IOException;
    }

    void each(Taker taker) throws IOException, InterruptedException;
  }

  interface Taker {
    void take(long entry) throws IOException;
  }

  private final long rows;
  private final Hashes hashes;

  SortedEntries(long rows, Hashes hashes) {
    this.rows = rows;
    this.hashes = hashes;
  }

  long count() {
    return rows;
  }

  /** More rows may share a hash than there is memory for. */
  void each(Taker taker) throws IOException, InterruptedException, TooManyRows {
    int passes = Math.toIntExact((rows + PASS - 1) / PASS);
    for (int pass = 0; pass < passes; pass++) {
      LongList entries =
          inRange(
              Integer.MIN_VALUE + (1L << Integer.SIZE) * pass / passes,
              Integer.MIN_VALUE + (1L << Integer.SIZE) * (pass + 1) / passes);
      if (entries.size() > MOST_IN_PASS) {
        throw new TooManyRows();
      }
      entries.sort();
      for (int i = 0; i < entries.size(); i++) {
        taker.take(entries.get(i));
      }
    }
  }

  private LongList inRange(long first, long next) throws IOException, InterruptedException {
    var entries = new LongList();
    hashes.each(
        (hash, position) -> {
          if (hash >= first && hash < next && entries.size() <= MOST_IN_PASS) {
            entries.add(KeyPositions.entry(hash, position));
          }
        });
    return entries;
  }
}
