package headrace.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CaseInsensitiveNamesTest {
  private final MemoryLake lake = new MemoryLake("/lake");
  private final InMemoryCatalog catalog = lake.catalog();

  @BeforeEach
  void createTables() {
    lake.createTable("Orders");
    lake.createTable("twice");
    lake.createTable("TWICE");
    lake.createView("Recent", "SELECT * FROM Orders");
  }

  private Identifier resolve(String name, String... namespace) {
    return CaseInsensitiveNames.resolve(catalog, Identifier.of(namespace, name));
  }

  @Test
  void tablesAndViewsAreFoundWhateverTheirCase() {
    assertEquals(Identifier.of(new String[] {"public"}, "Orders"), resolve("ORDERS", "Public"));
    assertEquals(Identifier.of(new String[] {"public"}, "Recent"), resolve("recent", "public"));
  }

  @Test
  void anExactNameComesBeforeOthers() {
    assertEquals("TWICE", resolve("TWICE", "public").name());
    assertNull(resolve("Twice", "public"));
    assertEquals(
        List.of("TWICE", "twice"),
        CaseInsensitiveNames.alike(catalog, "public", "Twice").stream().sorted().toList());
  }

  @Test
  void theTableOfAMetadataTableIsPartOfItsNamespace() {
    assertEquals(
        Identifier.of(new String[] {"public", "Orders"}, "files"),
        resolve("files", "PUBLIC", "orders"));
  }

  @Test
  void whatIsNotThereIsNull() {
    assertNull(resolve("missing", "public"));
    assertNull(resolve("Orders", "missing"));
    assertNull(resolve("Orders"));
    assertEquals(List.of(), CaseInsensitiveNames.alike(catalog, "missing", "Orders"));
  }

  @Test
  void schemasAreFoundButNotThatOfDroppedTables() {
    lake.createSchema("__hr_dropped");
    assertEquals("public", CaseInsensitiveNames.resolveSchema(catalog, "PUBLIC"));
    assertNull(CaseInsensitiveNames.resolveSchema(catalog, "__HR_DROPPED"));
    lake.createSchema("Public");
    assertNull(CaseInsensitiveNames.resolveSchema(catalog, "PUBLIC"));
    assertEquals("Public", CaseInsensitiveNames.resolveSchema(catalog, "Public"));
  }
}
