package headrace.lookup;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.parquet.io.api.Binary;

/** The values of one key column that are looked for, in order. */
final class KeyColumn {
  /** Iceberg compares longer lists with nothing. */
  private static final int LONGEST_LIST = 200;

  private static final int RANGES = 64;

  private final Types.NestedField field;
  private final KeyType type;
  private final Object[] values;
  private final Set<Object> distinct;
  private final boolean hasNull;

  KeyColumn(Types.NestedField field, Iterable<Object> wanted) {
    this.field = field;
    this.type = KeyType.of(field.type());
    this.distinct = new HashSet<>();
    wanted.forEach(distinct::add);
    this.hasNull = distinct.remove(null);
    this.values = distinct.toArray();
    Arrays.sort(values, type.order());
  }

  Types.NestedField field() {
    return field;
  }

  KeyType type() {
    return type;
  }

  boolean hasNull() {
    return hasNull;
  }

  /** Not to be called for NULL. */
  boolean contains(Object value) {
    return distinct.contains(value);
  }

  /** Whether any value lies between the bounds, both of them included. */
  boolean overlaps(Object lower, Object upper) {
    int place = Arrays.binarySearch(values, lower, type.order());
    int next = place < 0 ? -place - 1 : place;
    return next < values.length && type.order().compare(values[next], upper) <= 0;
  }

  /** True of every row that has one of the values; of others, perhaps. */
  Expression filter() {
    String name = field.name();
    if (!Arrays.stream(values).allMatch(this::hasLiteral)) {
      return Expressions.alwaysTrue();
    }
    Expression found = Expressions.alwaysFalse();
    if (values.length <= LONGEST_LIST) {
      Object[] listed = Arrays.stream(values).map(this::literal).toArray();
      found = listed.length == 0 ? found : Expressions.in(name, listed);
    } else {
      for (int i = 0; i < RANGES; i++) {
        int first = (int) ((long) values.length * i / RANGES);
        int next = (int) ((long) values.length * (i + 1) / RANGES);
        found = Expressions.or(found, between(name, values[first], values[next - 1]));
      }
    }
    return hasNull ? Expressions.or(found, Expressions.isNull(name)) : found;
  }

  private Expression between(String name, Object lower, Object upper) {
    return Expressions.and(
        Expressions.greaterThanOrEqual(name, literal(lower)),
        Expressions.lessThanOrEqual(name, literal(upper)));
  }

  /** Not text that is no UTF-8, which would become other text. */
  private boolean hasLiteral(Object value) {
    return field.type().typeId() != Type.TypeID.STRING
        || Binary.fromString(((Binary) value).toStringUsingUTF8()).equals(value);
  }

  /** As Iceberg's expressions take it. */
  private Object literal(Object value) {
    return switch (field.type().typeId()) {
      case BOOLEAN -> (Long) value != 0;
      case INTEGER, DATE -> ((Long) value).intValue();
      case STRING -> ((Binary) value).toStringUsingUTF8();
      case BINARY -> ((Binary) value).toByteBuffer();
      case DECIMAL -> new BigDecimal(unscaled(value), ((Types.DecimalType) field.type()).scale());
      default -> value;
    };
  }

  private static BigInteger unscaled(Object value) {
    return value instanceof Long number ? BigInteger.valueOf(number) : (BigInteger) value;
  }
}
