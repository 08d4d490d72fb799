package headrace;

import org.apache.spark.sql.SparkSession;
import scala.runtime.AbstractFunction1;

/** Makes the rule of each new session. */
public final class SandboxRules extends AbstractFunction1 {
    public SandboxRules() {}

    public Object apply(Object session) {
        return new SandboxRule((SparkSession) session);
    }
}
