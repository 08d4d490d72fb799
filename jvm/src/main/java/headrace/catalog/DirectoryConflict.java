package headrace.catalog;

/**
 * Two tables would have files in one directory, where cleaning up after one deletes the other's.
 */
public final class DirectoryConflict extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DirectoryConflict(String message) {
    super(message);
  }
}
