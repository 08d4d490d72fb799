package headrace;

import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.spark.sql.SparkSession;

/** Which sessions are in a sandbox. Held here, and not as a setting, so that no statement can change it. */
public final class SandboxSessions {
    private static final Map POLICIES = Collections.synchronizedMap(new WeakHashMap());

    public SandboxSessions() {}

    public void enclose(SparkSession session, SandboxPolicy policy) {
        POLICIES.put(session, policy);
    }

    public static SandboxPolicy policyOf(SparkSession session) {
        return (SandboxPolicy) POLICIES.get(session);
    }
}
