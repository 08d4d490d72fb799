import { ActionIcon, Button, Group, Stack, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";

interface ParameterFieldsProps {
  parameters: Record<string, string>;
  onChange: (parameters: Record<string, string>) => void;
}

/** Names and values that stand for `${name}` in the script. */
export function ParameterFields({ parameters, onChange }: ParameterFieldsProps) {
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
