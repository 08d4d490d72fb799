import { describe, expect, test } from "vitest";

import { ApiError } from "../../api/api-error";
import type { Chart, FileView } from "../../api/files";
import { compareCells } from "../../format/cells";
import { defaultChart, drawn, ticks } from "./chart-data";
import { diagnosticOf, pythonDiagnostic } from "./diagnostics";
import { fileTree, targetsOf } from "./file-tree";
import { withParameters } from "./parameters";
import { statementAt, statementsOf, title } from "./statements";

describe("a script is split", () => {
  const texts = (script: string): string[] => statementsOf(script).map((piece) => piece.text);

  test.each([
    ["SELECT 1; SELECT 2;", ["SELECT 1", "SELECT 2"]],
    ["SELECT ';'; SELECT \"a;b\"; SELECT `c;d`", ["SELECT ';'", 'SELECT "a;b"', "SELECT `c;d`"]],
    ["-- a; b\nSELECT 1; /* c; d */", ["-- a; b\nSELECT 1"]],
    [
      "CREATE TASK t AS SQL $$ SELECT 1; SELECT 2 $$; SELECT 3",
      ["CREATE TASK t AS SQL $$ SELECT 1; SELECT 2 $$", "SELECT 3"],
    ],
    ["SELECT 'it\\'s;'", ["SELECT 'it\\'s;'"]],
    [" ;; \n", []],
    ["SELECT 6 / 2 - 1; SELECT 'open", ["SELECT 6 / 2 - 1", "SELECT 'open"]],
  ])("%j", (script, expected) => expect(texts(script)).toEqual(expected));

  test("the title of a statement has no comment", () => {
    expect(statementsOf("-- all\n/* of */ SELECT *\nFROM t").map(title)).toEqual(["SELECT * FROM"]);
  });

  test("pieces know their places", () => {
    const script = "SELECT 1;\n  SELECT 2;";
    for (const { text, from, to } of statementsOf(script)) expect(script.slice(from, to)).toBe(text);
  });

  test("the cursor is in a statement, or behind one", () => {
    const script = "SELECT 1;\n\nSELECT 2;\n";
    expect(statementAt(script, 3)?.text).toBe("SELECT 1");
    expect(statementAt(script, 9)?.text).toBe("SELECT 1");
    expect(statementAt(script, 14)?.text).toBe("SELECT 2");
    expect(statementAt(script, script.length)?.text).toBe("SELECT 2");
    expect(statementAt("", 0)).toBeNull();
  });
});

test("an error is shown where the server found it", () => {
  const piece = { text: "SELECT a,\n  nosuch FROM t", from: 100, to: 124 };
  const place = { line: 2, column: 3, source_line: "  nosuch FROM t", length: 6 };
  const error = new ApiError("column nosuch does not exist", "NotFound", 404, "did you mean a?", place);
  const found = diagnosticOf(error, piece);
  expect([found.from, found.to]).toEqual([112, 118]);
  expect(found.message).toBe("column nosuch does not exist\ndid you mean a?");
  expect(diagnosticOf(new Error("lost"), piece)).toMatchObject({ from: 100, to: 124 });
});

test("the error of a Python script is marked at its line", () => {
  const log = 'File "<script>", line 1, in <module>\n  File "<script>", line 2, in f\nZeroDivisionError';
  expect(pythonDiagnostic("f()\n1 / 0\n", log, "by zero")).toMatchObject({ from: 4, to: 9 });
  expect(pythonDiagnostic("f()", "lost", "lost")).toBeNull();
});

test("parameters may refer to the date and to each other", () => {
  const given = { table: "t_${bizdate}", other: "${table}" };
  expect(withParameters("SELECT * FROM ${table} -- ${nosuch}", given, "2024-06-01")).toBe(
    "SELECT * FROM t_2024-06-01 -- ${nosuch}",
  );
});

test("a folder is not moved into itself", () => {
  const folder = (id: string, folder_id: string | null) => ({ id, kind: "FOLDER", folder_id }) as FileView;
  const outer = folder("outer", null);
  const inner = folder("inner", "outer");
  const other = folder("other", null);
  expect(targetsOf(outer, [outer, inner, other])).toEqual([other]);
  expect(targetsOf(inner, [outer, inner, other])).toEqual([other]);
});

test("files are listed below their folders, folders first, numbers in order", () => {
  const file = (id: string, name: string, kind: string, folder_id: string | null = null) =>
    ({ id, name, kind, folder_id }) as FileView;
  const tree = fileTree([
    file("1", "Step10", "SQL", "f"),
    file("2", "a", "SQL"),
    file("3", "Step2", "SQL", "f"),
    file("f", "z", "FOLDER"),
  ]);
  expect(tree.map((entry) => entry.file.name)).toEqual(["z", "a"]);
  expect(tree[0]?.children.map((entry) => entry.file.name)).toEqual(["Step2", "Step10"]);
});

describe("charts", () => {
  const result = {
    columns: [
      { name: "category", type: "string" },
      { name: "gmv", type: "decimal(10,2)" },
    ],
    rows: [
      ["b", "20.50"],
      ["a", null],
    ],
  };

  test("the default is bars by the first text", () => {
    expect(defaultChart(result)).toEqual({ kind: "BAR", x: "category", y: ["gmv"], group_by: null });
    expect(drawn(result, defaultChart(result))).toMatchObject({
      labels: ["b", "a"],
      isCategorical: true,
      series: [{ name: "gmv", values: [20.5, null] }],
    });
  });

  test("times are in order", () => {
    const timed = {
      columns: [
        { name: "at", type: "timestamp" },
        { name: "n", type: "int" },
      ],
      rows: [
        ["2024-06-02T00:00:00Z", 2],
        ["2024-06-01T00:00:00Z", 1],
      ],
    };
    expect(drawn(timed, defaultChart(timed)).series[0]?.values).toEqual([1, 2]);
  });

  test("a series for each value of a column, NULL where it has no row", () => {
    const grouped = {
      columns: [
        { name: "at", type: "date" },
        { name: "category", type: "string" },
        { name: "gmv", type: "int" },
        { name: "orders", type: "int" },
      ],
      rows: [
        ["2024-06-02", "books", 2, 20],
        ["2024-06-01", "books", 1, 10],
        ["2024-06-02", "toys", 3, 30],
      ],
    };
    const chart: Chart = { kind: "LINE", x: "at", y: ["gmv"], group_by: "category" };
    expect(drawn(grouped, chart)).toMatchObject({
      labels: ["2024-06-01", "2024-06-02"],
      series: [
        { name: "books", values: [1, 2] },
        { name: "toys", values: [null, 3] },
      ],
    });
    const both = drawn(grouped, { ...chart, y: ["gmv", "orders"], kind: "BAR" });
    expect(both.labels).toEqual(["2024-06-02", "2024-06-01"]);
    expect(both.series.map((each) => each.name)).toEqual([
      "books, gmv",
      "toys, gmv",
      "books, orders",
      "toys, orders",
    ]);
    expect(drawn(grouped, { ...chart, kind: "VALUE" }).series).toHaveLength(1);
  });

  test("ticks are round", () => {
    expect(ticks(0, 97)).toEqual([0, 20, 40, 60, 80]);
    expect(ticks(0, 0.3)).toEqual([0, 0.1, 0.2, 0.3]);
  });
});

test("rows are sorted as numbers where they are, NULL last", () => {
  expect(["10", "9", null, "1.5"].sort(compareCells)).toEqual(["1.5", "9", "10", null]);
  expect(["b", "A", "c"].sort(compareCells)).toEqual(["A", "b", "c"]);
});
