/** What is made from what, with the state of each table, live. */

import { Button, Group, MultiSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { IconList, IconX } from "@tabler/icons-react";
import { useMemo, useState } from "react";

import { lineageQuery, type Lineage } from "../../api/queries";
import { shortName } from "../../format/names";
import { EmptyState } from "../../parts/empty-state";
import { Loaded } from "../../parts/loaded";
import { PageHeader } from "../../parts/page-header";
import { SelectionInput } from "../dynamic-tables/selection-input";
import { schemasOf } from "./graph";
import { GraphView } from "./graph-view";
import { reached, selectedNames } from "./selection";

const route = getRouteApi("/lineage");

export function LineagePage() {
  const lineage = useQuery(lineageQuery);
  return (
    <div
      className="page"
      style={{ display: "flex", flexDirection: "column", height: "100vh", paddingBottom: 20 }}
    >
      <Loaded query={lineage} what="lineage">
        {(found) => <LineageView lineage={found} />}
      </Loaded>
    </div>
  );
}

function LineageView({ lineage }: { lineage: Lineage }) {
  const { select = "", focus } = route.useSearch();
  const navigate = useNavigate({ from: route.id });
  const [collapsed, setCollapsed] = useState<string[]>([]);
  const shown = useMemo(() => shownNames(lineage, select, focus), [lineage, select, focus]);
  const set = (search: { select?: string; focus?: string }): void =>
    void navigate({ search: (old) => ({ ...old, ...search }), replace: true });
  return (
    <>
      <PageHeader title="Lineage">
        {focus !== undefined && (
          <Button
            variant="light"
            rightSection={<IconX size={13} />}
            onClick={() => set({ focus: undefined })}
          >
            Only {shortName(focus)} and its neighbours
          </Button>
        )}
        <MultiSelect
          aria-label="Collapsed schemas"
          placeholder={collapsed.length === 0 ? "Collapse schemas" : ""}
          size="xs"
          miw={180}
          data={schemasOf(lineage.nodes)}
          value={collapsed}
          onChange={setCollapsed}
        />
        <SelectionInput
          value={select}
          onChange={(value) => set({ select: value === "" ? undefined : value })}
        />
        <Button
          variant="default"
          leftSection={<IconList size={14} />}
          onClick={() => void navigate({ to: "/dynamic-tables", search: select === "" ? {} : { select } })}
        >
          As a list
        </Button>
      </PageHeader>
      <section className="card" style={{ flex: 1, minHeight: 360, overflow: "hidden" }} aria-label="Graph">
        {lineage.nodes.length === 0 ? (
          <EmptyState
            title="There is nothing to draw yet"
            text="A dynamic table and the tables that it reads appear here as soon as it is created."
            sql={"CREATE DYNAMIC TABLE name REFRESH INTERVAL 1 MINUTE\nAS SELECT ... FROM ...;"}
          />
        ) : shown?.size === 0 ? (
          <EmptyState title="Nothing is selected" text="Change the selection above." />
        ) : (
          <GraphView
            lineage={lineage}
            shown={shown}
            collapsed={collapsed}
            toggle={(schema) =>
              setCollapsed((old) =>
                old.includes(schema) ? old.filter((each) => each !== schema) : [...old, schema],
              )
            }
            focus={(name) => set({ focus: name })}
          />
        )}
      </section>
      <Group gap="lg" mt={8} className="quiet">
        <span>
          Double-click a table to open it; click “Neighbours” to see only what feeds it and what is made from
          it.
        </span>
      </Group>
    </>
  );
}

function shownNames(lineage: Lineage, select: string, focus: string | undefined): Set<string> | null {
  const selected = select.trim() === "" ? null : selectedNames(select, lineage);
  if (focus === undefined) return selected;
  const around = new Set([
    focus,
    ...reached([focus], lineage.edges, "from", "to"),
    ...reached([focus], lineage.edges, "to", "from"),
  ]);
  return selected === null ? around : new Set([...around].filter((name) => selected.has(name)));
}
