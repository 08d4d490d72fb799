/** The rows of a result of any size: pages are fetched as they come into view. */

import { Group, Pagination } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useMemo, useRef, useState } from "react";

import { rowsOf, type Cell } from "../../api/statements";
import { compareCells } from "../../format/cells";
import { count as shownCount } from "../../format/numbers";
import { ErrorNotice } from "../../parts/error-notice";
import { CellText } from "../../parts/rows";

const PAGE = 500;
const ROW_HEIGHT = 28;
/** A browser draws nothing that is higher than 33 million pixels; of more rows, one window is shown at a time. */
const WINDOW = 100_000;
/** A result that is sorted is in the browser as a whole. */
const MOST_SORTED = 10_000;
const NUMBERS = /^(tinyint|smallint|int|bigint|float|double|decimal)/i;

interface Sorting {
  column: number;
  descending: boolean;
}

export function PagedRows({ job, count }: { job: string; count: number }) {
  const [number, setNumber] = useState(1);
  const windows = Math.ceil(count / WINDOW);
  return (
    <>
      {windows > 1 && <WindowChoice windows={windows} count={count} number={number} choose={setNumber} />}
      <RowsOfWindow key={number} job={job} count={count} start={(number - 1) * WINDOW} />
    </>
  );
}

interface WindowChoiceProps {
  windows: number;
  count: number;
  number: number;
  choose: (number: number) => void;
}

function WindowChoice({ windows, count, number, choose }: WindowChoiceProps) {
  const first = (number - 1) * WINDOW + 1;
  return (
    <Group gap="md" px={14} pb={8}>
      <Pagination
        size="xs"
        total={windows}
        value={number}
        onChange={choose}
        getItemProps={(page) => ({ "aria-label": `Rows from ${shownCount((page - 1) * WINDOW + 1)}` })}
        getControlProps={(control) => ({
          "aria-label": control === "previous" ? "Rows before" : "Rows after",
        })}
      />
      <span className="quiet number">
        Rows {shownCount(first)} to {shownCount(Math.min(count, first + WINDOW - 1))}
      </span>
    </Group>
  );
}

/** `start` is the first row of the window. */
function RowsOfWindow({ job, count, start }: { job: string; count: number; start: number }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const virtual = useVirtualizer({
    count: Math.min(WINDOW, count - start),
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  });
  const items = virtual.getVirtualItems();
  const wanted = sorting === null ? pagesOf(items.map((item) => start + item.index)) : pagesOf(range(count));
  const pages = useQueries({
    queries: [...new Set([0, ...wanted])].map((page) => ({
      queryKey: ["result", job, page],
      queryFn: () => rowsOf(job, page * PAGE, PAGE),
      staleTime: Infinity,
    })),
    combine: (found) => ({
      error: found.find((each) => each.error !== null)?.error ?? null,
      loaded: new Map(
        found.flatMap((each, index) =>
          each.data === undefined ? [] : [[[...new Set([0, ...wanted])][index] ?? 0, each.data]],
        ),
      ),
    }),
  });
  const columns = pages.loaded.get(0)?.columns ?? [];
  const order = useMemo(() => sortedOrder(pages.loaded, count, sorting), [pages.loaded, count, sorting]);
  const rowAt = (index: number): Cell[] | undefined => {
    const place = order?.[index] ?? index;
    return pages.loaded.get(Math.floor(place / PAGE))?.rows[place % PAGE];
  };
  if (pages.error !== null) return <ErrorNotice error={pages.error} />;
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div
      ref={scroller}
      className="scroll"
      style={{ height: 340 }}
      tabIndex={0}
      role="region"
      aria-label="Rows"
    >
      <table className="table rows" aria-rowcount={count}>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th
                key={index}
                scope="col"
                className={NUMBERS.test(column.type) ? "right" : undefined}
                style={{ position: "sticky", top: 0, zIndex: 1 }}
              >
                <button
                  type="button"
                  className="sort-button"
                  disabled={count > MOST_SORTED}
                  title={
                    count > MOST_SORTED
                      ? `Results of more than ${MOST_SORTED} rows are sorted with ORDER BY`
                      : column.type
                  }
                  onClick={() => setSorting(nextSorting(sorting, index))}
                >
                  {column.name} <span style={{ fontWeight: 400 }}>{column.type}</span>
                  {sorting?.column === index &&
                    (sorting.descending ? <IconArrowDown size={12} /> : <IconArrowUp size={12} />)}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <tr aria-hidden style={{ height: above }} />}
          {items.map((item) => (
            <tr key={item.key} style={{ height: ROW_HEIGHT }}>
              {columns.map((column, index) => (
                <td key={index} className={NUMBERS.test(column.type) ? "right" : undefined}>
                  {rowAt(start + item.index) === undefined ? (
                    <span className="quiet">…</span>
                  ) : (
                    <CellText value={rowAt(start + item.index)?.[index]} type={column.type} />
                  )}
                </td>
              ))}
            </tr>
          ))}
          {below > 0 && <tr aria-hidden style={{ height: below }} />}
        </tbody>
      </table>
    </div>
  );
}

function range(count: number): number[] {
  return Array.from({ length: Math.ceil(count / PAGE) }, (_, page) => page * PAGE);
}

function pagesOf(indices: number[]): number[] {
  return [...new Set(indices.map((index) => Math.floor(index / PAGE)))];
}

function nextSorting(old: Sorting | null, column: number): Sorting | null {
  if (old?.column !== column) return { column, descending: false };
  return old.descending ? null : { column, descending: true };
}

type Pages = Map<number, { rows: Cell[][] }>;

/** Which row comes at each place; null while the order is that of the result, or not all rows are here. */
function sortedOrder(pages: Pages, count: number, sorting: Sorting | null): number[] | null {
  if (sorting === null) return null;
  const rows = [...pages.entries()].sort(([a], [b]) => a - b).flatMap(([, page]) => page.rows);
  if (rows.length < count) return null;
  const sign = sorting.descending ? -1 : 1;
  return rows
    .map((_, index) => index)
    .sort((a, b) => sign * compareCells(rows[a]?.[sorting.column], rows[b]?.[sorting.column]) || a - b);
}
