package headrace.lookup;

import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;

/** A file as Iceberg opens it, for Spark's Parquet library; counts the bytes that are read. */
record ParquetInput(org.apache.iceberg.io.InputFile file, long length, LongAdder bytes)
    implements InputFile {
  @Override
  public long getLength() {
    return length;
  }

  @Override
  public SeekableInputStream newStream() {
    return new CountedStream(file.newStream(), bytes);
  }

  @Override
  public String toString() {
    return file.location();
  }

  private static final class CountedStream extends DelegatingSeekableInputStream {
    private final org.apache.iceberg.io.SeekableInputStream stream;

    CountedStream(org.apache.iceberg.io.SeekableInputStream stream, LongAdder bytes) {
      super(new CountedInput(stream, bytes));
      this.stream = stream;
    }

    @Override
    public long getPos() throws IOException {
      return stream.getPos();
    }

    @Override
    public void seek(long position) throws IOException {
      stream.seek(position);
    }
  }

  private static final class CountedInput extends java.io.FilterInputStream {
    private final LongAdder bytes;

    CountedInput(java.io.InputStream stream, LongAdder bytes) {
      super(stream);
      this.bytes = bytes;
    }

    @Override
    public int read() throws IOException {
      int value = super.read();
      bytes.add(value < 0 ? 0 : 1);
      return value;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      int count = super.read(buffer, offset, length);
      bytes.add(Math.max(count, 0));
      return count;
    }
  }
}
