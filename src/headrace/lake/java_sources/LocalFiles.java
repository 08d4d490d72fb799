package headrace;

import java.io.File;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.iceberg.Files;
import org.apache.iceberg.hadoop.HadoopOutputFile;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/** Files of this machine. */
public final class LocalFiles implements FileIO {
    private static final Configuration CONFIGURATION = PlainLocalFileSystem.configuration();

    public InputFile newInputFile(String path) {
        return Files.localInput(path);
    }

    public OutputFile newOutputFile(String path) {
        return HadoopOutputFile.fromPath(new Path(path), CONFIGURATION);
    }

    public void deleteFile(String path) {
        new File(path).delete();
    }
}
