/** Settings of a file: where it runs, when, with what, and what happens if it fails. */

import { Checkbox, Group, MultiSelect, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import type { FileDetails, FileSettings } from "../../api/files";
import { tasksQuery } from "../../api/queries";
import { ClusterField, NumberField, OptionalNumberField, TextField } from "../../parts/fields";
import { ParameterFields } from "./parameter-fields";
import { ScheduleFields } from "./schedule-fields";

interface SettingsPanelProps {
  file: FileDetails;
  settings: FileSettings;
  onChange: (settings: FileSettings) => void;
}

export function SettingsPanel({ file, settings, onChange }: SettingsPanelProps) {
  const tasks = useQuery(tasksQuery).data ?? [];
  const set = (part: Partial<FileSettings>): void => onChange({ ...settings, ...part });
  return (
    <aside className="dev-settings" aria-label="Settings" tabIndex={0}>
      <Stack gap="sm">
        <ClusterField value={settings.cluster} onChange={(cluster) => set({ cluster })} />
        <Group grow gap="xs">
          <TextField
            label="Workspace"
            value={settings.workspace}
            onChange={(workspace) => set({ workspace })}
          />
          <TextField label="Schema" value={settings.schema} onChange={(schema) => set({ schema })} />
        </Group>
        <ScheduleFields isTable={file.kind === "DYNAMIC_TABLE"} settings={settings} set={set} />
        <ParameterFields parameters={settings.parameters} onChange={(parameters) => set({ parameters })} />
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
          <NumberField
            label="Retries"
            min={0}
            value={settings.retries}
            onChange={(retries) => set({ retries })}
          />
          <NumberField
            label="Seconds between"
            min={0}
            value={settings.backoff_seconds}
            onChange={(seconds) => set({ backoff_seconds: seconds })}
          />
        </Group>
        <OptionalNumberField
          label="Timeout in seconds"
          placeholder="none"
          min={1}
          value={settings.timeout_seconds}
          onChange={(seconds) => set({ timeout_seconds: seconds })}
        />
        <Checkbox.Group
          label="Alert on"
          size="xs"
          value={settings.alerts}
          onChange={(alerts) => set({ alerts })}
        >
          <Group gap="md" mt={4}>
            <Checkbox size="xs" value="FAILURE" label="failure" />
            <Checkbox size="xs" value="TIMEOUT" label="timeout" />
          </Group>
        </Checkbox.Group>
        <TextField
          label="Name of the task"
          placeholder={file.name}
          value={settings.task ?? ""}
          onChange={(task) => set({ task: task || null })}
        />
        <TextField
          label="Comment"
          value={settings.comment ?? ""}
          onChange={(comment) => set({ comment: comment || null })}
        />
      </Stack>
    </aside>
  );
}
