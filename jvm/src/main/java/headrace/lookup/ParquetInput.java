package headrace.lookup;

import java.io.IOException;
import java.io.InputStream;
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

  /** Opened when it is first read: of a file whose indexes are cached perhaps nothing is. */
  @Override
  public SeekableInputStream newStream() {
    return new CountedStream(new LazyInput(file, bytes));
  }

  @Override
  public String toString() {
    return file.location();
  }

  private static final class CountedStream extends DelegatingSeekableInputStream {
    private final LazyInput input;

    CountedStream(LazyInput input) {
      super(input);
      this.input = input;
    }

    @Override
    public long getPos() throws IOException {
      return input.opened().getPos();
    }

    @Override
    public void seek(long position) throws IOException {
      input.opened().seek(position);
    }
  }

  private static final class LazyInput extends InputStream {
    private final org.apache.iceberg.io.InputFile file;
    private final LongAdder bytes;
    private org.apache.iceberg.io.SeekableInputStream stream;

    LazyInput(org.apache.iceberg.io.InputFile file, LongAdder bytes) {
      this.file = file;
      this.bytes = bytes;
    }

    org.apache.iceberg.io.SeekableInputStream opened() {
      if (stream == null) {
        stream = file.newStream();
      }
      return stream;
    }

    @Override
    public int read() throws IOException {
      int value = opened().read();
      bytes.add(value < 0 ? 0 : 1);
      return value;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      int count = opened().read(buffer, offset, length);
      bytes.add(Math.max(count, 0));
      return count;
    }

    @Override
    public void close() throws IOException {
      if (stream != null) {
        stream.close();
      }
    }
  }
}
