package headrace.lookup;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Where in a data file rows with a key may be: the positions of all its rows, in the order of the
 * hashes of their keys. A data file never changes, so its index never does.
 *
 * <pre>
 *   header       magic number, id (32 bytes), number of rows, checksum of the directory, length of
 *                the description: 64 bytes
 *   description  what it is an index of, in JSON, and the checksum of all so far (CRC-32)
 *   blocks       hash and position of 512 rows, and a checksum (CRC-32C)
 *   directory    the first entry of each block, and a checksum (CRC-32C)
 * </pre>
 */
final class PositionIndex implements KeyPositions {
  static final int ENTRIES = 512;
  private static final long MAGIC = 0x48_52_50_4f_53_30_30_32L;
  private static final int ID_BYTES = 32;
  private static final int HEADER_BYTES = Long.BYTES + ID_BYTES + 3 * Long.BYTES;
  private static final int LONGEST_DESCRIPTION = 1 << 20;
  private static final int OBJECT_BYTES = 500;
  private static final int BLOCK_BYTES = (ENTRIES + 1) * Long.BYTES;

  private final Path file;
  private final Header header;
  private final long[] directory;

  private record Header(byte[] id, long rows, long directoryChecksum, byte[] description) {
    long firstBlock() {
      return HEADER_BYTES + description.length + Long.BYTES;
    }

    int blocks() {
      return Math.toIntExact((rows + ENTRIES - 1) / ENTRIES);
    }

    int entriesOf(int block) {
      return (int) Math.min(ENTRIES, rows - (long) block * ENTRIES);
    }
  }

  private PositionIndex(Path file, Header header, long[] directory) {
    this.file = file;
    this.header = header;
    this.directory = directory;
  }

  /** Null if it is not whole, or of something else. */
  static PositionIndex open(Path file, byte[] id) throws IOException {
    PositionIndex found = open(file);
    return found != null && Arrays.equals(found.header.id, id) ? found : null;
  }

