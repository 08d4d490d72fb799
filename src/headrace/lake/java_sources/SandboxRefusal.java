package headrace;

/** A statement that reaches for something that the sandbox does not hold. */
public final class SandboxRefusal extends RuntimeException {
    public SandboxRefusal(String message) {
        super(message);
    }
}
