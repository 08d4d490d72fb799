package headrace.results;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * The process that reads a result: where it listens, and the secret by which it knows the sender.
 */
record Receiver(String host, int port, String secret) implements Serializable {
  private static final int CONNECT_MILLIS = 20_000;
  private static final int BUFFER_BYTES = 1 << 16;

  Connection connect(int partition) throws IOException {
    var socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
      socket.setTcpNoDelay(true);
      return new Connection(socket, secret, partition);
    } catch (IOException error) {
      socket.close();
      throw error;
    }
  }

  /** Of one partition, or of the driver. */
  static final class Connection implements Closeable {
    private final Socket socket;
    private final DataOutputStream out;

    private Connection(Socket socket, String secret, int partition) throws IOException {
      this.socket = socket;
      out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES));
      out.write(secret.getBytes(StandardCharsets.US_ASCII));
      out.writeInt(partition);
    }

    DataOutputStream out() {
      return out;
    }

    /** Until the receiver has stored everything. */
    void awaitStored() throws IOException {
      out.flush();
      if (socket.getInputStream().read() != 1) {
        throw new IOException("the result is no longer received");
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