  /** Null if it is not whole. */
  static PositionIndex open(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      Header header = readHeader(channel);
      if (header == null) {
        return null;
      }
      long place = header.firstBlock() + (header.rows + header.blocks()) * Long.BYTES;
      ByteBuffer bytes = read(channel, place, (header.blocks() + 1) * Long.BYTES);
      long[] directory = entries(bytes, header.blocks());
      boolean isIts = bytes.getLong(header.blocks() * Long.BYTES) == header.directoryChecksum;
      return directory == null || !isIts ? null : new PositionIndex(file, header, directory);
    } catch (EOFException cut) {
      return null;
    }
  }

  /** Null if it is damaged. */
  private static Header readHeader(FileChannel channel) throws IOException {
    ByteBuffer fixed = read(channel, 0, HEADER_BYTES);
    if (fixed.getLong() != MAGIC) {
      return null;
    }
    var id = new byte[ID_BYTES];
    fixed.get(id);
    long rows = fixed.getLong();
    long directoryChecksum = fixed.getLong();
    long length = fixed.getLong();
    if (length < 0 || length > LONGEST_DESCRIPTION) {
      return null;
    }
    ByteBuffer rest = read(channel, HEADER_BYTES, (int) length + Long.BYTES);
    byte[] description = Arrays.copyOf(rest.array(), (int) length);
    boolean isWhole = rest.getLong((int) length) == headerChecksum(fixed.array(), description);
    return isWhole ? new Header(id, rows, directoryChecksum, description) : null;
  }

  int bytesInMemory() {
    return OBJECT_BYTES + header.description.length + directory.length * Long.BYTES;
  }

  byte[] id() {
    return header.id;
  }

  void remove() throws IOException {
    PositionIndexes.remove(file);
  }

  IndexDescription description() throws IOException {
    return IndexDescription.read(header.description);
  }

  /** Null if the index is damaged, gone, or was made again since it was opened. */
  @Override
  public long[] find(int[] hashes, long most) throws IOException, TooManyRows {
    var found = new LongList();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      if (!isAsOpened(channel)) {
        return null;
      }
      for (int hash : hashes) {
        if (!find(channel, hash, found)) {
          return null;
        }
        if (found.size() > most) {
          throw new TooManyRows();
        }
      }
    } catch (EOFException | NoSuchFileException cut) {
      return null;
    }
    return found.sorted();
  }

  /** Another process may have found it wrong and made it again: blocks then begin elsewhere. */
  private boolean isAsOpened(FileChannel channel) throws IOException {
    ByteBuffer fixed = read(channel, 0, HEADER_BYTES);
    int afterRows = Long.BYTES + ID_BYTES + Long.BYTES;
    return fixed.getLong(0) == MAGIC
        && fixed.getLong(afterRows) == header.directoryChecksum
        && fixed.getLong(afterRows + Long.BYTES) == header.description.length;
  }

  private boolean find(FileChannel channel, int hash, LongList found) throws IOException {
    long least = KeyPositions.first(hash);
    long most = KeyPositions.last(hash);
    int place = Arrays.binarySearch(directory, least);
    int block = Math.max(0, place < 0 ? -place - 2 : place);
    while (block < directory.length && directory[block] <= most) {
      long[] entries = block(channel, block);
      if (entries == null) {
        return false;
      }
      for (long entry : entries) {
        if (entry >= least && entry <= most) {
          found.add(KeyPositions.position(entry));
        }
      }
      block++;
    }
    return true;
  }

  /** Null if it is damaged. */
  private long[] block(FileChannel channel, int block) throws IOException {
    int size = header.entriesOf(block);
    long offset = header.firstBlock() + (long) block * BLOCK_BYTES;
    return entries(read(channel, offset, (size + 1) * Long.BYTES), size);
  }

  /** Whether it has just these entries: it may be whole, and wrong all the same. */
  boolean hasEntries(SortedEntries expected) throws IOException, InterruptedException, TooManyRows {
    if (expected.count() != header.rows) {
      return false;
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      var stored = new Entries(channel);
      expected.each(stored::compare);
      return stored.areEqual;
    } catch (EOFException cut) {
      return false;
    }
  }

  /** Those stored, compared with others in their order. */
  private final class Entries {
    private final FileChannel channel;
    private long[] block = new long[0];
    private int next;
    private int blocks;
    private boolean areEqual = true;

    Entries(FileChannel channel) {
      this.channel = channel;
    }

    void compare(long entry) throws IOException {
      if (areEqual && next == block.length) {
        block = block(channel, blocks);
        next = 0;
        areEqual = block != null && block[0] == directory[blocks++];
      }
      areEqual = areEqual && block[next++] == entry;
    }
  }

  /** Longs with their checksum; null if it is not theirs. */
  private static long[] entries(ByteBuffer bytes, int count) {
    var found = new long[count];
    bytes.asLongBuffer().get(found);
    long stored = bytes.getLong(count * Long.BYTES);
    return stored == checksum(bytes.array(), count * Long.BYTES) ? found : null;
  }

  private static ByteBuffer read(FileChannel channel, long offset, int length) throws IOException {
    if (offset < 0 || offset + length > channel.size()) {
      throw new EOFException();
    }
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes, offset + bytes.position()) < 0) {
        throw new EOFException();
      }
    }
    return bytes.flip();
  }

  private static long checksum(byte[] bytes, int length) {
    var checksum = new CRC32C();
    checksum.update(bytes, 0, length);
    return checksum.getValue();
  }

  /** Not CRC-32C, so that Python's library can check it. */
  private static long headerChecksum(byte[] fixed, byte[] description) {
    var checksum = new CRC32();
    checksum.update(fixed, 0, HEADER_BYTES);
    checksum.update(description);
    return checksum.getValue();
  }

  /** Takes entries in order, and writes the file. */
  static final class Writer implements AutoCloseable {
    private final FileChannel channel;
    private final byte[] id;
    private final byte[] description;
    private final long rows;
    private final LongList directory = new LongList();
    private final ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
    private long offset;

    Writer(Path file, IndexDescription description, long rows) throws IOException {
      this.channel =
          FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      this.id = description.id();
      this.description = description.json();
      this.rows = rows;
      this.offset = HEADER_BYTES + this.description.length + Long.BYTES;
    }

    void add(long entry) throws IOException {
      if (block.position() == 0) {
        directory.add(entry);
      }
      block.putLong(entry);
      if (block.position() == ENTRIES * Long.BYTES) {
        flush(block);
      }
    }

    private long flush(ByteBuffer entries) throws IOException {
      long checksum = checksum(entries.array(), entries.position());
      entries.putLong(checksum);
      offset += write(entries.flip(), offset);
      entries.clear();
      return checksum;
    }

    private int write(ByteBuffer bytes, long place) throws IOException {
      int written = 0;
      while (bytes.hasRemaining()) {
        written += channel.write(bytes, place + written);
      }
      return written;
    }

    /** The header comes last: without it there is no index. */
    void finish() throws IOException {
      if (block.position() > 0) {
        flush(block);
      }
      ByteBuffer firsts = ByteBuffer.allocate((directory.size() + 1) * Long.BYTES);
      for (int i = 0; i < directory.size(); i++) {
        firsts.putLong(directory.get(i));
      }
      long directoryChecksum = flush(firsts);
      ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES + description.length + Long.BYTES);
      header.putLong(MAGIC).put(id).putLong(rows).putLong(directoryChecksum);
      header.putLong(description.length).put(description);
      header.putLong(headerChecksum(header.array(), description));
      write(header.flip(), 0);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
