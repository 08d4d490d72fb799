package headrace.lookup;

import java.util.Arrays;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.shaded.com.github.benmanes.caffeine.cache.Cache;
import org.apache.iceberg.shaded.com.github.benmanes.caffeine.cache.Caffeine;

/**
 * Where the keys of a small data file are, in memory. Tables that change often have many such
 * files, with keys from everywhere, and each look-up would read all of them.
 */
final class SmallFileKeys implements KeyPositions {
  private static final int SHARE = 64;
  private static final int OBJECT_BYTES = 300;

  private static final Cache<FileKeys, SmallFileKeys> CACHE =
      Caffeine.newBuilder()
          .maximumWeight(Runtime.getRuntime().maxMemory() / SHARE)
          .weigher(
              (FileKeys file, SmallFileKeys keys) ->
                  OBJECT_BYTES + file.location.length() + keys.entries.length * Long.BYTES)
          .build();

  private final long[] entries;

  /** A data file never changes under its name; its length is part of it all the same. */
  private record FileKeys(String location, long length, List<KeyPart> keys) {
    static FileKeys of(DataFile file, List<KeyColumn> keys) {
      return new FileKeys(
          file.location(),
          file.fileSizeInBytes(),
          keys.stream().map(key -> new KeyPart(key.field().fieldId(), key.type())).toList());
    }
  }

  private record KeyPart(int fieldId, KeyType type) {}

  /** Entries in order. */
  private SmallFileKeys(long[] entries) {
    this.entries = entries;
  }

  /** Null if they are not known. */
  static SmallFileKeys find(DataFile file, List<KeyColumn> keys) {
    return CACHE.getIfPresent(FileKeys.of(file, keys));
  }

  /** Entries in any order. */
  static SmallFileKeys add(DataFile file, List<KeyColumn> keys, LongList entries) {
    var found = new SmallFileKeys(entries.sorted());
    CACHE.put(FileKeys.of(file, keys), found);
    return found;
  }

  @Override
  public long[] find(int[] hashes, long most) throws TooManyRows {
    var found = new LongList();
    for (int hash : hashes) {
      int place = Arrays.binarySearch(entries, KeyPositions.first(hash));
      for (int i = place < 0 ? -place - 1 : place; i < entries.length; i++) {
        if (entries[i] > KeyPositions.last(hash)) {
          break;
        }
        found.add(KeyPositions.position(entries[i]));
      }
    }
    if (found.size() > most) {
      throw new TooManyRows();
    }
    return found.sorted();
  }
}
