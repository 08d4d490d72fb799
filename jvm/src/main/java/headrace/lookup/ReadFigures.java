package headrace.lookup;

import java.util.concurrent.atomic.LongAdder;

/** What a read took; several threads add to it. */
public final class ReadFigures {
  final LongAdder bytes = new LongAdder();
  final LongAdder files = new LongAdder();
  final LongAdder pages = new LongAdder();
  final LongAdder keyValues = new LongAdder();
  final LongAdder indexes = new LongAdder();

  /** Of footers, indexes and pages; what is cached is not read. */
  public long bytes() {
    return bytes.sum();
  }

  /** Those that were opened. */
  public long files() {
    return files.sum();
  }

  /** Those decoded; of a file without page indexes one for each column of a row group. */
  public long pages() {
    return pages.sum();
  }

  /** Files in which positions were found by an index of their keys. */
  public long indexes() {
    return indexes.sum();
  }

  /** Decoded to be compared with keys. */
  public long keyValues() {
    return keyValues.sum();
  }
}
