/** When a file runs once it is deployed, and the next five times. */

import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import { answered, api } from "../../api/client";
import type { FileSettings } from "../../api/files";
import { useZone } from "../../app/context";
import { ErrorNotice } from "../../parts/error-notice";
import { ChoiceField, NumberField, TextField } from "../../parts/fields";
import { TimeText } from "../../parts/time-text";

type Kind = "none" | "interval" | "cron";

const DAILY = "0 2 * * *";
const MINUTE = 60;

interface ScheduleFieldsProps {
  /** The statement of a dynamic table may have a schedule of its own. */
  isTable: boolean;
  settings: FileSettings;
  set: (part: Partial<FileSettings>) => void;
}

export function ScheduleFields({ isTable, settings, set }: ScheduleFieldsProps) {
  const kind: Kind =
    settings.cron !== null ? "cron" : settings.interval_seconds !== null ? "interval" : "none";
  const choose = (chosen: Kind): void =>
    set({
      cron: chosen === "cron" ? DAILY : null,
      interval_seconds: chosen === "interval" ? MINUTE : null,
    });
  return (
    <>
      <ChoiceField
        label="Schedule"
        value={kind}
        onChange={choose}
        choices={[
          { value: "none", label: isTable ? "as the statement says" : "on demand, or after other tasks" },
          { value: "interval", label: "at an interval" },
          { value: "cron", label: "cron" },
        ]}
      />
      {kind === "interval" && (
        <NumberField
          label="Every so many minutes"
          min={1}
          value={(settings.interval_seconds ?? MINUTE) / MINUTE}
          onChange={(minutes) => set({ interval_seconds: minutes * MINUTE })}
        />
      )}
      {kind === "cron" && (
        <TextField label="Cron expression" value={settings.cron ?? ""} onChange={(cron) => set({ cron })} />
      )}
      {kind !== "none" && <NextRuns settings={settings} />}
    </>
  );
}

function NextRuns({ settings }: { settings: FileSettings }) {
  const zone = useZone();
  const [asked] = useDebouncedValue(
    { cron: settings.cron, interval_seconds: settings.interval_seconds, time_zone: settings.time_zone },
    300,
  );
  const next = useQuery({
    queryKey: ["next-runs", asked],
    queryFn: () => answered(api.GET("/api/v1/schedules/next", { params: { query: asked } })),
  });
  if (next.error !== null) return <ErrorNotice error={next.error} />;
  return (
    <div>
      <div className="fact-label">Next runs ({zone})</div>
      {next.data?.times.map((time) => (
        <div key={time}>
          <TimeText moment={time} form="full" />
        </div>
      ))}
    </div>
  );
}
