import { useMemo } from "react";

import { CopyButton } from "./copy-button";
import { sqlTokens } from "./sql-tokens";

interface SqlTextProps {
  text: string;
  /** A command, not SQL. */
  plain?: boolean;
  maxHeight?: number;
}

/** A statement, coloured, that can be copied. */
export function SqlText({ text, plain = false, maxHeight }: SqlTextProps) {
  const tokens = useMemo(() => (plain ? [{ kind: "other" as const, text }] : sqlTokens(text)), [text, plain]);
  return (
    <div className="sql-box">
      <pre className="sql" tabIndex={0} style={{ maxHeight, paddingRight: 40 }}>
        {tokens.map((token, index) =>
          token.kind === "other" ? (
            token.text
          ) : (
            <span key={index} className={`tok-${token.kind}`}>
              {token.text}
            </span>
          ),
        )}
      </pre>
      <div className="copy">
        <CopyButton text={text} label="Copy the statement" />
      </div>
    </div>
  );
}
