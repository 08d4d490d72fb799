package headrace.sandbox;

/**
 * A statement would change something in a session that only reads; the message names the plan node.
 */
public final class PermissionRefusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PermissionRefusal(String message) {
    super(message);
  }
}
