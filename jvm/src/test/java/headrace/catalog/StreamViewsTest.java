package headrace.catalog;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.concurrent.CompletableFuture;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.View;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StreamViewsTest {
  private static final Identifier CHANGES = Identifier.of(new String[] {"public"}, "changes");

  @AfterEach
  void hide() {
    StreamViews.hide();
  }

  @Test
  void aStreamIsAViewUntilItIsHidden() {
    StreamViews.show("public", "changes", "SELECT 1 AS a", "a INT");
    View found = StreamViews.find(CHANGES);
    assertEquals("SELECT 1 AS a", found.query());
    assertArrayEquals(new String[] {"a"}, found.queryColumnNames());
    StreamViews.hide();
    assertNull(StreamViews.find(CHANGES));
  }

  @Test
  void otherThreadsSeeNone() {
    StreamViews.show("public", "changes", "SELECT 1 AS a", "a INT");
    assertNull(CompletableFuture.supplyAsync(() -> StreamViews.find(CHANGES)).join());
  }

  @Test
  void aNameThatDiffersInCaseIsFoundIfItIsTheOnlyOne() {
    Identifier typed = Identifier.of(new String[] {"PUBLIC"}, "Changes");
    assertNull(StreamViews.findAlike(typed));
    StreamViews.show("public", "changes", "SELECT 1 AS a", "a INT");
    assertEquals("changes", StreamViews.findAlike(typed).name());
    assertNull(StreamViews.find(typed));
    StreamViews.show("public", "CHANGES", "SELECT 2 AS a", "a INT");
    assertNull(StreamViews.findAlike(typed));
  }
}
