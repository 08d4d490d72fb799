package headrace.sandbox;

import java.io.IOException;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import scala.runtime.BoxedUnit;

/**
 * Which sessions are in a sandbox. Held here, and not as a setting, so that no statement can change
 * it.
 */
public final class SandboxSessions {
  private static final Map<SparkSession, SandboxPolicy> POLICIES =
      Collections.synchronizedMap(new WeakHashMap<>());

  private SandboxSessions() {}

  /** Makes sessions that are opened from now on able to be enclosed. */
  public static void install(SparkSessionExtensions extensions) {
    extensions.injectParser(SandboxParser::new);
    extensions.injectCheckRule(
        session ->
            plan -> {
              check(session, plan);
              return BoxedUnit.UNIT;
            });
  }

  /** From now on; the policy is given as JSON. */
  public static void enclose(SparkSession session, String policy) throws IOException {
    POLICIES.put(session, SandboxPolicy.read(policy));
  }

  /** Looks at a plan before anything of it is run. */
  static void check(SparkSession session, Object plan) {
    SandboxPolicy policy = POLICIES.get(session);
    if (policy != null) {
      new SandboxCheck(policy).check(plan);
    }
  }
}
