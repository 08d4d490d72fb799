/** Ctrl-K: pages, and whatever has a name in the lake. */

import {
  Spotlight,
  spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from "@mantine/spotlight";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  IconBolt,
  IconCode,
  IconColumns3,
  IconEye,
  IconListCheck,
  IconSearch,
  IconServer2,
  IconTable,
  IconWaveSine,
} from "@tabler/icons-react";
import { useState } from "react";

import type { Schemas } from "../api/client";
import { searchQuery } from "../api/queries";
import { tableName } from "../format/names";
import { PAGES } from "./navigation";

type Hit = Schemas["SearchHit"];
type Actions = (SpotlightActionData | SpotlightActionGroupData)[];

const ICONS: Record<Hit["kind"], typeof IconTable> = {
  table: IconTable,
  "dynamic table": IconBolt,
  view: IconEye,
  stream: IconWaveSine,
  column: IconColumns3,
  task: IconListCheck,
  file: IconCode,
  cluster: IconServer2,
};
const PAUSE_MILLISECONDS = 120;

export function openPalette(): void {
  spotlight.open();
}

export function CommandPalette() {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [asked] = useDebouncedValue(text.trim(), PAUSE_MILLISECONDS);
  const hits = useQuery(searchQuery(asked)).data ?? [];
  const pages: SpotlightActionData[] = PAGES.map(({ to, label, description, icon: Icon }) => ({
    id: to,
    label,
    description,
    leftSection: <Icon size={18} stroke={1.6} />,
    onClick: () => void navigate({ to }),
  }));
  const found: SpotlightActionData[] = (asked === "" ? [] : hits).map((hit) => {
    const Icon = ICONS[hit.kind];
    return {
      id: `${hit.kind} ${hit.id}`,
      label: hit.name,
      description: [hit.kind, hit.detail ?? hit.id].join(" · "),
      leftSection: <Icon size={18} stroke={1.6} />,
      onClick: () => void open(hit, navigate),
    };
  });
  const groups: SpotlightActionGroupData[] = [
    { group: "Pages", actions: pages },
    { group: "In the lake", actions: found },
  ];
  return (
    <Spotlight
      actions={groups}
      query={text}
      onQueryChange={setText}
      filter={filterPages}
      shortcut={["mod + K"]}
      scrollable
      maxHeight={440}
      nothingFound="Nothing has this name."
      searchProps={{
        leftSection: <IconSearch size={18} stroke={1.6} />,
        placeholder: "Page, table, column, task, file or cluster",
        "aria-label": "Page, table, column, task, file or cluster",
      }}
    />
  );
}

/** Pages by their labels; the server has selected the rest. */
function filterPages(query: string, actions: Actions): Actions {
  const words = query.trim().toLowerCase();
  return actions
    .map((group) => {
      if (!("group" in group && "actions" in group) || group.group !== "Pages") return group;
      const isShown = ({ label, description }: SpotlightActionData): boolean =>
        `${label ?? ""} ${description ?? ""}`.toLowerCase().includes(words);
      return { ...group, actions: group.actions.filter(isShown) };
    })
    .filter((group) => !("actions" in group) || group.actions.length > 0);
}

async function open(hit: Hit, navigate: ReturnType<typeof useNavigate>): Promise<void> {
  const { workspace, schema, table } = tableName(hit.id);
  switch (hit.kind) {
    case "dynamic table":
      return navigate({
        to: "/dynamic-tables/$workspace/$schema/$table",
        params: { workspace, schema, table },
      });
    case "table":
    case "view":
    case "column":
      return navigate({
        to: "/catalog/$workspace/$schema/$object",
        params: { workspace, schema, object: table },
      });
    case "stream":
      return navigate({ to: "/streams", search: { stream: hit.id } });
    case "task":
      return navigate({ to: "/tasks/$task", params: { task: hit.name } });
    case "file":
      return navigate({ to: "/development", search: { file: hit.id } });
    case "cluster":
      return navigate({ to: "/compute" });
  }
}
