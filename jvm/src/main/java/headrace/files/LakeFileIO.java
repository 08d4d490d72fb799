package headrace.files;

import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.iceberg.util.SerializableSupplier;

/**
 * Files by way of Hadoop. Every scan and every write sends its table to the tasks, and Iceberg
 * sends all of Hadoop's settings along, 19 KB; this sends those that are not Hadoop's defaults.
 */
public final class LakeFileIO extends HadoopFileIO {
  private static final long serialVersionUID = 1L;

  @Override
  public void setConf(Configuration settings) {
    super.setConf(settings);
    super.serializeConfWith(complete -> ChangedSettings.of(settings));
  }

  /** They are in the form to be sent since they were set. */
  @Override
  public void serializeConfWith(
      Function<Configuration, SerializableSupplier<Configuration>> larger) {}
}
