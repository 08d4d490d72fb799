/** The pages as the side bar, the command palette and the shortcuts list them. */

import {
  IconActivityHeartbeat,
  IconBell,
  IconBolt,
  IconCode,
  IconDatabase,
  IconGitFork,
  IconKey,
  IconListCheck,
  IconServer2,
  IconWaveSine,
} from "@tabler/icons-react";
import type { ComponentType } from "react";

export interface PageLink {
  to: string;
  label: string;
  /** The letter after `g`. */
  key: string;
  description: string;
  icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
}

export const DATA_PAGES: PageLink[] = [
  { to: "/", label: "Overview", key: "o", description: "Is my data fresh?", icon: IconActivityHeartbeat },
  {
    to: "/dynamic-tables",
    label: "Dynamic tables",
    key: "d",
    description: "State, lag and schedule of each",
    icon: IconBolt,
  },
  { to: "/lineage", label: "Lineage", key: "l", description: "What is made from what", icon: IconGitFork },
  {
    to: "/catalog",
    label: "Catalog",
    key: "c",
    description: "Tables, views and their versions",
    icon: IconDatabase,
  },
  {
    to: "/streams",
    label: "Streams",
    key: "s",
    description: "Offsets and pending rows",
    icon: IconWaveSine,
  },
];

export const WORK_PAGES: PageLink[] = [
  {
    to: "/development",
    label: "Development",
    key: "e",
    description: "Write, run and submit scripts",
    icon: IconCode,
  },
  {
    to: "/tasks",
    label: "Task operations",
    key: "t",
    description: "Tasks, runs and their logs",
    icon: IconListCheck,
  },
  { to: "/compute", label: "Compute", key: "j", description: "Clusters and jobs", icon: IconServer2 },
];

export const ADMIN_PAGES: PageLink[] = [
  { to: "/alerts", label: "Alerts", key: "a", description: "Rules and what they reported", icon: IconBell },
  { to: "/tokens", label: "Tokens", key: "k", description: "Access of other machines", icon: IconKey },
];

export const PAGES: PageLink[] = [...DATA_PAGES, ...WORK_PAGES, ...ADMIN_PAGES];
