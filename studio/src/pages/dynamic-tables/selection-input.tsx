import { TextInput } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";

import { SELECTION_HELP } from "../lineage/selection";

/** The same selection filters the list and the graph. */
export function SelectionInput({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextInput
      data-filter
      w={320}
      aria-label="Selection"
      placeholder="name, +name, name+, state:failing, mode:FULL"
      title={SELECTION_HELP}
      leftSection={<IconFilter size={14} />}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
