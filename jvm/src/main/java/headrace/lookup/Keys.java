package headrace.lookup;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.InternalRow;

/** The keys that are looked for. A key that is found is known by its place among them. */
final class Keys {
  static final int NONE = -1;

  private final List<KeyColumn> columns = new ArrayList<>();
  private final Map<List<Object>, Integer> places = new HashMap<>();
  private final LongIndex numbers;
  private final int[] hashes;

  Keys(List<Types.NestedField> fields, InternalRow[] rows) {
    var tuples = new ArrayList<List<Object>>(rows.length);
    for (InternalRow row : rows) {
      tuples.add(tuple(fields, row));
    }
    for (int i = 0; i < fields.size(); i++) {
      int place = i;
      columns.add(
          new KeyColumn(
              fields.get(i), () -> tuples.stream().map(each -> each.get(place)).iterator()));
    }
    for (int i = 0; i < tuples.size(); i++) {
      places.putIfAbsent(tuples.get(i), i);
    }
    boolean isNumber = columns.size() == 1 && columns.get(0).type() == KeyType.LONG;
    this.numbers = isNumber ? numbers(tuples) : null;
    this.hashes = tuples.stream().mapToInt(key -> KeyHash.of(key.toArray())).distinct().toArray();
  }

  /** The values of a key, as they are compared. */
  static List<Object> tuple(List<Types.NestedField> fields, InternalRow row) {
    var values = new Object[fields.size()];
    for (int i = 0; i < values.length; i++) {
      var type = fields.get(i).type();
      values[i] = row.isNullAt(i) ? null : KeyType.of(type).ofRow(row, i, type);
    }
    return Arrays.asList(values);
  }

  private static LongIndex numbers(List<List<Object>> tuples) {
    var found = new HashMap<Long, Integer>();
    for (int i = 0; i < tuples.size(); i++) {
      if (tuples.get(i).get(0) != null) {
        found.putIfAbsent((Long) tuples.get(i).get(0), i);
      }
    }
    return new LongIndex(found);
  }

  List<KeyColumn> columns() {
    return columns;
  }

  /** By value, if keys are single numbers, else null; NULL is not among them. */
  LongIndex numbers() {
    return numbers;
  }

  /** Of all keys, each once. */
  int[] hashes() {
    return hashes;
  }

  /** The place of a key, or NONE. */
  int find(Object[] values) {
    return places.getOrDefault(Arrays.asList(values), NONE);
  }
}
