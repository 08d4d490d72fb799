package headrace.lookup;

/** Rows of a file cannot be read in this way, for the reason given; they can in others. */
public final class Obstacle extends Exception {
  private static final long serialVersionUID = 1L;

  public Obstacle(String reason) {
    super(reason);
  }
}
