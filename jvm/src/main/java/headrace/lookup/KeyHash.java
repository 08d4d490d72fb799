package headrace.lookup;

import java.math.BigInteger;
import org.apache.parquet.io.api.Binary;

/** Of a key, as a position index stores it: it must never change. */
final class KeyHash {
  private static final long OF_NULL = 0x9E37_79B9_7F4A_7C15L;
  private static final long PRIME = 0x1000_0000_01B3L;

  private KeyHash() {}

  /** Of values as {@link KeyType} has them. */
  static int of(Object[] key) {
    long hash = 0;
    for (Object value : key) {
      hash = mixed(hash * PRIME + ofValue(value));
    }
    return (int) (hash >>> Integer.SIZE);
  }

  private static long ofValue(Object value) {
    if (value == null) {
      return OF_NULL;
    } else if (value instanceof Long number) {
      return mixed(number);
    } else if (value instanceof Binary binary) {
      return ofBytes(binary.getBytesUnsafe());
    }
    return ofBytes(((BigInteger) value).toByteArray());
  }

  private static long ofBytes(byte[] bytes) {
    long hash = bytes.length;
    for (byte each : bytes) {
      hash = (hash ^ each) * PRIME;
    }
    return mixed(hash);
  }

  private static long mixed(long value) {
    long hash = (value ^ (value >>> 33)) * 0xFF51_AFD7_ED55_8CCDL;
    hash = (hash ^ (hash >>> 33)) * 0xC4CE_B9FE_1A85_EC53L;
    return hash ^ (hash >>> 33);
  }
}
