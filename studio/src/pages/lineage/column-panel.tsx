/** Beside the graph: one object, its columns, and where a column comes from and where it goes. */

import { Button, CloseButton, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";

import { columnLineageQuery, objectQuery, type Direction, type GraphNode } from "../../api/queries";
import { age, interval } from "../../format/durations";
import { tableName } from "../../format/names";
import { Pairs } from "../../parts/card";
import { Loaded } from "../../parts/loaded";
import { ModeText, StateText } from "../../parts/state-text";
import { shownState } from "../../parts/states";
import { TableLink } from "../../parts/table-link";

const route = getRouteApi("/lineage");

export type Side = Direction | "both";

const SIDES: { side: Side; label: string }[] = [
  { side: "upstream", label: "Upstream" },
  { side: "downstream", label: "Downstream" },
  { side: "both", label: "Both" },
];

interface ColumnPanelProps {
  node: GraphNode;
  /** Draws only what it is made from, or what is made from it. */
  narrow: (side: Side) => void;
  follow: Follow;
  close: () => void;
}

type Follow = (table: string, column: string) => void;

export function ColumnPanel({ node, narrow, follow, close }: ColumnPanelProps) {
  const hasColumns = node.kind === "table" || node.kind === "dynamic table";
  return (
    <aside
      className="card scroll"
      style={{ width: 320, flex: "none" }}
      aria-label={`About ${node.name}`}
      tabIndex={0}
    >
      <div className="card-head">
        <h2 style={{ overflowWrap: "anywhere" }}>
          {hasColumns || node.kind === "view" ? (
            <TableLink name={node.id} isDynamic={node.kind === "dynamic table"} />
          ) : (
            node.name
          )}
        </h2>
        <CloseButton size="sm" aria-label="Close" onClick={close} />
      </div>
      <div className="card-body stack">
        <Pairs
          pairs={[
            ["Kind", node.kind],
            ["State", node.state === null ? null : <StateText key="state" shown={shownState(node.state)} />],
            ...(node.kind === "dynamic table"
              ? ([
                  ["Mode", <ModeText key="mode" mode={node.mode} />],
                  ["Lag", age(node.lag_seconds)],
                  ["Interval", interval(node.interval_seconds)],
                ] as [string, React.ReactNode][])
              : []),
            ...(node.reason === null ? [] : ([["Why", node.reason]] as [string, string][])),
          ]}
        />
        <Button.Group aria-label="Draw only">
          {SIDES.map(({ side, label }) => (
            <Button key={side} variant="default" flex={1} px={4} onClick={() => narrow(side)}>
              {label}
            </Button>
          ))}
        </Button.Group>
        {hasColumns && <Columns node={node} follow={follow} />}
        {node.kind === "view" && (
          <span className="quiet">
            The columns of dynamic tables that read a view are followed to the tables below it.
          </span>
        )}
      </div>
    </aside>
  );
}

function Columns({ node, follow }: Pick<ColumnPanelProps, "node" | "follow">) {
  const name = tableName(node.id);
  const object = useQuery(objectQuery(name));
  const { column } = route.useSearch();
  const navigate = useNavigate({ from: route.id });
  const choose = (chosen: string): void =>
    void navigate({
      search: (old) => ({ ...old, column: chosen === column ? undefined : chosen }),
      replace: true,
    });
  return (
    <Loaded query={object} what="columns">
      {({ columns }) => (
        <div>
          <div className="fact-label">Columns: choose one to follow it</div>
          {columns.map((each) => (
            <div key={each.name}>
              <button
                type="button"
                className={`tree-row ${each.name === column ? "active" : ""}`}
                aria-expanded={each.name === column}
                onClick={() => choose(each.name)}
              >
                <span className="mono tree-label">{each.name}</span>
                <span className="mono quiet" style={{ marginLeft: "auto" }}>
                  {each.type}
                </span>
              </button>
              {each.name === column && (
                <div style={{ padding: "4px 10px 10px" }}>
                  <Origins {...{ node, column, follow }} direction="upstream" title="Comes from" />
                  <Origins {...{ node, column, follow }} direction="downstream" title="Goes to" />
                </div>
              )}
            </div>
          ))}
        </div>
      )}
    </Loaded>
  );
}

interface OriginsProps {
  node: GraphNode;
  column: string;
  direction: Direction;
  title: string;
  follow: Follow;
}

function Origins({ node, column, direction, title, follow }: OriginsProps) {
  const lineage = useQuery(columnLineageQuery(tableName(node.id), column, direction));
  return (
    <Loaded query={lineage} what="columns">
      {({ nodes, edges, unknown }) => {
        const others = nodes.filter((each) => !(each.table === node.id && each.column === column));
        const kinds = new Map(
          edges.map((edge) => [direction === "upstream" ? edge.source : edge.target, edge.kind]),
        );
        return (
          <div style={{ marginTop: 6 }}>
            <div className="fact-label">{title}</div>
            {others.length === 0 && <div className="quiet">no other column</div>}
            {others.map((each) => (
              <Group key={each.id} gap={6} wrap="nowrap" className="mono">
                <button
                  type="button"
                  className="plain-button"
                  style={{ display: "inline", overflowWrap: "anywhere" }}
                  title={`Follow ${each.column} of ${each.table}`}
                  onClick={() => follow(each.table, each.column)}
                >
                  {tableName(each.table).table}.<strong>{each.column}</strong>
                </button>
                <span className="quiet">{kinds.get(each.id)?.toLowerCase()}</span>
              </Group>
            ))}
            {unknown.length > 0 && (
              <div className="quiet">
                The queries of {unknown.join(", ")} cannot be followed to columns, so this may be incomplete.
              </div>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}
