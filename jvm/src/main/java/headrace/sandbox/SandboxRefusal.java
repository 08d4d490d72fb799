package headrace.sandbox;

/** A statement reaches for something that the sandbox does not hold; the message names it. */
public final class SandboxRefusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SandboxRefusal(String message) {
    super(message);
  }
}
