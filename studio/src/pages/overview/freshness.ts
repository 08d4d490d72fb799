/** Whether data is fresh: of each dynamic table, and of the lake in one sentence. */

import type { DynamicTable } from "../../api/queries";
import { age, counted } from "../../format/durations";
import type { Tone } from "../../parts/states";

export type Freshness = "fresh" | "late" | "failed" | "suspended" | "on demand";

/** A table is late when it lacks changes that are older than two intervals. */
const INTERVALS = 2;
/** What a refresh may take although its interval is short. */
const GRACE_SECONDS = 10;

const FAILED = new Set(["failing", "unreadable", "waiting for a source"]);

export function freshness(table: DynamicTable): Freshness {
  if (FAILED.has(table.state)) return "failed";
  if (table.suspended || table.state === "suspended") return "suspended";
  if (table.interval_seconds === null) return "on demand";
  if (table.state === "never refreshed") return "late";
  const allowed = INTERVALS * table.interval_seconds + GRACE_SECONDS;
  return (table.lag_seconds ?? 0) > allowed ? "late" : "fresh";
}

export interface Verdict {
  tone: Tone;
  title: string;
  text: string;
}

export function verdict(tables: DynamicTable[]): Verdict {
  const groups = grouped(tables);
  const failed = groups.get("failed") ?? [];
  const late = groups.get("late") ?? [];
  const total = counted(tables.length, "dynamic table");
  const rest = restText(groups);
  if (tables.length === 0) {
    return {
      tone: "quiet",
      title: "There are no dynamic tables yet",
      text: "Create the first one to keep a result fresh.",
    };
  }
  if (failed.length > 0) {
    const also =
      late.length > 0 ? ` ${counted(late.length, "other")} ${late.length === 1 ? "is" : "are"} late.` : "";
    return {
      tone: "bad",
      title: `${failed.length} of ${total} cannot be refreshed`,
      text: names(failed) + also + rest,
    };
  }
  if (late.length > 0) {
    return {
      tone: "warn",
      title: `${late.length} of ${total} ${late.length === 1 ? "is" : "are"} late`,
      text: names(late) + rest,
    };
  }
  const most = largestLag(tables);
  const lag =
    most >= 1
      ? `The oldest change not included yet is ${age(most)} old.`
      : rest === ""
        ? "Every change of the sources is included."
        : "Every change of their sources is in the tables on schedule.";
  return { tone: "good", title: "Your data is fresh", text: `${total}, none late. ${lag}${rest}` };
}

/** Of tables that are refreshed on schedule. */
export function largestLag(tables: DynamicTable[]): number {
  const scheduled = tables.filter((table) => table.interval_seconds !== null && !table.suspended);
  return Math.max(0, ...scheduled.map((table) => table.lag_seconds ?? 0));
}

export function grouped(tables: DynamicTable[]): Map<Freshness, DynamicTable[]> {
  const groups = new Map<Freshness, DynamicTable[]>();
  for (const table of tables) {
    const kind = freshness(table);
    groups.set(kind, [...(groups.get(kind) ?? []), table]);
  }
  return groups;
}

function names(tables: DynamicTable[]): string {
  const shown = tables.slice(0, 3).map((table) => table.name.split(".").at(-1) ?? table.name);
  return tables.length > 3 ? `${shown.join(", ")} and ${tables.length - 3} more.` : `${shown.join(", ")}.`;
}

function restText(groups: Map<Freshness, DynamicTable[]>): string {
  const suspended = groups.get("suspended")?.length ?? 0;
  const onDemand = groups.get("on demand")?.length ?? 0;
  const texts = [
    suspended === 0 ? "" : ` ${suspended} suspended.`,
    onDemand === 0 ? "" : ` ${onDemand} refreshed on demand only.`,
  ];
  return texts.join("");
}
