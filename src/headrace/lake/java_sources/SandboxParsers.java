package headrace;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import scala.runtime.AbstractFunction2;

/** Makes the parser of each new session. */
public final class SandboxParsers extends AbstractFunction2 {
    public SandboxParsers() {}

    public Object apply(Object session, Object parser) {
        return new SandboxParser((SparkSession) session, (ParserInterface) parser);
    }
}
