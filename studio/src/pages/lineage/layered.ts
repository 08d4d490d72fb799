/** A layout of many boxes in columns, in time proportional to the links: dagre takes seconds for 500 boxes. */

import { BOX_HEIGHT, BOX_WIDTH, type Position, type Shape } from "./graph";

const ACROSS = BOX_WIDTH + 110;
const DOWN = BOX_HEIGHT + 18;
const SWEEPS = 6;

/** Each box stands right of all that it is made from; within a column, near what it is linked with. */
export function layered({ boxes, links }: Shape): Map<string, Position> {
  const before = neighbours(links.map(({ from, to }) => [to, from]));
  const after = neighbours(links.map(({ from, to }) => [from, to]));
  const columns = columnsOf(
    boxes.map((box) => box.id),
    before,
  );
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isForward = sweep % 2 === 0;
    const ordered = isForward ? columns : [...columns].reverse();
    for (const column of ordered) arrange(column, isForward ? before : after, places(columns));
  }
  const tallest = Math.max(0, ...columns.map((column) => column.length));
  return new Map(
    columns.flatMap((column, x) =>
      column.map((id, y): [string, Position] => [
        id,
        { x: x * ACROSS, y: (y + (tallest - column.length) / 2) * DOWN },
      ]),
    ),
  );
}

type Neighbours = ReadonlyMap<string, string[]>;

function neighbours(pairs: [string, string][]): Neighbours {
  const found = new Map<string, string[]>();
  for (const [here, there] of pairs) {
    const known = found.get(here);
    if (known === undefined) found.set(here, [there]);
    else known.push(there);
  }
  return found;
}

/** By the longest way that leads to each box. A ring is cut where it is first entered. */
function columnsOf(ids: string[], before: Neighbours): string[][] {
  const depths = new Map<string, number>();
  const depth = (id: string): number => {
    const known = depths.get(id);
    if (known !== undefined) return known;
    depths.set(id, 0);
    const found = Math.max(-1, ...(before.get(id) ?? []).map(depth)) + 1;
    depths.set(id, found);
    return found;
  };
  const deepest = Math.max(-1, ...ids.map(depth));
  const columns = Array.from({ length: deepest + 1 }, (): string[] => []);
  for (const id of ids) columns[depth(id)]?.push(id);
  return columns;
}

/** From 0 to 1 in each column. */
function places(columns: string[][]): Map<string, number> {
  return new Map(
    columns.flatMap((column) =>
      column.map((id, place): [string, number] => [id, (place + 0.5) / column.length]),
    ),
  );
}

function arrange(column: string[], linked: Neighbours, at: ReadonlyMap<string, number>): void {
  const mean = (id: string): number => {
    const others = linked.get(id) ?? [id];
    return others.reduce((sum, other) => sum + (at.get(other) ?? 0), 0) / others.length;
  };
  const means = new Map(column.map((id) => [id, mean(id)]));
  column.sort((left, right) => (means.get(left) ?? 0) - (means.get(right) ?? 0));
}
