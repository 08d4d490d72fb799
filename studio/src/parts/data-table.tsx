/** A list of things in columns that can be sorted. */

import {
  createSortedRowModel,
  rowSortingFeature,
  tableFeatures,
  useTable,
  type ColumnDef,
} from "@tanstack/react-table";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import type { ReactNode } from "react";

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });

export interface Column<T> {
  name: string;
  cell: (row: T) => ReactNode;
  /** What the column is sorted by; without it, it is not. */
  value?: (row: T) => string | number | null | undefined;
  align?: "right";
  /** `tight`: as wide as its contents; `clip`: what does not fit is cut off. */
  width?: "tight" | "clip";
  /** Left out where the window is narrow. */
  isExtra?: boolean;
}

interface DataTableProps<T> {
  label: string;
  rows: T[];
  columns: Column<T>[];
  rowKey: (row: T) => string;
  sortedBy?: { column: string; descending: boolean };
  onSelect?: (row: T) => void;
  selected?: string | null;
}

export function DataTable<T extends object>(props: DataTableProps<T>) {
  const { label, rows, columns, rowKey, sortedBy, onSelect, selected } = props;
  const table = useTable({
    features,
    data: rows,
    columns: columns.map((column) => definition(column)),
    getRowId: rowKey,
    initialState: {
      sorting: sortedBy === undefined ? [] : [{ id: sortedBy.column, desc: sortedBy.descending }],
    },
  });
  const shown = new Map(columns.map((column) => [column.name, column]));
  return (
    <table className="table" aria-label={label}>
      <thead>
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id}>
            {group.headers.map(({ id, column }) => (
              <HeaderCell
                key={id}
                name={id}
                column={shown.get(id)}
                sorted={column.getIsSorted()}
                onSort={column.getCanSort() ? column.getToggleSortingHandler() : undefined}
              />
            ))}
          </tr>
        ))}
      </thead>
      <tbody>
        {table.getRowModel().rows.map((row) => (
          <tr
            key={row.id}
            className={rowClass(onSelect !== undefined, row.id === selected)}
            onClick={
              onSelect === undefined ? undefined : (event) => isPlain(event.target) && onSelect(row.original)
            }
          >
            {columns.map((column) => (
              <td key={column.name} className={cellClass(column)}>
                {column.cell(row.original)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface HeaderCellProps<T> {
  name: string;
  column: Column<T> | undefined;
  sorted: false | "asc" | "desc";
  onSort: ((event: unknown) => void) | undefined;
}

function HeaderCell<T>({ name, column, sorted, onSort }: HeaderCellProps<T>) {
  const order = sorted === false ? undefined : sorted === "asc" ? "ascending" : "descending";
  return (
    <th scope="col" aria-sort={order} className={cellClass(column)}>
      {onSort === undefined ? (
        name
      ) : (
        <button type="button" className="sort-button" onClick={onSort}>
          {name}
          {sorted === "asc" && <IconArrowUp size={12} aria-hidden />}
          {sorted === "desc" && <IconArrowDown size={12} aria-hidden />}
        </button>
      )}
    </th>
  );
}

function definition<T extends object>(column: Column<T>): ColumnDef<typeof features, T> {
  return {
    id: column.name,
    accessorFn: (row: T) => column.value?.(row) ?? undefined,
    enableSorting: column.value !== undefined,
    sortUndefined: "last",
    sortFn: (left, right, id) => compare(left.getValue(id), right.getValue(id)),
  };
}

function compare(left: string | number, right: string | number): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function cellClass<T>(column: Column<T> | undefined): string | undefined {
  const extra = column?.isExtra === true ? "extra" : undefined;
  const found = [column?.align, column?.width, extra].filter((each) => each !== undefined).join(" ");
  return found === "" ? undefined : found;
}

function rowClass(isSelectable: boolean, isSelected: boolean): string | undefined {
  return isSelectable ? (isSelected ? "selectable selected" : "selectable") : undefined;
}

/** Whether a click was not meant for a link or a button inside of the row. */
function isPlain(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a,button,input,label") === null;
}
