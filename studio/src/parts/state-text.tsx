import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconLoader2,
  IconMinus,
  IconPlayerPause,
} from "@tabler/icons-react";

import type { Schemas } from "../api/client";
import type { StateIcon, Shown } from "./states";

const ICONS: Record<StateIcon, typeof IconClock> = {
  check: IconCircleCheck,
  alert: IconAlertTriangle,
  cross: IconCircleX,
  running: IconLoader2,
  pause: IconPlayerPause,
  clock: IconClock,
  dash: IconMinus,
};

export function StateText({ shown }: { shown: Shown }) {
  const Icon = ICONS[shown.icon];
  return (
    <span className={`state state-${shown.tone}`}>
      <Icon size={15} stroke={1.9} className={shown.icon === "running" ? "spin" : undefined} aria-hidden />
      {shown.label}
    </span>
  );
}

const MODE_COLORS = {
  FULL: "var(--mode-full)",
  INCREMENTAL: "var(--mode-incremental)",
  NO_DATA: "var(--mode-none)",
};

/** The mode of a refresh; FULL stands out. */
export function ModeText({ mode }: { mode: Schemas["RefreshMode"] | null | undefined }) {
  if (mode == null) return <span className="quiet">–</span>;
  return (
    <span className="state" style={{ fontWeight: mode === "FULL" ? 650 : 500 }}>
      <span className="swatch" style={{ background: MODE_COLORS[mode] }} />
      {mode}
    </span>
  );
}
