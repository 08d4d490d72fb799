package headrace;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.SparkPlan;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction0;

/** The rows of a query in the driver's memory, as Spark has them. */
public final class SmallRows {
    private final Dataset frame;
    private InternalRow[] rows;

    public SmallRows(Dataset frame) {
        this.frame = frame;
    }

    /** How many there are. */
    public int collect() {
        QueryExecution execution = frame.queryExecution();
        final SparkPlan plan = execution.executedPlan();
        rows =
                (InternalRow[])
                        SQLExecution.withNewExecutionId(
                                execution,
                                Option.empty(),
                                new AbstractFunction0() {
                                    public Object apply() {
                                        return plan.executeCollect();
                                    }
                                });
        return rows.length;
    }

    public InternalRow[] rows() {
        return rows;
    }

    /** To be read again, as often as one likes. */
    public Dataset again() {
        return Dataset.ofRows(
                frame.sparkSession(),
                new LocalRelation(
                        frame.queryExecution().analyzed().output(),
                        CollectionConverters.asScala(Arrays.asList(rows)).toSeq(),
                        false,
                        Option.empty()));
    }
}
