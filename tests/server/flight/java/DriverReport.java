import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** Uses a server as programs with a JDBC driver do, and prints a line for each thing that it found. */
public final class DriverReport {
  private static final String LARGE = "SELECT id, repeat('x', 20) AS s FROM range(1000000)";
  private static final String SLOW =
      "SELECT id, repeat('x', 1000) AS s, sha2(repeat(CAST(id AS STRING), 9999), 512) FROM range(10000000)";

  private final String url;
  private final String token;

  private DriverReport(String url, String token) {
    this.url = url;
    this.token = token;
  }

  public static void main(String[] arguments) {
    try {
      run(new DriverReport(arguments[0], arguments[1]));
      System.exit(0);
    } catch (Exception failed) {
      failed.printStackTrace();
      System.exit(1);
    }
  }

  private static void run(DriverReport report) throws Exception {
    report.tokens();
    try (Connection connection = report.connect(report.token);
        Statement statement = connection.createStatement()) {
      report.metadata(connection.getMetaData());
      report.statements(statement);
      report.refresh(statement);
      report.parameters(connection);
      report.session(statement);
      report.errors(statement);
      report.large(statement);
      report.cancel(connection);
    }
    try (Connection open = report.connect(null)) {
      say("without a token", rows(open.createStatement().executeQuery("SELECT 1")));
    }
  }

  private Connection connect(String with) throws SQLException {
    Properties properties = new Properties();
    properties.put("useEncryption", "false");
    if (with != null) {
      properties.put("token", with);
    }
    return DriverManager.getConnection(url, properties);
  }

  private void tokens() throws SQLException {
    try (Connection connection = connect("hr_wrong")) {
      say("wrong token", rows(connection.createStatement().executeQuery("SELECT 1")));
    } catch (SQLException refused) {
      say("wrong token", message(refused));
    }
    Properties properties = new Properties();
    properties.put("useEncryption", "false");
    properties.put("user", "ann");
    properties.put("password", token);
    try (Connection connection = DriverManager.getConnection(url, properties)) {
      say("token as password", rows(connection.createStatement().executeQuery("SELECT current_user()")));
    }
    properties.put("catalog", "lake");
    // not closed: with a catalog, close() of this version of the driver fails after it has closed
    Connection connection = DriverManager.getConnection(url, properties);
    say("catalog", rows(connection.createStatement().executeQuery("SELECT current_catalog()")));
  }

  private void metadata(DatabaseMetaData metadata) throws SQLException {
    say("product", metadata.getDatabaseProductName());
    say("quote", metadata.getIdentifierQuoteString());
    say("transactions", metadata.supportsTransactions());
    say("catalogs", rows(metadata.getCatalogs()));
    say("schemas", rows(metadata.getSchemas()));
    say("table types", rows(metadata.getTableTypes()));
    List<String> tables = new ArrayList<>();
    try (ResultSet found = metadata.getTables("lake", "shop", "%", null)) {
      while (found.next()) {
        tables.add(found.getString("TABLE_NAME") + "=" + found.getString("TABLE_TYPE"));
      }
    }
    say("tables", tables);
    List<String> columns = new ArrayList<>();
    try (ResultSet found = metadata.getColumns("lake", "shop", "orders", "%")) {
      while (found.next()) {
        columns.add(
            found.getString("COLUMN_NAME")
                + " "
                + found.getInt("DATA_TYPE")
                + " "
                + found.getString("IS_NULLABLE"));
      }
    }
    say("columns", columns);
    say("primary keys", rows(metadata.getPrimaryKeys("lake", "shop", "orders")));
    say("keywords", metadata.getSQLKeywords().contains("SELECT"));
  }

