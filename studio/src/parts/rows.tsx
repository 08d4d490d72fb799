/** The rows of a statement, by paging: as many as are looked at. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";

import type { Cell, ResultColumn } from "../api/statements";
import { useZone } from "../app/context";
import { shownText } from "../format/cells";

const ROW_HEIGHT = 28;
const NUMBERS = /^(tinyint|smallint|int|bigint|float|double|decimal)/i;

interface RowsProps {
  label: string;
  columns: ResultColumn[];
  rows: Cell[][];
  maxHeight?: number;
}

/** A table of any length: only what is seen is drawn. */
export function Rows({ label, columns, rows, maxHeight = 560 }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div
      ref={scroller}
      className="scroll"
      style={{ maxHeight }}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <table className="table rows" aria-rowcount={rows.length}>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th
                key={index}
                scope="col"
                className={alignment(column)}
                style={{ position: "sticky", top: 0, zIndex: 1 }}
              >
                {column.name} <span style={{ fontWeight: 400 }}>{column.type}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <Spacer height={above} />}
          {items.map((item) => (
            <tr key={item.key} style={{ height: ROW_HEIGHT }}>
              {columns.map((column, index) => (
                <td key={index} className={alignment(column)}>
                  <CellText value={rows[item.index]?.[index]} type={column.type} />
                </td>
              ))}
            </tr>
          ))}
          {below > 0 && <Spacer height={below} />}
        </tbody>
      </table>
    </div>
  );
}

function Spacer({ height }: { height: number }) {
  return (
    <tr aria-hidden style={{ height }}>
      <td style={{ padding: 0, border: 0 }} />
    </tr>
  );
}

function alignment(column: ResultColumn): string | undefined {
  return NUMBERS.test(column.type) ? "right" : undefined;
}

export function CellText({ value, type }: { value: Cell; type: string }) {
  const zone = useZone();
  if (value === null || value === undefined) return <span className="quiet">NULL</span>;
  return shownText(value, type, zone);
}
