package headrace.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Map;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.rest.responses.LoadTableResponse;
import org.apache.iceberg.rest.responses.LoadTableResponseParser;
import org.junit.jupiter.api.Test;

class ExternalChangeTest {
  private static final String NO_PLACES = "[]";
  private static final String COLUMNS =
      "{\"type\": \"struct\", \"fields\": ["
          + "{\"id\": 1, \"name\": \"a\", \"type\": \"long\", \"required\": false}]}";
  private static final String COMMENT =
      "{\"action\": \"set-properties\", \"updates\": {\"comment\": \"new\"}}";

  private final MemoryLake lake = new MemoryLake("/lake");
  private final ExternalChange change = new ExternalChange(lake.catalog(), "is-dynamic");

  @Test
  void aTableIsCreatedWithTheFormatThatIsAskedFor() throws IOException {
    LoadTableResponse answer =
        answer(change.create("public", "t", creation("3", false), NO_PLACES));
    assertEquals(3, answer.tableMetadata().formatVersion());
    assertEquals(table("t").uuid().toString(), answer.tableMetadata().uuid());
    assertThrows(
        AlreadyExistsException.class,
        () -> change.create("public", "t", creation("3", false), NO_PLACES));
  }

  @Test
  void aCreationThatIsPreparedEndsWithACommit() throws IOException {
    LoadTableResponse staged = answer(change.create("public", "t", creation("3", true), NO_PLACES));
    assertFalse(lake.catalog().tableExists(TableIdentifier.of("public", "t")));
    String updates =
        "{\"action\": \"assign-uuid\", \"uuid\": \"%s\"},".formatted(staged.tableMetadata().uuid())
            + "{\"action\": \"upgrade-format-version\", \"format-version\": 3},"
            + "{\"action\": \"add-schema\", \"schema\": %s},".formatted(COLUMNS)
            + "{\"action\": \"set-current-schema\", \"schema-id\": -1},"
            + "{\"action\": \"add-spec\", \"spec\": {\"spec-id\": 0, \"fields\": []}},"
            + "{\"action\": \"set-default-spec\", \"spec-id\": -1},"
            + "{\"action\": \"add-sort-order\", \"sort-order\": {\"order-id\": 0, \"fields\": []}},"
            + "{\"action\": \"set-default-sort-order\", \"sort-order-id\": -1},"
            + "{\"action\": \"set-location\", \"location\": \"/lake/public/t\"}";
    String request = commit("{\"type\": \"assert-create\"}", updates);
    change.commit("public", "t", request, NO_PLACES);
    assertEquals(staged.tableMetadata().uuid(), table("t").uuid().toString());
    assertThrows(
        CommitFailedException.class, () -> change.commit("public", "t", request, NO_PLACES));
  }

  @Test
  void aCommitIsMadeIfItsRequirementsHold() throws IOException {
    lake.createTable("t");
    String uuid = table("t").uuid().toString();
    change.commit("public", "t", commit(requiredUuid(uuid), COMMENT), NO_PLACES);
    assertEquals("new", table("t").properties().get("comment"));
    String other = commit(requiredUuid("5d9b8a3e-0000-0000-0000-000000000000"), COMMENT);
    assertThrows(CommitFailedException.class, () -> change.commit("public", "t", other, NO_PLACES));
    assertThrows(
        NoSuchTableException.class,
        () -> change.commit("public", "nosuch", commit("", COMMENT), NO_PLACES));
  }

  @Test
  void aDynamicTableIsLeftAlone() {
    lake.createTable("d", null, Map.of("is-dynamic", "id"));
    assertThrows(
        ForbiddenException.class,
        () -> change.commit("public", "d", commit("", COMMENT), NO_PLACES));
    assertFalse(table("d").properties().containsKey("comment"));
  }

  @Test
  void noTableHasThePlaceOfAnother() {
    lake.createTable("t", "/lake/public/t", Map.of());
    lake.createTable("u", "/lake/public/u", Map.of());
    String inside = "[\"file:/lake/public/t/inside\"]";
    assertThrows(
        DirectoryConflict.class, () -> change.create("public", "x", creation("2", false), inside));
    assertThrows(
        DirectoryConflict.class, () -> change.commit("public", "u", commit("", COMMENT), inside));
    assertThrows(DirectoryConflict.class, () -> change.register("public", "x", "{}", inside));
    assertFalse(lake.catalog().tableExists(TableIdentifier.of("public", "x")));
  }

  @Test
  void aTableIsRegistered() throws IOException {
    TableIdentifier name = lake.createTable("t");
    String file = ((HasTableOperations) table("t")).operations().current().metadataFileLocation();
    lake.catalog().dropTable(name, false);
    String request = "{\"name\": \"again\", \"metadata-location\": \"%s\"}".formatted(file);
    change.register("public", "again", request, NO_PLACES);
    assertTrue(lake.catalog().tableExists(TableIdentifier.of("public", "again")));
  }

  private Table table(String name) {
    return lake.catalog().loadTable(TableIdentifier.of("public", name));
  }

  private static String creation(String format, boolean staged) {
    return "{\"name\": \"t\", \"stage-create\": %b, \"schema\": %s, \"properties\": {\"format-version\": \"%s\"}}"
        .formatted(staged, COLUMNS, format);
  }

  private static String commit(String requirements, String updates) {
    return "{\"requirements\": [%s], \"updates\": [%s]}".formatted(requirements, updates);
  }

  private static String requiredUuid(String uuid) {
    return "{\"type\": \"assert-table-uuid\", \"uuid\": \"%s\"}".formatted(uuid);
  }

  private static LoadTableResponse answer(String json) {
    return LoadTableResponseParser.fromJson(json);
  }
}
