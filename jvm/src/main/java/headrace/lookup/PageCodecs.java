package headrace.lookup;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;

/**
 * The library's codecs, but for Zstandard, which is what Iceberg writes: a page is decompressed in
 * one call, without a stream of its own. For the pages of one file, in one thread.
 */
final class PageCodecs implements CompressionCodecFactory {
  private final CompressionCodecFactory others;
  private ZstdPages zstd;

  PageCodecs(CompressionCodecFactory others) {
    this.others = others;
  }

  @Override
  public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
    if (codec != CompressionCodecName.ZSTD) {
      return others.getDecompressor(codec);
    }
    if (zstd == null) {
      zstd = new ZstdPages();
    }
    return zstd;
  }

  @Override
  public BytesInputCompressor getCompressor(CompressionCodecName codec) {
    return others.getCompressor(codec);
  }

  @Override
  public void release() {
    others.release();
    if (zstd != null) {
      zstd.context.close();
      zstd = null;
    }
  }

  private static final class ZstdPages implements BytesInputDecompressor {
    private final ZstdDecompressCtx context = new ZstdDecompressCtx();

    @Override
    public BytesInput decompress(BytesInput bytes, int size) throws IOException {
      byte[] stored = new byte[(int) bytes.size()];
      bytes.toInputStream().readNBytes(stored, 0, stored.length);
      byte[] page = new byte[size];
      try {
        int written = context.decompressByteArray(page, 0, size, stored, 0, stored.length);
        if (written != size) {
          throw new IOException("a page of " + size + " bytes has " + written);
        }
      } catch (ZstdException damaged) {
        throw new IOException("a page cannot be decompressed", damaged);
      }
      return BytesInput.from(page);
    }

    @Override
    public void decompress(
        ByteBuffer input, int compressedSize, ByteBuffer output, int decompressedSize) {
      throw new UnsupportedOperationException("pages are on the heap");
    }

    /** The file that it belongs to is still open. */
    @Override
    public void release() {}
  }
}
