package headrace.catalog;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableDirectoriesTest {
  private final MemoryLake lake = new MemoryLake("/lake");
  private final TableDirectories directories = new TableDirectories(lake.catalog());

  @ParameterizedTest
  @CsvSource({
    "/a/b, /a/b/",
    "file:/a/b/, /a/b/",
    "file:///a//b, /a/b/",
    "s3://bucket/a/../b, /bucket/b/",
    "/a/./b, /a/b/"
  })
  void locationsAreComparedWithoutTheirSpelling(String location, String expected) {
    assertEquals(expected, TableDirectories.normalized(location));
  }

  @ParameterizedTest
  @CsvSource({
    "/a/b, /a/b, true",
    "/a/b, file:/a/b/c, true",
    "/a/b/c, /a/b, true",
    "/a/b, /a/bc, false",
    "/a/b, /a/c, false"
  })
  void overlap(String one, String other, boolean expected) {
    assertEquals(expected, TableDirectories.overlap(List.of(one), List.of("/x", other)));
  }

  @Test
  void propertiesNameDirectories() {
    var properties = Map.of("write.data.path", "/d", "comment", "/c", "location", "/l");
    assertEquals(List.of("/l", "/d"), TableDirectories.named(properties));
  }

  @Test
  void aTableMayNotBeInTheDirectoryOfAnother() {
    TableIdentifier first = lake.createTable("first", "/lake/first", Map.of());
    TableIdentifier second = TableIdentifier.of("public", "second");
    var conflict =
        assertThrows(
            DirectoryConflict.class,
            () -> directories.expectFree(second, List.of("file:/lake/first/data")));
    assertEquals(
        "the directory of public.second overlaps with that of the table public.first",
        conflict.getMessage());
    assertDoesNotThrow(() -> directories.expectFree(second, List.of("/lake/second")));
    assertDoesNotThrow(() -> directories.expectFree(second, List.of()));
    assertDoesNotThrow(() -> directories.expectFree(first, List.of("/lake/first/data")));
  }

  @Test
  void filesOfATableMayBeElsewhere() {
    TableIdentifier first = lake.createTable("first", "/lake/first", Map.of());
    lake.createTable("second", "/lake/second", Map.of("write.data.path", "/lake/first/data"));
    assertThrows(DirectoryConflict.class, () -> directories.expectOwn(first));
  }
}
