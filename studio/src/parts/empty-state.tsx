import type { ReactNode } from "react";

import { SqlText } from "./sql-text";

interface EmptyStateProps {
  title: string;
  text: string;
  /** The statement that changes this. */
  sql?: string;
  /** The command of a shell that changes this. */
  command?: string;
  children?: ReactNode;
}

/** Nothing is here: why, and the next step. */
export function EmptyState({ title, text, sql, command, children }: EmptyStateProps) {
  return (
    <div style={{ padding: "40px 24px", maxWidth: 620, margin: "0 auto", textAlign: "center" }}>
      <div style={{ fontWeight: 600, fontSize: "0.9375rem" }}>{title}</div>
      <p className="quiet" style={{ margin: "4px 0 16px" }}>
        {text}
      </p>
      {sql !== undefined && (
        <div style={{ textAlign: "left" }}>
          <SqlText text={sql} />
        </div>
      )}
      {command !== undefined && (
        <div style={{ textAlign: "left" }}>
          <SqlText text={command} plain />
        </div>
      )}
      {children}
    </div>
  );
}
