/** What is made from what, with the state of each object, live. */

import { Button, MultiSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { IconList } from "@tabler/icons-react";
import { useState } from "react";

import { graphQuery, type GraphNode, type LakeGraph } from "../../api/queries";
import { EmptyState } from "../../parts/empty-state";
import { ErrorNotice } from "../../parts/error-notice";
import { Loaded } from "../../parts/loaded";
import { PageHeader } from "../../parts/page-header";
import { SELECTION_HELP, SelectionInput } from "../dynamic-tables/selection-input";
import { ColumnPanel, type Side } from "./column-panel";
import { schemaOf } from "./graph";
import { GraphView } from "./graph-view";
import { useMarked } from "./use-marked";

const route = getRouteApi("/lineage");

export function LineagePage() {
  const { select, focus, column } = route.useSearch();
  const navigate = useNavigate({ from: route.id });
  const marked = useMarked(focus, column);
  const graph = useQuery(graphQuery(select));
  const [collapsed, setCollapsed] = useState<string[]>([]);
  const set = (search: { select?: string; focus?: string; column?: string }): void =>
    void navigate({ search: (old) => ({ ...old, ...search }), replace: true });
  const toggle = (schema: string): void =>
    setCollapsed((old) => (old.includes(schema) ? old.filter((each) => each !== schema) : [...old, schema]));
  return (
    <div
      className="page"
      style={{ display: "flex", flexDirection: "column", height: "100vh", paddingBottom: 20 }}
    >
      <PageHeader title="Lineage">
        <MultiSelect
          aria-label="Collapsed schemas"
          placeholder={collapsed.length === 0 ? "Collapse schemas" : ""}
          size="xs"
          miw={180}
          data={graph.data?.groups.map(schemaOf) ?? []}
          value={collapsed}
          onChange={setCollapsed}
        />
        <SelectionInput
          value={select ?? ""}
          onChange={(value) => set({ select: value === "" ? undefined : value })}
        />
        <Button
          variant="default"
          leftSection={<IconList size={14} />}
          onClick={() =>
            void navigate({ to: "/dynamic-tables", search: select === undefined ? {} : { select } })
          }
        >
          As a list
        </Button>
      </PageHeader>
      {graph.data !== undefined && graph.error !== null && <ErrorNotice error={graph.error} />}
      <Loaded query={graph} what="lineage">
        {(found) => (
          <div style={{ flex: 1, minHeight: 360, display: "flex", gap: 12 }}>
            <section className="card" style={{ flex: 1, minWidth: 0, overflow: "hidden" }} aria-label="Graph">
              {found.nodes.length === 0 ? (
                <Nothing isFiltered={select !== undefined} />
              ) : (
                <GraphView
                  graph={found}
                  collapsed={collapsed}
                  toggle={toggle}
                  focus={(node) => set({ select: neighbourhood(node, "both") })}
                  choose={(node) => set({ focus: node.id, column: undefined })}
                  marked={marked}
                />
              )}
            </section>
            <Chosen
              graph={found}
              focus={focus}
              narrow={(node, side) => set({ select: neighbourhood(node, side) })}
              follow={(table, column) =>
                set({ focus: table, column, ...(isDrawn(found, table) ? {} : { select: undefined }) })
              }
              close={() => set({ focus: undefined })}
            />
          </div>
        )}
      </Loaded>
    </div>
  );
}

interface ChosenProps {
  graph: LakeGraph;
  focus: string | undefined;
  narrow: (node: GraphNode, side: Side) => void;
  follow: (table: string, column: string) => void;
  close: () => void;
}

function isDrawn(graph: LakeGraph, table: string): boolean {
  return graph.nodes.some((each) => each.id === table);
}

function Chosen({ graph, focus, narrow, follow, close }: ChosenProps) {
  const node = graph.nodes.find((each) => each.id === focus);
  if (node === undefined) return null;
  return (
    <ColumnPanel
      key={node.id}
      node={node}
      narrow={(side) => narrow(node, side)}
      follow={follow}
      close={close}
    />
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState title="Nothing is selected" text={SELECTION_HELP} />
  ) : (
    <EmptyState
      title="There is nothing to draw yet"
      text="A dynamic table and the tables that it reads appear here as soon as it is created."
      sql={"CREATE DYNAMIC TABLE name REFRESH INTERVAL 1 MINUTE\nAS SELECT ... FROM ...;"}
    />
  );
}

/** The term of a selection. What would separate terms stands for any character in the name. */
function neighbourhood(node: GraphNode, side: Side): string {
  const name = node.name.replaceAll(/[\s,+:]/g, "*");
  return `${side === "downstream" ? "" : "+"}${name}${side === "upstream" ? "" : "+"}`;
}
