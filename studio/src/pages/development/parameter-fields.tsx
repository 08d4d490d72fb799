import { ActionIcon, Button, Group, Stack, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useState } from "react";

interface ParameterFieldsProps {
  parameters: Record<string, string>;
  onChange: (parameters: Record<string, string>) => void;
}

type Entry = [name: string, value: string];

/** Names and values that stand for `${name}` in the script. While one is typed, two may have the same name. */
export function ParameterFields({ parameters, onChange }: ParameterFieldsProps) {
  const [typed, setTyped] = useState<Entry[]>(() => Object.entries(parameters));
  const isOwn = JSON.stringify(Object.fromEntries(typed)) === JSON.stringify(parameters);
  const entries = isOwn ? typed : Object.entries(parameters);
  const set = (next: Entry[]): void => {
    setTyped(next);
    onChange(Object.fromEntries(next));
  };
  const replace = (index: number, entry: Entry | null): void =>
    set(entries.flatMap((old, place) => (place === index ? (entry === null ? [] : [entry]) : [old])));
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
          onClick={() => set([...entries, [entries.length === 0 ? "bizdate" : `name${entries.length}`, ""]])}
        >
          Add a parameter
        </Button>
      </Stack>
    </div>
  );
}
