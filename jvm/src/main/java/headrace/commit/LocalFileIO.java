package headrace.commit;

import java.io.File;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.iceberg.Files;
import org.apache.iceberg.hadoop.HadoopOutputFile;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/** Files of this machine, read without Hadoop and written without its checksums and processes. */
final class LocalFileIO implements FileIO {
  private static final long serialVersionUID = 1L;
  private static final Configuration CONFIGURATION = PlainLocalFileSystem.configuration();

  @Override
  public InputFile newInputFile(String path) {
    return Files.localInput(path);
  }

  @Override
  public OutputFile newOutputFile(String path) {
    return HadoopOutputFile.fromPath(new Path(path), CONFIGURATION);
  }

  @Override
  public void deleteFile(String path) {
    new File(path).delete();
  }
}
