import { unifiedMergeView } from "@codemirror/merge";
import { syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";

import { nonce } from "../../app/nonce";
import { editorTheme, highlighting, languageOf } from "./code-editor";

interface DiffProps {
  before: string;
  after: string;
  language: "sql" | "python";
}

/** What was removed and added between two texts. */
export function Diff({ before, after, language }: DiffProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (host.current === null) return;
    const view = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: after,
        extensions: [
          lineNumbers(),
          EditorView.editable.of(false),
          EditorState.readOnly.of(true),
          EditorView.cspNonce.of(nonce()),
          EditorView.contentAttributes.of({ "aria-label": "Difference", tabindex: "0" }),
          languageOf(language, {}),
          syntaxHighlighting(highlighting),
          editorTheme,
          unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3 } }),
        ],
      }),
    });
    return () => view.destroy();
  }, [before, after, language]);
  if (before === after) return <div className="quiet">There is no difference.</div>;
  return <div ref={host} className="sql-box" style={{ maxHeight: 460, overflow: "auto" }} />;
}
