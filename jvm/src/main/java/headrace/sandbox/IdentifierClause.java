package headrace.sandbox;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser$;
import scala.collection.immutable.ArraySeq;
import scala.collection.immutable.Seq;

/** The name that IDENTIFIER() stands for, which Spark itself learns only while it analyses. */
final class IdentifierClause {
  private IdentifierClause() {}

  /** The name that an expression of literals gives; null where only running it would tell. */
  static Seq<String> nameOf(Expression expression) {
    try {
      if (!expression.foldable() || !expression.resolved()) {
        return null;
      }
      Object value = expression.eval(null);
      return value == null
          ? null
          : CatalystSqlParser$.MODULE$.parseMultipartIdentifier(value.toString());
    } catch (Exception unknown) {
      return null;
    }
  }

  /** In the place of a name that is not known. */
  static Seq<String> placeholder() {
    return ArraySeq.unsafeWrapArray(new String[] {"headrace_placeholder"});
  }
}
