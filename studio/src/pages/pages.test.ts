import { describe, expect, test } from "vitest";

import { exactJson } from "../api/exact-json";
import type { DynamicTable, LakeGraph } from "../api/queries";
import { branches, metricText } from "../parts/plan-branches";
import { sqlTokens } from "../parts/sql-tokens";
import { jobFilter } from "./compute/job-filter";
import { dates } from "./tasks/dates";
import { drawing, positions } from "./lineage/graph";
import { graphSvg } from "./lineage/svg";
import { freshness, verdict } from "./overview/freshness";

function table(part: Partial<DynamicTable>): DynamicTable {
  const known = {
    name: "lake.public.a",
    state: "active",
    suspended: false,
    interval_seconds: 60,
    lag_seconds: 0,
  };
  return { ...known, ...part } as DynamicTable;
}

function node(kind: string, id: string, state: string | null = null) {
  const [workspace, schema, name] = id.split(".");
  return { kind, id, workspace, schema, name, state, mode: null, lag_seconds: 1 };
}

const LINEAGE = {
  nodes: [
    node("table", "lake.raw.orders"),
    node("dynamic table", "lake.public.clean", "active"),
    node("dynamic table", "lake.public.sums", "failing"),
    node("dynamic table", "lake.marts.rank", "active"),
  ],
  edges: [
    { from: "lake.raw.orders", to: "lake.public.clean" },
    { from: "lake.public.clean", to: "lake.public.sums" },
    { from: "lake.public.sums", to: "lake.marts.rank" },
  ],
} as unknown as LakeGraph;

describe("freshness", () => {
  test.each([
    [{}, "fresh"],
    [{ lag_seconds: 200 }, "late"],
    [{ lag_seconds: 100 }, "fresh"],
    [{ state: "failing" }, "failed"],
    [{ state: "suspended", suspended: true }, "suspended"],
    [{ interval_seconds: null, lag_seconds: 9999 }, "on demand"],
    [{ state: "never refreshed" }, "late"],
  ] as [Partial<DynamicTable>, string][])("%j", (part, expected) =>
    expect(freshness(table(part))).toBe(expected),
  );

  test("the worst decides the verdict", () => {
    expect(verdict([])).toMatchObject({ tone: "quiet" });
    expect(verdict([table({})])).toMatchObject({ tone: "good", title: "Your data is fresh" });
    expect(verdict([table({}), table({ lag_seconds: 999 })]).title).toBe("1 of 2 dynamic tables is late");
    const onDemand = verdict([table({}), table({ interval_seconds: null, lag_seconds: 999 })]);
    expect(onDemand.text).toContain("Every change of the sources is included. 1 refreshed on demand only.");
    const failing = verdict([table({ state: "failing" }), table({ lag_seconds: 999 })]);
    expect([failing.tone, failing.title]).toEqual(["bad", "1 of 2 dynamic tables cannot be refreshed"]);
  });
});

describe("the graph", () => {
  test("a collapsed schema is one box", () => {
    const { boxes, links } = drawing(LINEAGE, new Set(["lake.public"]));
    expect(boxes.map((box) => box.id)).toEqual(["lake.raw.orders", "schema lake.public", "lake.marts.rank"]);
    expect(links.map((link) => link.id)).toEqual([
      "lake.raw.orders > schema lake.public",
      "schema lake.public > lake.marts.rank",
    ]);
  });

  test("what is made from a table is drawn right of it", () => {
    const drawn = drawing(LINEAGE, new Set());
    const places = positions(drawn);
    for (const { from, to } of drawn.links) {
      expect(places.get(to)?.x).toBeGreaterThan(places.get(from)?.x ?? Infinity);
    }
  });

  test("500 tables are placed in less than a second", () => {
    const nodes = Array.from({ length: 500 }, (_, index) =>
      node("dynamic table", `lake.public.t${index}`, "active"),
    );
    const edges = nodes.flatMap(({ id }, index) =>
      [index * 2 + 1, index * 2 + 2]
        .filter((to) => to < 500)
        .map((to) => ({ from: id, to: `lake.public.t${to}` })),
    );
    const start = performance.now();
    const drawn = drawing({ nodes, edges } as unknown as LakeGraph, new Set());
    expect(positions(drawn).size).toBe(500);
    expect(performance.now() - start).toBeLessThan(1000);
  });

  test("the exported picture escapes names", () => {
    const odd = { nodes: [node("table", "lake.public.a<b>")], edges: [] };
    const drawn = drawing(odd as unknown as LakeGraph, new Set());
    const svg = graphSvg(drawn, positions(drawn));
    expect(svg).toContain("a&lt;b&gt;");
    expect(svg).not.toContain("<b>");
  });
});

test("a plan is drawn with each operator above its inputs", () => {
  const node = (id: number, parent: number | null) => ({
    id,
    parent,
    name: `op${id}`,
    detail: "",
    metrics: [],
  });
  const [root] = branches({ nodes: [node(1, null), node(2, 1), node(3, 1), node(4, 3)] });
  expect(root?.children.map((child) => child.node.name)).toEqual(["op2", "op3"]);
  expect(root?.children[1]?.children[0]?.node.name).toBe("op4");
});

test("metrics are shown by their types", () => {
  const shown = (type: string, value: number): string => metricText({ name: "m", type, value });
  expect([shown("sum", 1200), shown("size", 1500), shown("timing", 1500), shown("nsTiming", 2e9)]).toEqual([
    "m: 1,200",
    "m: 1.50 kB",
    "m: 1.5 s",
    "m: 2.0 s",
  ]);
});

test("the filter of the address becomes that of the server", () => {
  const now = new Date("2026-01-01T00:10:30Z");
  expect(jobFilter({}, now)).toEqual({});
  expect(jobFilter({ user: "ann", longer: "10", since: "5", tag: "x" }, now)).toEqual({
    creator: "ann",
    min_seconds: 10,
    since: "2026-01-01T00:05:00.000Z",
    query_tag: "x",
  });
});

test("large whole numbers keep their digits", () => {
  expect(exactJson('{"rows": [[5023341198876094581, 1.5, 7]]}')).toEqual({
    rows: [["5023341198876094581", 1.5, 7]],
  });
});

test("SQL is coloured by words, strings and comments", () => {
  const kinds = sqlTokens("SELECT sum(x), 'a -- b' FROM t -- note").filter(
    (token) => token.text.trim() !== "",
  );
  expect(kinds.map((token) => [token.text, token.kind])).toEqual([
    ["SELECT", "keyword"],
    ["sum", "function"],
    ["(", "other"],
    ["x", "other"],
    [")", "other"],
    [",", "other"],
    ["'a -- b'", "string"],
    ["FROM", "keyword"],
    ["t", "other"],
    ["-- note", "comment"],
  ]);
});

test("dates of a range", () => {
  expect([dates("2024-06-01", "2024-06-30", 1), dates("2024-06-01", "2024-06-30", 7)]).toEqual([30, 5]);
  expect([dates("2024-06-02", "2024-06-01", 1), dates("", "2024-06-01", 1)]).toEqual([0, 0]);
});
