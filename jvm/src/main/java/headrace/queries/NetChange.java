package headrace.queries;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Rows with a weight behind their columns, added up: of each key what is to be done, and the row.
 *
 * <p>Columns are not nested; values are equal as in GROUP BY.
 */
final class NetChange {
  private static final UTF8String INSERT = UTF8String.fromString("insert");
  private static final UTF8String UPDATE = UTF8String.fromString("update");
  private static final UTF8String DELETE = UTF8String.fromString("delete");

  private final StructType type;
  private final int width;
  private final int[] keys;

  /** The rows of one key that came and went. */
  private static final class OfKey {
    private InternalRow came;
    private InternalRow gone;
    private boolean isTwice;

    void add(InternalRow row, long weight) {
      isTwice |= Math.abs(weight) > 1 || (weight > 0 ? came : gone) != null;
      if (weight > 0) {
        came = row;
      } else {
        gone = row;
      }
    }
  }

  private record Weighted(InternalRow row, long weight) {
    Weighted plus(Weighted other) {
      return new Weighted(row, weight + other.weight);
    }
  }

  NetChange(StructType type, int[] keys) {
    this.type = type;
    this.width = type.length() - 1;
    this.keys = keys;
  }

  /** The columns without the weight, what is to be done, and room for the place of the old row. */
  StructType type() {
    var fields = new ArrayList<>(List.of(type.fields()).subList(0, width));
    return DataTypes.createStructType(fields)
        .add("__hr_action", DataTypes.StringType)
        .add("__hr_file", DataTypes.StringType)
        .add("__hr_position", DataTypes.LongType)
        .add("__hr_row", DataTypes.LongType);
  }

  /** Null if there are two changes to one row. */
  InternalRow[] of(InternalRow[] rows) {
    var byKey = new LinkedHashMap<List<Object>, OfKey>();
    for (Weighted each : net(rows)) {
      List<Object> key = new ArrayList<>();
      for (int place : keys) {
        key.add(comparable(each.row(), place));
      }
      byKey.computeIfAbsent(key, first -> new OfKey()).add(each.row(), each.weight());
    }
    if (byKey.values().stream().anyMatch(each -> each.isTwice)) {
      return null;
    }
    return byKey.values().stream().map(this::action).toArray(InternalRow[]::new);
  }

  private List<Weighted> net(InternalRow[] rows) {
    Map<List<Object>, Weighted> sums = new LinkedHashMap<>();
    for (InternalRow row : rows) {
      List<Object> values = new ArrayList<>();
      for (int i = 0; i < width; i++) {
        values.add(comparable(row, i));
      }
      sums.merge(values, new Weighted(row, row.getLong(width)), Weighted::plus);
    }
    return sums.values().stream().filter(sum -> sum.weight() != 0).toList();
  }

  private InternalRow action(OfKey changed) {
    InternalRow row = changed.came == null ? changed.gone : changed.came;
    var values = new Object[width + 4];
    for (int i = 0; i < width; i++) {
      values[i] = row.isNullAt(i) ? null : row.get(i, dataType(i));
    }
    values[width] = changed.came == null ? DELETE : changed.gone == null ? INSERT : UPDATE;
    return new GenericInternalRow(values);
  }

  private DataType dataType(int place) {
    return type.fields()[place].dataType();
  }

  private Object comparable(InternalRow row, int place) {
    if (row.isNullAt(place)) {
      return null;
    }
    Object value = row.get(place, dataType(place));
    if (value instanceof byte[] binary) {
      return ByteBuffer.wrap(binary);
    }
    if (value instanceof Double number) {
      return number == 0 ? (Object) 0.0 : number;
    }
    if (value instanceof Float number) {
      return number == 0 ? (Object) 0.0f : number;
    }
    return value;
  }
}
