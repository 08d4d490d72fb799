package headrace.lookup;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Where in a data file rows with a key may be: the positions of all its rows, in the order of the
 * hashes of their keys. A data file never changes, so its index never does.
 *
 * <pre>
 *   header      what it is an index of, the number of rows
 *   blocks      hash and position of 512 rows, and a checksum
 *   directory   the first entry of each block, and a checksum
 * </pre>
 */
final class PositionIndex implements KeyPositions {
  static final int ENTRIES = 512;
  private static final long MAGIC = 0x48_52_50_4f_53_30_30_31L;
  private static final int NAME_BYTES = 32;
  private static final int HEADER_BYTES = Long.BYTES + NAME_BYTES + 2 * Long.BYTES;
  private static final int OBJECT_BYTES = 500;
  private static final int BLOCK_BYTES = (ENTRIES + 1) * Long.BYTES;

  private final Path file;
  private final long rows;
  private final long[] directory;

  private PositionIndex(Path file, long rows, long[] directory) {
    this.file = file;
    this.rows = rows;
    this.directory = directory;
  }

  /** Null if it is not whole, or of something else. */
  static PositionIndex open(Path file, byte[] name) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer header = read(channel, 0, HEADER_BYTES);
      boolean isIts = header.getLong() == MAGIC && Arrays.equals(bytes(header), name);
      long rows = header.getLong();
      if (!isIts || header.getLong() != checksum(header.array(), HEADER_BYTES - Long.BYTES)) {
        return null;
      }
      int blocks = Math.toIntExact((rows + ENTRIES - 1) / ENTRIES);
      long[] directory = entries(channel, HEADER_BYTES + (rows + blocks) * Long.BYTES, blocks);
      return directory == null ? null : new PositionIndex(file, rows, directory);
    } catch (EOFException cut) {
      return null;
    }
  }

  int bytesInMemory() {
    return OBJECT_BYTES + directory.length * Long.BYTES;
  }

  private static byte[] bytes(ByteBuffer header) {
    var name = new byte[NAME_BYTES];
    header.get(name);
    return name;
  }

  /** Null if the index is damaged or gone. */
  @Override
  public long[] find(int[] hashes, long most) throws IOException, TooManyRows {
    var found = new LongList();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
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

  private boolean find(FileChannel channel, int hash, LongList found) throws IOException {
    long least = KeyPositions.first(hash);
    long most = KeyPositions.last(hash);
    int place = Arrays.binarySearch(directory, least);
    int block = Math.max(0, place < 0 ? -place - 2 : place);
    while (block < directory.length && directory[block] <= most) {
      int size = (int) Math.min(ENTRIES, rows - (long) block * ENTRIES);
      long[] entries = entries(channel, HEADER_BYTES + (long) block * BLOCK_BYTES, size);
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

  /** Longs with their checksum; null if it is not theirs. */
  private static long[] entries(FileChannel channel, long offset, int count) throws IOException {
    ByteBuffer bytes = read(channel, offset, (count + 1) * Long.BYTES);
    var found = new long[count];
    bytes.asLongBuffer().get(found);
    long stored = bytes.getLong(count * Long.BYTES);
    return stored == checksum(bytes.array(), count * Long.BYTES) ? found : null;
  }

  private static ByteBuffer read(FileChannel channel, long offset, int length) throws IOException {
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

  /** Takes entries in order, and writes the file. */
  static final class Writer implements AutoCloseable {
    private final FileChannel channel;
    private final byte[] name;
    private final long rows;
    private final LongList directory = new LongList();
    private final ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
    private long offset = HEADER_BYTES;

    Writer(Path file, byte[] name, long rows) throws IOException {
      this.channel =
          FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      this.name = name;
      this.rows = rows;
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

    private void flush(ByteBuffer entries) throws IOException {
      entries.putLong(checksum(entries.array(), entries.position()));
      offset += write(entries.flip(), offset);
      entries.clear();
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
      flush(firsts);
      ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
      header.putLong(MAGIC).put(name).putLong(rows);
      header.putLong(checksum(header.array(), header.position()));
      write(header.flip(), 0);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
