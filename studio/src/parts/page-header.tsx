import { Group } from "@mantine/core";
import { type ReactNode, useEffect } from "react";

interface PageHeaderProps {
  title: string;
  /** What the page is part of. */
  above?: ReactNode;
  beside?: ReactNode;
  children?: ReactNode;
}

export function PageHeader({ title, above, beside, children }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Headrace Studio`;
  }, [title]);
  return (
    <header style={{ marginBottom: 16 }}>
      {above !== undefined && (
        <div className="quiet" style={{ marginBottom: 3 }}>
          {above}
        </div>
      )}
      <Group justify="space-between" align="center" gap="md">
        <Group gap="sm" align="center">
          <h1 style={{ fontSize: "1.25rem", fontWeight: 650, margin: 0, overflowWrap: "anywhere" }}>
            {title}
          </h1>
          {beside}
        </Group>
        <Group gap="xs">{children}</Group>
      </Group>
    </header>
  );
}
