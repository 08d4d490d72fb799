package headrace.messages;

/** A message cannot be read; the others can. */
public final class BadMessage extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BadMessage(String message) {
    super(message);
  }
}
