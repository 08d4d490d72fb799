package headrace;

import org.apache.spark.sql.SparkSession;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** Looks at each plan of a session that Spark has analysed, before anything of it is run. */
public final class SandboxRule extends AbstractFunction1 {
    private final SparkSession session;

    public SandboxRule(SparkSession session) {
        this.session = session;
    }

    public Object apply(Object plan) {
        SandboxPolicy policy = SandboxSessions.policyOf(session);
        if (policy != null) {
            new SandboxCheck(policy).check(plan);
        }
        return BoxedUnit.UNIT;
    }
}
