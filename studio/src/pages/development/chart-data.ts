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
  const index = (name: string): number => result.columns.findIndex((column) => column.name === name);
  const column = chart.x === null ? undefined : result.columns[index(chart.x)];
  const cells = column === undefined ? [] : result.rows.map((row) => row[index(column.name)]);
  const isTime = column !== undefined && TIMES.test(column.type);
  const isNumber = column !== undefined && NUMBERS.test(column.type);
  const isCategorical = chart.kind === "BAR" || (!isTime && !isNumber);
  const places = isCategorical
    ? result.rows.map((_, place) => place)
    : cells.map((cell) => (isTime ? Date.parse(plainText(cell)) : Number(cell)));
  const order = places.map((_, place) => place).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
  return {
    kind: chart.kind,
    positions: order.map((place) => places[place] ?? 0),
    labels: order.map((place) => (cells.length === 0 ? String(place + 1) : plainText(cells[place]))),
    isCategorical,
    series: chart.y
      .filter((name) => index(name) >= 0)
      .map((name) => ({
        name,
        values: order.map((place) => numeric(result.rows[place]?.[index(name)])),
      })),
  };
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
