package headrace.messages;

/** Messages cannot be read with a schema, whatever they are. */
public final class BadSchema extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BadSchema(String message) {
    super(message);
  }
}