  private void statements(Statement statement) throws SQLException {
    say("create", statement.executeUpdate("CREATE TABLE shop.jdbc (id BIGINT, name STRING)"));
    say("insert", statement.executeUpdate("INSERT INTO shop.jdbc VALUES (1, 'a'), (2, NULL)"));
    say("select", rows(statement.executeQuery("SELECT * FROM shop.jdbc ORDER BY id")));
    say("show", rows(statement.executeQuery("SHOW TABLES IN shop LIKE 'jdbc'")));
    say("explain", !rows(statement.executeQuery("EXPLAIN SELECT 1")).isEmpty());
    say("drop is update", !statement.execute("DROP TABLE shop.jdbc"));
  }

  private void refresh(Statement statement) throws SQLException {
    statement.executeUpdate("INSERT INTO shop.orders VALUES (7, 'Toys', 7.00, DATE '2026-01-07', NULL)");
    say("refresh has rows", statement.execute("REFRESH DYNAMIC TABLE shop.totals"));
    statement.executeUpdate("INSERT INTO shop.orders VALUES (8, 'Toys', 1.00, DATE '2026-01-08', NULL)");
    statement.executeUpdate("REFRESH DYNAMIC TABLE shop.totals");
    say("refreshed", rows(statement.executeQuery("SELECT * FROM shop.totals WHERE category = 'Toys'")));
  }

  private void parameters(Connection connection) throws SQLException {
    String insert = "INSERT INTO shop.orders VALUES (?, ?, ?, ?, ?)";
    try (PreparedStatement prepared = connection.prepareStatement(insert)) {
      prepared.setLong(1, 100);
      prepared.setString(2, "Books");
      prepared.setBigDecimal(3, new BigDecimal("12.50"));
      prepared.setDate(4, Date.valueOf("2026-02-03"));
      prepared.setTimestamp(5, Timestamp.valueOf("2026-02-03 04:05:06"));
      say("insert with parameters", prepared.executeUpdate());
    }
    String query =
        "SELECT id, category, amount, day, date_format(at, 'HH:mm:ss') FROM shop.orders WHERE id = ? AND category = ?";
    try (PreparedStatement prepared = connection.prepareStatement(query)) {
      for (long id : new long[] {100, 101}) {
        prepared.setLong(1, id);
        prepared.setString(2, "Books");
        say("select with " + id, rows(prepared.executeQuery()));
      }
    }
  }

  private void session(Statement statement) throws SQLException {
    statement.execute("USE shop");
    statement.execute("CREATE TEMPORARY VIEW of_session AS SELECT category FROM totals");
    say("session", rows(statement.executeQuery("SELECT count(*) > 0 FROM of_session")));
  }

  private void errors(Statement statement) {
    try {
      statement.executeQuery("SELECT nosuch FROM shop.orders");
    } catch (SQLException | RuntimeException refused) {
      say("error", message(refused));
    }
  }

  private void large(Statement statement) throws SQLException {
    long count = 0;
    long sum = 0;
    try (ResultSet found = statement.executeQuery(LARGE)) {
      while (found.next()) {
        count++;
        sum += found.getLong(1);
      }
    }
    say("large", count + " " + sum);
  }

  private void cancel(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(SLOW)) {
      say("slow begins", found.next());
      statement.cancel();
    }
    try (Statement statement = connection.createStatement()) {
      say("after cancel", rows(statement.executeQuery("SELECT 1")));
    }
  }

  private static List<String> rows(ResultSet result) throws SQLException {
    List<String> found = new ArrayList<>();
    try (ResultSet rows = result) {
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        List<String> values = new ArrayList<>();
        for (int column = 1; column <= columns; column++) {
          values.add(rows.getString(column));
        }
        found.add(String.join("|", values.stream().map(String::valueOf).toList()));
      }
    }
    return found;
  }

  private static String message(Throwable error) {
    StringBuilder all = new StringBuilder();
    for (Throwable each = error; each != null; each = each.getCause()) {
      all.append(each.getMessage()).append(' ');
    }
    return all.toString();
  }

  private static void say(String name, Object found) {
    System.out.println(name + ": " + String.valueOf(found).replace("\n", " "));
  }
}
