import { ActionIcon, Tooltip } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <Tooltip label={clipboard.copied ? "Copied" : label}>
      <ActionIcon size="sm" aria-label={label} onClick={() => clipboard.copy(text)}>
        {clipboard.copied ? <IconCheck size={14} color="var(--good)" /> : <IconCopy size={14} />}
      </ActionIcon>
    </Tooltip>
  );
}
