package headrace.lookup;

import java.util.LinkedHashMap;

/**
 * The indexes of files that were read last, within a limit of memory.
 *
 * <p>A data file never changes under its name. Its length is part of the name here all the same, so
 * that a file written anew by somebody else is not read by an old index.
 */
final class FileIndexCache {
  private static final long LEAST = 32L << 20;
  private static final int SHARE = 16;

  /** Of this process: a share of its memory. */
  static final FileIndexCache SHARED =
      new FileIndexCache(Math.max(LEAST, Runtime.getRuntime().maxMemory() / SHARE));

  private final long limit;
  private final LinkedHashMap<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
  private long size;

  private record Key(String location, long length) {}

  private record Entry(FileIndex index, long size) {}

  FileIndexCache(long limit) {
    this.limit = limit;
  }

  /** Null if it is not known. */
  synchronized FileIndex find(String location, long length) {
    Entry entry = entries.get(new Key(location, length));
    return entry == null ? null : entry.index;
  }

  synchronized void add(String location, long length, FileIndex index) {
    var entry = new Entry(index, index.largestSize());
    if (entry.size > limit) {
      return;
    }
    Entry before = entries.put(new Key(location, length), entry);
    size += entry.size - (before == null ? 0 : before.size);
    var oldest = entries.values().iterator();
    while (size > limit) {
      size -= oldest.next().size;
      oldest.remove();
    }
  }

  synchronized int count() {
    return entries.size();
  }
}
