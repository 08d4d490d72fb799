package headrace.lookup;

import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** What a look-up has found. */
public final class FoundRows {
  private static final String IS_OLD = "__hr_old";
  private static final String IS_NEW = "__hr_new";

  private final SparkSession spark;
  private final ReadColumns columns;
  private final InternalRow[] rows;
  private final long read;
  private final ReadFigures figures;

  FoundRows(
      SparkSession spark, ReadColumns columns, InternalRow[] rows, long read, ReadFigures figures) {
    this.spark = spark;
    this.columns = columns;
    this.rows = rows;
    this.read = read;
    this.figures = figures;
  }

  /** Values of the columns in order, then whether the row is in the old and in the new version. */
  public InternalRow[] rows() {
    return rows;
  }

  /** The same, to be read by SQL. */
  public Dataset<Row> frame() {
    StructType type =
        columns
            .sparkType()
            .add(IS_OLD, DataTypes.BooleanType, false)
            .add(IS_NEW, DataTypes.BooleanType, false);
    return LocalRows.frame(spark, type, rows);
  }

  public long count() {
    return rows.length;
  }

  /** Of these rows: others were known before. */
  public long read() {
    return read;
  }

  public ReadFigures figures() {
    return figures;
  }
}
