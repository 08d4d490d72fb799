package headrace;

import java.util.Collections;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.iceberg.spark.CommitMetadata;
import org.apache.spark.sql.SparkSession;

/** A statement whose commit to an Iceberg table carries a mark in its summary. */
public final class MarkedStatement implements Callable {
    private final SparkSession session;
    private final String text;
    private final Object arguments;

    public MarkedStatement(SparkSession session, String text, Object arguments) {
        this.session = session;
        this.text = text;
        this.arguments = arguments;
    }

    public Object run(String key, String value) throws Exception {
        return CommitMetadata.withCommitProperties(
                Collections.singletonMap(key, value), this, Exception.class);
    }

    public Object call() {
        if (arguments instanceof Map) {
            return session.sql(text, (Map) arguments);
        }
        return session.sql(text, arguments);
    }
}
