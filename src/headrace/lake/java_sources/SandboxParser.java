package headrace;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.parser.ParameterContext;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;

/** Spark's parser, whose plans are looked at before anything in them is resolved. */
public final class SandboxParser implements ParserInterface {
    private final SparkSession session;
    private final ParserInterface parser;

    public SandboxParser(SparkSession session, ParserInterface parser) {
        this.session = session;
        this.parser = parser;
    }

    public LogicalPlan parsePlan(String text) throws ParseException {
        return (LogicalPlan) checked(parser.parsePlan(text));
    }

    public LogicalPlan parsePlanWithParameters(String text, ParameterContext parameters) throws ParseException {
        return (LogicalPlan) checked(parser.parsePlanWithParameters(text, parameters));
    }

    public LogicalPlan parseQuery(String text) throws ParseException {
        return (LogicalPlan) checked(parser.parseQuery(text));
    }

    public Expression parseExpression(String text) throws ParseException {
        return (Expression) checked(parser.parseExpression(text));
    }

    public TableIdentifier parseTableIdentifier(String text) throws ParseException {
        return parser.parseTableIdentifier(text);
    }

    public FunctionIdentifier parseFunctionIdentifier(String text) throws ParseException {
        return parser.parseFunctionIdentifier(text);
    }

    public Seq parseMultipartIdentifier(String text) throws ParseException {
        return parser.parseMultipartIdentifier(text);
    }

    public StructType parseRoutineParam(String text) throws ParseException {
        return parser.parseRoutineParam(text);
    }

    public StructType parseTableSchema(String text) throws ParseException {
        return parser.parseTableSchema(text);
    }

    public DataType parseDataType(String text) throws ParseException {
        return parser.parseDataType(text);
    }

    private Object checked(Object plan) {
        SandboxPolicy policy = SandboxSessions.policyOf(session);
        if (policy != null) {
            new SandboxCheck(policy).check(plan);
        }
        return plan;
    }
}
