import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconFilter } from "@tabler/icons-react";
import { useState } from "react";

export const SELECTION_HELP =
  "sales* selects by name, +name also what it is made from, name+ also what is made from it; schema:x, state:failing, " +
  "mode:FULL and kind:task select by property. Terms must all hold; of alternatives separated by commas, one.";
const PAUSE_MILLISECONDS = 250;

/** The same selection filters the list and the graph; the server reads it. */
export function SelectionInput({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [typed, setTyped] = useState({ text: value, from: value });
  const send = useDebouncedCallback(onChange, PAUSE_MILLISECONDS);
  const text = typed.from === value || typed.text === value ? typed.text : value;
  return (
    <TextInput
      data-filter
      w={320}
      aria-label="Selection"
      placeholder="sales*, +name, name+, state:failing, mode:FULL"
      title={SELECTION_HELP}
      leftSection={<IconFilter size={14} />}
      value={text}
      onChange={(event) => {
        setTyped({ text: event.currentTarget.value, from: value });
        send(event.currentTarget.value);
      }}
    />
  );
}
