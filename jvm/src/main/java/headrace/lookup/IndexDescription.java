package headrace.lookup;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.util.JsonUtil;

/**
 * What a position index is an index of. Its file says so in JSON, so that indexes can be listed
 * without opening a table.
 */
record IndexDescription(
    TableIdentity table, String location, long length, List<IndexedColumn> columns) {

  /** The table that it was made for: the parts of its name then, and what stays the same. */
  record TableIdentity(List<String> name, String uuid) {}

  record IndexedColumn(int id, String name, KeyType type) {}

  static IndexDescription of(TableIdentity table, DataFile data, List<KeyColumn> keys) {
    var columns =
        keys.stream()
            .map(key -> new IndexedColumn(key.field().fieldId(), key.field().name(), key.type()))
            .toList();
    return new IndexDescription(table, data.location(), data.fileSizeInBytes(), columns);
  }

  /** By which the index is found: data files of several tables, and renamed columns, share it. */
  byte[] id() {
    var text = new StringBuilder(location).append('\n').append(length);
    for (IndexedColumn column : columns) {
      text.append('\n').append(column.id()).append(' ').append(column.type());
    }
    try {
      return MessageDigest.getInstance("SHA-256")
          .digest(text.toString().getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  byte[] json() throws IOException {
    var content = new LinkedHashMap<String, Object>();
    content.put("table", table.name());
    content.put("uuid", table.uuid());
    content.put("location", location);
    content.put("length", length);
    content.put("columns", columns.stream().map(IndexDescription::json).toList());
    return JsonUtil.mapper().writeValueAsBytes(content);
  }

  private static Map<String, Object> json(IndexedColumn column) {
    var content = new LinkedHashMap<String, Object>();
    content.put("id", column.id());
    content.put("name", column.name());
    content.put("type", column.type().name());
    return content;
  }

  static IndexDescription read(byte[] json) throws IOException {
    var content = JsonUtil.mapper().readTree(json);
    String[] name = JsonUtil.mapper().treeToValue(content.get("table"), String[].class);
    var columns = new ArrayList<IndexedColumn>();
    for (var column : content.get("columns")) {
      columns.add(
          new IndexedColumn(
              column.get("id").intValue(),
              column.get("name").textValue(),
              KeyType.valueOf(column.get("type").textValue())));
    }
    return new IndexDescription(
        new TableIdentity(List.of(name), content.get("uuid").textValue()),
        content.get("location").textValue(),
        content.get("length").longValue(),
        columns);
  }
}
