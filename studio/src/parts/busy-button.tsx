import { Button, type ButtonProps, type ElementProps } from "@mantine/core";
import { IconLoader2 } from "@tabler/icons-react";

interface BusyButtonProps extends ButtonProps, ElementProps<"button", keyof ButtonProps> {
  busy: boolean;
  /** What is being done, such as `Saving`. */
  doing: string;
}

/** A button that says what it is waiting for. */
export function BusyButton({ busy, doing, disabled, leftSection, children, ...button }: BusyButtonProps) {
  return (
    <Button
      {...button}
      disabled={busy || disabled}
      leftSection={busy ? <IconLoader2 size={14} className="spin" aria-hidden /> : leftSection}
    >
      {busy ? `${doing}…` : children}
    </Button>
  );
}
