package headrace;

import java.util.function.Function;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.encryption.EncryptingFileIO;

/** Reads the delete files of tables. */
public final class DeleteLoaders {
    public static DeleteLoader of(Table table) {
        final EncryptingFileIO io = EncryptingFileIO.combine(table.io(), table.encryption());
        return new BaseDeleteLoader(
                new Function() {
                    public Object apply(Object delete) {
                        return io.newInputFile((DeleteFile) delete);
                    }
                });
    }
}
