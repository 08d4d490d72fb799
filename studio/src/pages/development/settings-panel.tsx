/** Settings of a file: where it runs, when, with what, and what happens if it fails. */

import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  Stack,
  TextInput,
} from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { IconPlus, IconX } from "@tabler/icons-react";

import { answered, api } from "../../api/client";
import type { FileDetails, FileSettings } from "../../api/files";
import { clustersQuery, tasksQuery } from "../../api/queries";
import { useZone } from "../../app/context";
import { dateTime } from "../../format/times";
import { ErrorNotice } from "../../parts/error-notice";

interface SettingsPanelProps {
  file: FileDetails;
  settings: FileSettings;
  onChange: (settings: FileSettings) => void;
}

export function SettingsPanel({ file, settings, onChange }: SettingsPanelProps) {
  const clusters = useQuery(clustersQuery).data ?? [];
  const tasks = useQuery(tasksQuery).data ?? [];
  const set = (part: Partial<FileSettings>): void => onChange({ ...settings, ...part });
  return (
    <aside className="dev-settings" aria-label="Settings" tabIndex={0}>
      <Stack gap="sm">
        <Select
          label="Cluster"
          data={clusters.map((each) => each.name)}
          value={settings.cluster}
          onChange={(value) => set({ cluster: value ?? settings.cluster })}
        />
        <Group grow gap="xs">
          <TextInput
            label="Workspace"
            value={settings.workspace}
            onChange={(event) => set({ workspace: event.currentTarget.value })}
          />
          <TextInput
            label="Schema"
            value={settings.schema}
            onChange={(event) => set({ schema: event.currentTarget.value })}
          />
        </Group>
        {file.kind !== "DYNAMIC_TABLE" && <Schedule settings={settings} set={set} />}
        <Parameters parameters={settings.parameters} onChange={(parameters) => set({ parameters })} />
        <MultiSelect
          label="Runs after"
          size="xs"
          placeholder={settings.after.length === 0 ? "no task" : ""}
          data={tasks.map((task) => task.name).filter((name) => name !== file.task)}
          value={settings.after}
          onChange={(after) => set({ after })}
          searchable
        />
        <Group grow gap="xs">
          <NumberInput
            size="xs"
            label="Retries"
            min={0}
            value={settings.retries}
            onChange={(value) => set({ retries: Number(value) })}
          />
          <NumberInput
            size="xs"
            label="Seconds between"
            min={0}
            value={settings.backoff_seconds}
            onChange={(value) => set({ backoff_seconds: Number(value) })}
          />
        </Group>
        <NumberInput
          size="xs"
          label="Timeout in seconds"
          placeholder="none"
          min={1}
          value={settings.timeout_seconds ?? ""}
          onChange={(value) => set({ timeout_seconds: value === "" ? null : Number(value) })}
        />
        <Checkbox.Group
          label="Alert on"
          size="xs"
          value={settings.alerts}
          onChange={(alerts) => set({ alerts: alerts })}
        >
          <Group gap="md" mt={4}>
            <Checkbox size="xs" value="FAILURE" label="failure" />
            <Checkbox size="xs" value="TIMEOUT" label="timeout" />
          </Group>
        </Checkbox.Group>
        <TextInput
          label="Name of the task"
          placeholder={file.name}
          value={settings.task ?? ""}
          onChange={(event) => set({ task: event.currentTarget.value || null })}
        />
        <TextInput
          label="Comment"
          value={settings.comment ?? ""}
          onChange={(event) => set({ comment: event.currentTarget.value || null })}
        />
      </Stack>
    </aside>
  );
}

type Kind = "none" | "interval" | "cron";

function Schedule({ settings, set }: { settings: FileSettings; set: (part: Partial<FileSettings>) => void }) {
  const kind: Kind =
    settings.cron !== null ? "cron" : settings.interval_seconds !== null ? "interval" : "none";
  const choose = (value: string | null): void =>
    set({
      cron: value === "cron" ? "0 2 * * *" : null,
      interval_seconds: value === "interval" ? 60 : null,
    });
  return (
    <>
      <Select
        label="Schedule"
        value={kind}
        onChange={choose}
        data={[
          { value: "none", label: "on demand, or after other tasks" },
          { value: "interval", label: "at an interval" },
          { value: "cron", label: "cron" },
        ]}
      />
      {kind === "interval" && (
        <NumberInput
          size="xs"
          label="Every so many minutes"
          min={1}
          value={(settings.interval_seconds ?? 60) / 60}
          onChange={(value) => set({ interval_seconds: Math.max(1, Math.round(Number(value))) * 60 })}
        />
      )}
      {kind === "cron" && (
        <TextInput
          label="Cron expression"
          value={settings.cron ?? ""}
          onChange={(event) => set({ cron: event.currentTarget.value })}
        />
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
        <div key={time} className="number">
          {dateTime(time, zone)}
        </div>
      ))}
    </div>
  );
}

interface ParametersProps {
  parameters: Record<string, string>;
  onChange: (parameters: Record<string, string>) => void;
}

function Parameters({ parameters, onChange }: ParametersProps) {
  const entries = Object.entries(parameters);
  const replace = (index: number, entry: [string, string] | null): void =>
    onChange(
      Object.fromEntries(
        entries.flatMap((old, place) => (place === index ? (entry === null ? [] : [entry]) : [old])),
      ),
    );
  return (
    <div>
      <div className="fact-label">Parameters: {"${name}"} in the script</div>
      <Stack gap={6}>
        {entries.map(([name, value], index) => (
          <Group key={index} gap={6} wrap="nowrap">
            <TextInput
              aria-label="Name of the parameter"
              value={name}
              onChange={(event) => replace(index, [event.currentTarget.value, value])}
            />
            <TextInput
              aria-label={`Value of ${name}`}
              value={value}
              onChange={(event) => replace(index, [name, event.currentTarget.value])}
            />
            <ActionIcon aria-label={`Remove ${name}`} onClick={() => replace(index, null)}>
              <IconX size={14} />
            </ActionIcon>
          </Group>
        ))}
        <Button
          variant="default"
          leftSection={<IconPlus size={13} />}
          onClick={() =>
            onChange({ ...parameters, [entries.length === 0 ? "bizdate" : `name${entries.length}`]: "" })
          }
        >
          Add a parameter
        </Button>
      </Stack>
    </div>
  );
}
