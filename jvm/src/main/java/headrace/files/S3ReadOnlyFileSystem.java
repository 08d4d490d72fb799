package headrace.files;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;

/**
 * Files on S3 for Spark's readers, which know only Hadoop's file systems: by the client that
 * Iceberg has, as Hadoop's own would be another half a gigabyte. Nothing is written, and nothing is
 * listed.
 */
public final class S3ReadOnlyFileSystem extends FileSystem {
  /** Of the settings that follow it the names are those of Iceberg's file IO. */
  private static final String PREFIX = "headrace.file-io.";

  private URI bucket;
  private FileIO io;

  @Override
  public void initialize(URI name, Configuration settings) throws IOException {
    super.initialize(name, settings);
    setConf(settings);
    bucket = URI.create(name.getScheme() + "://" + name.getAuthority());
    var properties = new HashMap<>(settings.getPropsWithPrefix(PREFIX));
    io = CatalogUtil.loadFileIO("org.apache.iceberg.aws.s3.S3FileIO", properties, settings);
  }

  @Override
  public URI getUri() {
    return bucket;
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    InputFile file = existing(path);
    return new FSDataInputStream(new Content(file));
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    return new FileStatus(existing(path).getLength(), false, 1, 64L << 20, 0, makeQualified(path));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    return new FileStatus[] {getFileStatus(path)};
  }

  private InputFile existing(Path path) throws IOException {
    InputFile file = io.newInputFile(makeQualified(path).toString());
    try {
      file.getLength();
    } catch (NotFoundException missing) {
      throw new FileNotFoundException(path.toString());
    }
    return file;
  }

  @Override
  public void close() throws IOException {
    super.close();
    io.close();
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress) {
    throw readOnly();
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
    throw readOnly();
  }

  @Override
  public boolean rename(Path from, Path to) {
    throw readOnly();
  }

  @Override
  public boolean delete(Path path, boolean recursive) {
    throw readOnly();
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) {
    throw readOnly();
  }

  @Override
  public void setWorkingDirectory(Path path) {}

  @Override
  public Path getWorkingDirectory() {
    return new Path(bucket.toString() + "/");
  }

  private static UnsupportedOperationException readOnly() {
    return new UnsupportedOperationException("files on S3 are only read here");
  }

  private static final class Content extends FSInputStream {
    private final SeekableInputStream content;
    private final long length;

    Content(InputFile file) {
      this.content = file.newStream();
      this.length = file.getLength();
    }

    @Override
    public void seek(long position) throws IOException {
      if (position > length) {
        throw new EOFException();
      }
      content.seek(position);
    }

    @Override
    public long getPos() throws IOException {
      return content.getPos();
    }

    @Override
    public boolean seekToNewSource(long position) {
      return false;
    }

    @Override
    public int read() throws IOException {
      return getPos() >= length ? -1 : content.read();
    }

    @Override
    public int read(byte[] buffer, int offset, int size) throws IOException {
      return getPos() >= length ? -1 : content.read(buffer, offset, size);
    }

    @Override
    public void close() throws IOException {
      content.close();
    }
  }
}
