package headrace.lookup;

/** There are more rows than the driver was to hold. */
public final class TooManyRows extends Exception {
  private static final long serialVersionUID = 1L;
}
