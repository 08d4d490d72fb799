package headrace;

/** A directory that two tables would have files in. */
public final class DirectoryConflict extends RuntimeException {
    public DirectoryConflict(String message) {
        super(message);
    }
}
