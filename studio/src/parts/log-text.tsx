import { useEffect, useRef } from "react";

import { CopyButton } from "./copy-button";

interface LogTextProps {
  text: string;
  /** Of a log without text. */
  none: string;
  maxHeight?: number;
}

/** What a run has printed. The end stays in view while it grows, unless the reader has scrolled up. */
export function LogText({ text, none, maxHeight = 480 }: LogTextProps) {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const found = box.current;
    if (found !== null && isAtEnd.current) found.scrollTop = found.scrollHeight;
  }, [text]);
  return (
    <div className="sql-box">
      <pre
        ref={box}
        className="sql"
        tabIndex={0}
        aria-label="Log"
        style={{ maxHeight, paddingRight: 40 }}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 4;
        }}
      >
        {text === "" ? <span className="quiet">{none}</span> : text}
      </pre>
      {text !== "" && (
        <div className="copy">
          <CopyButton text={text} label="Copy the log" />
        </div>
      )}
    </div>
  );
}
