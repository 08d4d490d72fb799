/** The values of a chart: positions and labels of the horizontal axis, and a series for each column. */

import type { Schemas } from "../../api/client";
import type { Chart } from "../../api/files";
import { plainText } from "../../format/cells";

type Rows = Schemas["ResultRows"];

export interface DrawnSeries {
  name: string;
  values: (number | null)[];
}

export interface ChartData {
  kind: Chart["kind"];
  /** Where the values are drawn, ascending unless the axis has categories. */
  positions: number[];
  labels: string[];
  isCategorical: boolean;
  series: DrawnSeries[];
}

const NUMBERS = /^(tinyint|smallint|int|bigint|float|double|decimal)/i;
const TIMES = /^(date|timestamp)/i;

export function numericColumns(result: Rows): string[] {
  return result.columns.filter((column) => NUMBERS.test(column.type)).map((column) => column.name);
}

/** Bars by the first column that is no number, else a line. */
export function defaultChart(result: Rows): Chart {
  const numbers = numericColumns(result);
  const time = result.columns.find((column) => TIMES.test(column.type));
  const text = result.columns.find((column) => !NUMBERS.test(column.type));
  const x = time ?? text ?? result.columns[0];
  const y = numbers.filter((name) => name !== x?.name);
  return { kind: time !== undefined ? "LINE" : "BAR", x: x?.name ?? null, y: y.slice(0, 1), group_by: null };
}

export function drawn(result: Rows, chart: Chart): ChartData {
  const index = (name: string | null): number => result.columns.findIndex((column) => column.name === name);
  const [x, group] = [index(chart.x), index(chart.kind === "VALUE" ? null : chart.group_by)];
  const type = result.columns[x]?.type ?? "";
  const isTime = TIMES.test(type);
  const isCategorical = chart.kind === "BAR" || (!isTime && !NUMBERS.test(type));
  const label = (row: number): string => (x < 0 ? String(row + 1) : plainText(result.rows[row]?.[x]));
  const slots = slotsOf(result.rows.length, group < 0 ? null : label);
  const places = slots.map(([row = 0], slot) =>
    isCategorical ? slot : isTime ? Date.parse(label(row)) : Number(result.rows[row]?.[x]),
  );
  const order = places.map((_, slot) => slot).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
  const ordered = order.map((slot) => slots[slot] ?? []);
  return {
    kind: chart.kind,
    positions: order.map((slot) => places[slot] ?? 0),
    labels: ordered.map(([row = 0]) => label(row)),
    isCategorical,
    series: chart.y
      .filter((name) => index(name) >= 0)
      .flatMap((name) => seriesOf(result, ordered, { y: index(name), group, isOnly: chart.y.length === 1 })),
  };
}

/** The rows at each place of the axis: one each, or where they are grouped, those with the same label. */
function slotsOf(rows: number, label: ((row: number) => string) | null): number[][] {
  const all = Array.from({ length: rows }, (_, row) => row);
  if (label === null) return all.map((row) => [row]);
  const found = new Map<string, number[]>();
  for (const row of all) {
    const known = found.get(label(row));
    if (known === undefined) found.set(label(row), [row]);
    else known.push(row);
  }
  return [...found.values()];
}

interface Value {
  y: number;
  group: number;
  /** Whether no other column is drawn. */
  isOnly: boolean;
}

/** Of one column: a series, or one for each value of the column by which rows are grouped. */
function seriesOf(result: Rows, slots: number[][], { y, group, isOnly }: Value): DrawnSeries[] {
  const name = result.columns[y]?.name ?? "";
  const valueOf = (row: number | undefined): number | null =>
    row === undefined ? null : numeric(result.rows[row]?.[y]);
  if (group < 0) return [{ name, values: slots.map(([row]) => valueOf(row)) }];
  const groupOf = (row: number): string => plainText(result.rows[row]?.[group]);
  return [...new Set(slots.flat().map(groupOf))].map((each) => ({
    name: isOnly ? each : `${each}, ${name}`,
    values: slots.map((rows) => valueOf(rows.find((row) => groupOf(row) === each))),
  }));
}

function numeric(cell: unknown): number | null {
  if (cell === null || cell === undefined) return null;
  const value = Number(cell);
  return Number.isFinite(value) ? value : null;
}

/** Of divisions, which are not exact. */
const TOLERANCE = 1e-9;

/** Round values that divide the range into about so many parts. */
export function ticks(least: number, most: number, parts = 5): number[] {
  const span = most - least || Math.abs(most) || 1;
  const raw = span / parts;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * size).find((each) => each >= raw) ?? raw;
  const first = Math.ceil(least / step - TOLERANCE);
  const last = Math.floor(most / step + TOLERANCE);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, place) =>
    Number(((first + place) * step).toPrecision(12)),
  );
}
