package headrace.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.util.JsonUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxPolicyTest {
  private static final SandboxPolicy POLICY = policy(List.of("/data/shared/", "s3://bucket/open"));

  private static SandboxPolicy policy(List<String> directories) {
    var lists = new HashMap<String, List<String>>();
    lists.put("catalogs", List.of("lake"));
    lists.put("warehouses", List.of("file:///lake/warehouse"));
    lists.put("directories", directories);
    lists.put("brokers", List.of());
    lists.put("functions", List.of("abs", "range"));
    lists.put("plans", List.of("catalyst.plans.logical.Project"));
    lists.put("withheld_plans", List.of());
    lists.put("procedures", List.of("rewrite_data_files"));
    lists.put("settings", List.of("spark.sql.ansi.enabled"));
    lists.put("setting_prefixes", List.of("spark.sql.adaptive."));
    lists.put("refused_setting_prefixes", List.of("spark.sql.ansi", "spark.sql.catalog"));
    lists.put("read_options", List.of("split-size"));
    return read(lists);
  }

  private static SandboxPolicy read(Map<String, List<String>> lists) {
    try {
      return SandboxPolicy.read(JsonUtil.mapper().writeValueAsString(lists));
    } catch (IOException error) {
      throw new AssertionError(error);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/data/shared",
        "/data/shared/",
        "/data/shared/a.csv",
        "file:/data/shared/a.csv",
        "FILE:///data/shared/a.csv",
        "s3://bucket/open/a.csv",
        "/data/shared/a*.csv"
      })
  void filesBelowAnAllowedDirectoryAreInside(String path) {
    assertTrue(POLICY.holdsFile(path));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/data/sharedx",
        "/data",
        "/",
        "",
        "data/shared/a.csv",
        "/data/shared/../secret",
        "/data/shared/./a",
        "/data/shared/{a,/etc}",
        "/data/shared/a,/etc/passwd",
        "/data/shared/%2e%2e/secret",
        "/data/shared/a\\..\\b",
        "/data/shared/a\nb",
        "file://host/data/shared/a",
        "s3://bucket/opened",
        "hdfs:/data/shared/a"
      })
  void allOtherPathsAreOutside(String path) {
    assertFalse(POLICY.holdsFile(path));
  }

  @Test
  void tablesMayBeInTheWarehouseAndInDirectories() {
    assertTrue(POLICY.holdsTable("/lake/warehouse/t"));
    assertTrue(POLICY.holdsTable("/data/shared/t"));
    assertFalse(POLICY.holdsTable("/lake/other"));
    assertFalse(POLICY.holdsFile("/lake/warehouse/t"));
  }

  @Test
  void withoutDirectoriesNoFileIsInside() {
    SandboxPolicy closed = policy(List.of());
    assertFalse(closed.hasDirectories());
    assertFalse(closed.holdsFile("/data/shared/a.csv"));
    assertTrue(closed.holdsTable("/lake/warehouse/t"));
  }

  @ParameterizedTest
  @CsvSource({
    "spark.sql.adaptive.enabled, true",
    "spark.sql.adaptive.customCostEvaluatorClass, false",
    "SPARK.SQL.ANSI.ENABLED, true",
    "spark.sql.ansi.other, false",
    "spark.sql.catalog.mine, false",
    "spark.executor.memory, false",
    "my_variable, true"
  })
  void settings(String key, boolean allowed) {
    assertEquals(allowed, POLICY.maySet(key));
  }

  @ParameterizedTest
  @CsvSource({
    "location, true",
    "Path, true",
    "write.data.path, true",
    "write.metadata-location, true",
    "io-impl, true",
    "dt.source.path, false",
    "comment, false",
    "pathology, false"
  })
  void propertiesThatNameAPlace(String key, boolean expected) {
    assertEquals(expected, SandboxPolicy.namesPlace(key));
  }

  @Test
  void functionsOfSparkThatAreNotListedAreRefused() {
    assertTrue(POLICY.refusesFunction("reflect"));
    assertTrue(POLICY.refusesFunction("JAVA_METHOD"));
    assertFalse(POLICY.refusesFunction("ABS"));
    assertFalse(POLICY.refusesFunction("range"));
    assertFalse(POLICY.refusesFunction("a_function_of_the_user"));
  }

  @Test
  void lists() {
    assertTrue(POLICY.holdsCatalog("lake"));
    assertFalse(POLICY.holdsCatalog("LAKE"));
    assertTrue(POLICY.knowsPlan("catalyst.plans.logical.Project"));
    assertFalse(POLICY.knowsPlan("catalyst.plans.logical.Filter"));
    assertTrue(POLICY.holdsProcedure("Rewrite_Data_Files"));
    assertFalse(POLICY.holdsProcedure("add_files"));
    assertTrue(POLICY.takesReadOption("Split-Size"));
    assertFalse(POLICY.takesReadOption("path"));
  }
}
