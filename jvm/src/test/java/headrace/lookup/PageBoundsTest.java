package headrace.lookup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.iceberg.types.Types.IntegerType;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.iceberg.types.Types.StringType;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.internal.column.columnindex.ColumnIndex;
import org.apache.parquet.internal.column.columnindex.ColumnIndexBuilder;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.internal.column.columnindex.OffsetIndexBuilder;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;
import org.junit.jupiter.api.Test;

class PageBoundsTest {
  private static final int ROWS_IN_PAGE = 10;
  private static final int TRUNCATED = 3;
  private static final PrimitiveType NUMBER =
      Types.optional(PrimitiveTypeName.INT32).named("number");
  private static final PrimitiveType TEXT =
      Types.optional(PrimitiveTypeName.BINARY).as(LogicalTypeAnnotation.stringType()).named("text");

  private static KeyColumn numbers(Object... wanted) {
    return new KeyColumn(NestedField.optional(1, "k", IntegerType.get()), Arrays.asList(wanted));
  }

  private static KeyColumn texts(String... wanted) {
    List<Object> values = new ArrayList<>();
    List.of(wanted).forEach(each -> values.add(Binary.fromString(each)));
    return new KeyColumn(NestedField.optional(1, "k", StringType.get()), values);
  }

  /** Each page has the values given, null for NULL. */
  private static ColumnIndex index(PrimitiveType type, List<List<Object>> pages) {
    var builder = ColumnIndexBuilder.getBuilder(type, TRUNCATED);
    for (List<Object> page : pages) {
      Statistics<?> statistics = Statistics.createStats(type);
      for (Object value : page) {
        if (value == null) {
          statistics.incrementNumNulls();
        } else if (value instanceof Integer number) {
          statistics.updateStats(number);
        } else {
          statistics.updateStats(Binary.fromString((String) value));
        }
      }
      builder.add(statistics);
    }
    return builder.build();
  }

  private static List<Integer> chosen(
      KeyColumn column, PrimitiveType type, List<List<Object>> pages) {
    var bounds = PageBounds.of(index(type, pages), column.type(), type.getPrimitiveTypeName());
    return pagesOf(bounds.rows(column, offsets(pages), (long) ROWS_IN_PAGE * pages.size()));
  }

  private static List<Integer> like(int page, List<List<Object>> pages) {
    var bounds = PageBounds.of(index(NUMBER, pages), KeyType.LONG, NUMBER.getPrimitiveTypeName());
    long rowCount = (long) ROWS_IN_PAGE * pages.size();
    return pagesOf(bounds.rows(bounds, page, KeyType.LONG.order(), offsets(pages), rowCount));
  }

  private static OffsetIndex offsets(List<List<Object>> pages) {
    var offsets = OffsetIndexBuilder.getBuilder();
    for (int i = 0; i < pages.size(); i++) {
      offsets.add(100 * i, 100, (long) ROWS_IN_PAGE * i, java.util.Optional.empty());
    }
    return offsets.build();
  }

  private static List<Integer> pagesOf(RowRanges rows) {
    var found = new ArrayList<Integer>();
    rows.iterator()
        .forEachRemaining(
            (long row) -> {
              if (row % ROWS_IN_PAGE == 0) {
                found.add((int) row / ROWS_IN_PAGE);
              }
            });
    assertEquals((long) ROWS_IN_PAGE * found.size(), rows.rowCount());
    return found;
  }

  private static List<Object> page(Object... values) {
    return Arrays.asList(values);
  }

  @Test
  void pagesWhoseBoundsHaveAKeyBetweenThem() {
    var pages = List.of(page(1, 5), page(7, 9), page(-3, 20), page(10, 10));
    assertEquals(List.of(0, 2), chosen(numbers(5L), NUMBER, pages));
    assertEquals(List.of(2), chosen(numbers(6L), NUMBER, pages));
    assertEquals(List.of(2, 3), chosen(numbers(10L, 100L), NUMBER, pages));
    assertEquals(List.of(), chosen(numbers(-4L, 21L, Long.MAX_VALUE), NUMBER, pages));
    assertEquals(List.of(), chosen(numbers(), NUMBER, pages));
  }

  @Test
  void pagesThatMayHaveTheKeysOfAPage() {
    var inOrder = List.of(page(1, 5), page(5, 8), page(9, 20), page(21, 21));
    assertEquals(List.of(0, 1), like(1, inOrder));
    assertEquals(List.of(2), like(2, inOrder));
    var spread = List.of(page(1, 90), page(2, 80), page((Object) null), page(85, 99, null));
    assertEquals(List.of(0, 1, 3), like(0, spread));
    assertEquals(List.of(0, 3), like(3, spread));
    assertEquals(List.of(2, 3), like(2, spread));
  }

  @Test
  void nullIsInPagesThatCountIt() {
    var pages = List.of(page(1, null), page((Object) null), page(1, 2));
    assertEquals(List.of(0, 1), chosen(numbers((Object) null), NUMBER, pages));
    assertEquals(List.of(0, 1, 2), chosen(numbers(null, 2L), NUMBER, pages));
    assertEquals(List.of(2), chosen(numbers(2L), NUMBER, pages));
  }

  @Test
  void boundsOfLongTextAreShortened() {
    var pages = List.of(page("abcdef", "abcxyz"), page("abdzzz", "b"), page("é", "日本"));
    assertEquals(List.of(0), chosen(texts("abcmmm"), TEXT, pages));
    assertEquals(List.of(0), chosen(texts("abczzz"), TEXT, pages));
    assertEquals(List.of(0, 1), chosen(texts("abd", "abe"), TEXT, pages));
    assertEquals(List.of(2), chosen(texts("ê"), TEXT, pages));
    assertEquals(List.of(), chosen(texts("", "ab", "c"), TEXT, pages));
  }
}
