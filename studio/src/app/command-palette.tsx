/** Ctrl-K: pages, dynamic tables, tasks and clusters by name. */

import {
  Spotlight,
  spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from "@mantine/spotlight";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { IconBolt, IconListCheck, IconSearch } from "@tabler/icons-react";

import { dynamicTablesQuery, tasksQuery } from "../api/queries";
import { tableName } from "../format/names";
import { PAGES } from "./navigation";

export function openPalette(): void {
  spotlight.open();
}

export function CommandPalette() {
  const navigate = useNavigate();
  const tables = useQuery(dynamicTablesQuery).data ?? [];
  const tasks = useQuery(tasksQuery).data ?? [];
  const pages: SpotlightActionData[] = PAGES.map(({ to, label, description, icon: Icon }) => ({
    id: to,
    label,
    description,
    leftSection: <Icon size={18} stroke={1.6} />,
    onClick: () => void navigate({ to }),
  }));
  const groups: SpotlightActionGroupData[] = [
    { group: "Pages", actions: pages },
    {
      group: "Dynamic tables",
      actions: tables.map((table) => ({
        id: `table ${table.name}`,
        label: table.name,
        description: table.state,
        leftSection: <IconBolt size={18} stroke={1.6} />,
        onClick: () =>
          void navigate({
            to: "/dynamic-tables/$workspace/$schema/$table",
            params: { ...tableName(table.name) },
          }),
      })),
    },
    {
      group: "Tasks",
      actions: tasks.map((task) => ({
        id: `task ${task.name}`,
        label: task.name,
        description: task.state.toLowerCase(),
        leftSection: <IconListCheck size={18} stroke={1.6} />,
        onClick: () => void navigate({ to: "/tasks/$task", params: { task: task.name } }),
      })),
    },
  ];
  return (
    <Spotlight
      actions={groups}
      shortcut={["mod + K"]}
      limit={12}
      scrollable
      maxHeight={440}
      nothingFound="Nothing has this name."
      searchProps={{
        leftSection: <IconSearch size={18} stroke={1.6} />,
        placeholder: "Page, dynamic table or task",
        "aria-label": "Page, dynamic table or task",
      }}
    />
  );
}
