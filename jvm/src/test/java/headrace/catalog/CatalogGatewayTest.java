package headrace.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.junit.jupiter.api.Test;

class CatalogGatewayTest {
  private final MemoryLake lake = new MemoryLake("/lake");
  private final CatalogGateway gateway = new CatalogGateway(lake.catalog());
  private final TableIdentifier moved = TableIdentifier.of("public", "moved");

  @Test
  void aTableThatIsRegisteredAnewKeepsItsMetadata() {
    TableIdentifier name = lake.createTable("t");
    lake.catalog().loadTable(name).newAppend().set("key", "value").commit();
    Table before = lake.catalog().loadTable(name);
    gateway.reregister("public", "t", "public", "moved");
    Table after = lake.catalog().loadTable(moved);
    assertFalse(lake.catalog().tableExists(name));
    assertEquals(metadataFile(before), metadataFile(after));
    assertEquals(before.uuid(), after.uuid());
    assertEquals("value", after.currentSnapshot().summary().get("key"));
  }

  @Test
  void aNameThatIsTakenIsLeftAsItIs() {
    TableIdentifier name = lake.createTable("t");
    lake.createTable("moved");
    Table taken = lake.catalog().loadTable(moved);
    assertThrows(
        AlreadyExistsException.class, () -> gateway.reregister("public", "t", "public", "moved"));
    assertTrue(lake.catalog().tableExists(name));
    assertEquals(metadataFile(taken), metadataFile(lake.catalog().loadTable(moved)));
  }

  @Test
  void aCommitInBetweenIsNotLost() {
    var busy = new BusyCatalog();
    busy.initialize("lake", Map.of("warehouse", "/lake"));
    busy.createNamespace(moved.namespace());
    TableIdentifier name = TableIdentifier.of("public", "t");
    busy.createTable(name, MemoryLake.COLUMNS);
    assertThrows(
        CommitFailedException.class,
        () -> new CatalogGateway(busy).reregister("public", "t", "public", "moved"));
    assertFalse(busy.tableExists(moved));
    assertEquals("late", busy.loadTable(name).properties().get("comment"));
  }

  @Test
  void anEntryIsRemovedWithoutItsFiles() {
    TableIdentifier name = lake.createTable("t");
    Table table = lake.catalog().loadTable(name);
    assertTrue(gateway.removeEntry("public", "t"));
    assertFalse(lake.catalog().tableExists(name));
    assertTrue(table.io().newInputFile(metadataFile(table)).exists());
    assertFalse(gateway.removeEntry("public", "t"));
  }

  private static String metadataFile(Table table) {
    return ((HasTableOperations) table).operations().current().metadataFileLocation();
  }

  /** In which somebody commits to a table whenever it is registered under another name. */
  private static final class BusyCatalog extends InMemoryCatalog {
    @Override
    public Table registerTable(TableIdentifier identifier, String location) {
      Table registered = super.registerTable(identifier, location);
      TableIdentifier old = TableIdentifier.of("public", "t");
      loadTable(old).updateProperties().set("comment", "late").commit();
      return registered;
    }
  }
}
