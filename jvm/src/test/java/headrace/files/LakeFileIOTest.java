package headrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.hadoop.SerializableConfiguration;
import org.apache.iceberg.util.SerializationUtil;
import org.junit.jupiter.api.Test;

class LakeFileIOTest {
  @Test
  void settingsThatAreNoDefaultsArriveAndAreAllThatIsSent() {
    var settings = new Configuration();
    settings.set("fs.s3a.endpoint", "http://127.0.0.1:9000");
    settings.set("io.file.buffer.size", "8192");
    var io = new LakeFileIO();
    io.setConf(settings);

    io.serializeConfWith(found -> new SerializableConfiguration(found)::get);
    byte[] sent = SerializationUtil.serializeToBytes(io);
    LakeFileIO received = SerializationUtil.deserializeFromBytes(sent);

    assertEquals("http://127.0.0.1:9000", received.getConf().get("fs.s3a.endpoint"));
    assertEquals("8192", received.getConf().get("io.file.buffer.size"));
    assertEquals(
        settings.get("io.compression.codecs"), received.getConf().get("io.compression.codecs"));
    assertTrue(sent.length < 4_000, () -> sent.length + " bytes");
  }
}
