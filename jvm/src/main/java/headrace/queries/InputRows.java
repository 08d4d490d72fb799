package headrace.queries;

import headrace.changes.StagedSizes;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import scala.jdk.javaapi.CollectionConverters;
import scala.math.BigInt;

/** How many rows an optimized query is going to read, at most: known before it runs. */
final class InputRows {
  private InputRows() {}

  static BigInt of(LogicalPlan optimized) {
    BigInt rows = ofLeaves(optimized);
    for (LogicalPlan subquery : CollectionConverters.asJava(optimized.subqueriesAll())) {
      rows = rows.$plus(ofLeaves(subquery));
    }
    return rows;
  }

  private static BigInt ofLeaves(LogicalPlan plan) {
    BigInt rows = BigInt.apply(0);
    for (LogicalPlan leaf : CollectionConverters.asJava(plan.collectLeaves())) {
      rows = rows.$plus(ofLeaf(leaf));
    }
    return rows;
  }

  /** Iceberg says of staged tasks how many rows their table has. */
  private static BigInt ofLeaf(LogicalPlan leaf) {
    if (leaf instanceof LocalRelation local) {
      return BigInt.apply(CollectionConverters.asJava(local.data()).size());
    }
    if (leaf instanceof DataSourceV2ScanRelation read && StagedSizes.isStaged(read.scan())) {
      var staged = StagedSizes.of(read.relation().table(), read.scan());
      if (staged.isPresent()) {
        return BigInt.apply(staged.get().rows());
      }
    }
    Statistics statistics = leaf.stats();
    return statistics.rowCount().isDefined()
        ? statistics.rowCount().get()
        : statistics.sizeInBytes();
  }
}
