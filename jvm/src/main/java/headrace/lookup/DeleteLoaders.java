package headrace.lookup;

import org.apache.iceberg.Table;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.encryption.EncryptingFileIO;

/** Makes readers of a table's delete files, which may be encrypted. */
public final class DeleteLoaders {
  private DeleteLoaders() {}

  public static DeleteLoader of(Table table) {
    EncryptingFileIO io = EncryptingFileIO.combine(table.io(), table.encryption());
    return new BaseDeleteLoader(io::newInputFile);
  }
}
