package headrace.lookup;

import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.types.DataTypeUtils;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.ArraySeq;
import scala.collection.immutable.Seq;

/** Rows in the driver's memory as a relation of a session. */
public final class LocalRows {
  private LocalRows() {}

  public static Dataset<Row> frame(SparkSession spark, StructType type, InternalRow[] rows) {
    @SuppressWarnings("unchecked") // a sequence that cannot be changed
    var output = (Seq<Attribute>) (Seq<?>) DataTypeUtils.toAttributes(type);
    var data = ArraySeq.<InternalRow>unsafeWrapArray(rows);
    return Dataset.ofRows(spark, new LocalRelation(output, data, false, Option.empty()));
  }
}
