import { describe, expect, test } from "vitest";

import { exactJson } from "../api/exact-json";
import type { CostRow, DynamicTable, LakeGraph, Refresh } from "../api/queries";
import { branches, detailText, metricText } from "../parts/plan-branches";
import { jobTitle } from "../parts/job-title";
import { sqlTokens } from "../parts/sql-tokens";
import { rulesAsSettings } from "./alerts/rule-settings";
import { byWorkspace, selectedContents } from "./catalog/tree-contents";
import { jobFilter } from "./compute/job-filter";
import { dates } from "./tasks/dates";
import { alertsStatement } from "./tasks/task-alerts";
import { dependenciesStatement } from "./tasks/task-dependencies";
import { drawing, positions } from "./lineage/graph";
import { lastEnded } from "./dynamic-tables/last-ended";
import { queryParameters, setParameter } from "./dynamic-tables/query-parameters";
import { layered } from "./lineage/layered";
import { graphSvg } from "./lineage/svg";
import { costsByTable } from "./overview/costs";
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

test("alert rules are written as statements and as settings", () => {
  expect(alertsStatement("a b", ["TIMEOUT", "FAILURE"])).toBe(
    "ALTER TASK `a b` SET ALERTS (FAILURE, TIMEOUT)",
  );
  expect(alertsStatement("a", [])).toBe("ALTER TASK `a` SET ALERTS NONE");
  const kinds = ["lag" as const];
  expect(
    rulesAsSettings({ targets: [], kinds, lag_seconds: null, held_log_mb: null, repeat_seconds: 60 }),
  ).toBe(
    '[settings.alerts]\n# targets = ["jsons://host/path"]\nkinds = [\n  "lag",\n]\n# lag_seconds = 600\nrepeat_seconds = 60',
  );
  expect(
    rulesAsSettings({ targets: ["jsons"], kinds, lag_seconds: 300, held_log_mb: 100, repeat_seconds: 60 }),
  ).toContain("# targets = (not shown: jsons)");
});

test("the tree of the catalog has the schemas of each workspace in which something is found", () => {
  const schema = (workspace: string, name: string, ...objects: string[]) => ({
    workspace,
    schema: name,
    objects: objects.map((each) => ({ name: each, kind: "table" as const })),
  });
  const all = [
    schema("lake", "raw", "Orders", "items"),
    schema("lake", "marts"),
    schema("other", "raw", "a"),
  ];
  const names = (text: string) =>
    byWorkspace(selectedContents(all, text)).map(([workspace, own]) => [
      workspace,
      ...own.map((each) => `${each.schema}: ${each.objects.map(({ name }) => name).join(" ")}`),
    ]);
  expect(names("")).toEqual([
    ["lake", "raw: Orders items", "marts: "],
    ["other", "raw: a"],
  ]);
  expect(names("ord")).toEqual([["lake", "raw: Orders"]]);
});

test("of a refresh that runs the one before it is explained", () => {
  const refresh = (job_id: string, end_time: string | null): Refresh => ({ job_id, end_time }) as Refresh;
  const [running, ended] = [refresh("running", null), refresh("ended", "2024-06-01T00:00:00Z")];
  expect(lastEnded(running, [running, refresh("queued", null), ended, refresh("older", "2024")])).toBe(ended);
  expect(lastEnded(running, [running])).toBe(running);
  expect(lastEnded(ended, [])).toBe(ended);
  expect(lastEnded(null, [])).toBe(null);
});

test("dependencies of a task are written as a statement", () => {
  expect(dependenciesStatement("b", ["a", "1. x"])).toBe("ALTER TASK `b` SET AFTER `a`, `1. x`");
  expect(dependenciesStatement("b", [])).toBe("ALTER TASK `b` UNSET AFTER");
});

test("a job is listed by what it does", () => {
  const refresh = { kind: "REFRESH", statement: "REFRESH DYNAMIC TABLE lake.public.`a b`" } as const;
  expect(jobTitle(refresh)).toBe("Refresh of a b");
  expect(jobTitle({ kind: "STATEMENT", statement: "SELECT\n  1" })).toBe("SELECT 1");
  expect(jobTitle({ kind: "STATEMENT", statement: null })).toBe("A statement of another user");
});

test("the cost of a table is that of all days in which it was refreshed", () => {
  const row = (name: string, cluster_seconds: number): CostRow =>
    ({ workspace_name: "lake", schema_name: "public", name, cluster_seconds, refreshes: 1 }) as CostRow;
  const found = costsByTable([row("cheap", 2), row("expensive", 1), row("expensive", 3)]);
  expect(found.map((each) => [each.table, each.clusterSeconds, each.refreshes])).toEqual([
    ["lake.public.expensive", 4, 2],
    ["lake.public.cheap", 2, 1],
  ]);
});

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
    expect(onDemand.text).toContain(
      "Every change of their sources is in the tables on schedule. 1 refreshed on demand only.",
    );
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

  test("500 tables with many links are placed at once, each right of what it is made from", () => {
    const name = (layer: number, number: number): string => `lake.public.t${layer}_${number % 100}`;
    const all = Array.from({ length: 500 }, (_, index) => [Math.floor(index / 100), index % 100] as const);
    const nodes = all.map(([layer, number]) => node("dynamic table", name(layer, number), "active"));
    const edges = all
      .filter(([layer]) => layer > 0)
      .flatMap(([layer, number]) =>
        [number, number * 3 + 3, number * 7 + 7].map((read) => ({
          from: name(layer - 1, read),
          to: name(layer, number),
        })),
      );
    const drawn = drawing({ nodes, edges } as unknown as LakeGraph, new Set());
    const start = performance.now();
    const places = layered(drawn);
    expect(performance.now() - start).toBeLessThan(300);
    expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(500);
    for (const { from, to } of drawn.links)
      expect(places.get(from)?.x ?? 0).toBeLessThan(places.get(to)?.x ?? 0);
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

test("the name of an operator is not repeated in its detail", () => {
  expect(detailText({ name: "Filter", detail: "Filter (a > 1)" })).toBe("(a > 1)");
  expect(detailText({ name: "keys", detail: "rows of orders" })).toBe("rows of orders");
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

test("the parameters of a query, and the statement that sets one", () => {
  const query =
    "SELECT * FROM t WHERE a > SESSION_CONFIGS()['dt.args.Day'] AND b = session_configs ( )[ 'dt.args.least' ]";
  expect(queryParameters(`${query} OR a < SESSION_CONFIGS()['dt.args.day']`)).toEqual(["day", "least"]);
  expect(setParameter("day", "it's")).toBe("SET dt.args.`day` = 'it\\'s'");
});

test("dates of a range", () => {
  expect([dates("2024-06-01", "2024-06-30", 1), dates("2024-06-01", "2024-06-30", 7)]).toEqual([30, 5]);
  expect([dates("2024-06-02", "2024-06-01", 1), dates("", "2024-06-01", 1)]).toEqual([0, 0]);
});
