/** The editor of one file. What it contains is the page's; how it is edited is CodeMirror's. */

import { autocompletion, closeCompletion, completionKeymap } from "@codemirror/autocomplete";
import { python } from "@codemirror/lang-python";
import { sql, type SQLNamespace } from "@codemirror/lang-sql";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { Compartment, EditorState, Prec, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { basicSetup } from "codemirror";
import { type RefObject, useEffect, useEffectEvent, useRef } from "react";

import { nonce } from "../../app/nonce";
import { headraceSql } from "./sql-dialect";

export const highlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier], color: "var(--mode-incremental)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
  { tag: tags.comment, color: "var(--text-quiet)", fontStyle: "italic" },
  { tag: [tags.standard(tags.name), tags.function(tags.variableName)], color: "var(--info)" },
  { tag: tags.typeName, color: "var(--mode-full)" },
]);

export const editorTheme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mantine-font-family-monospace)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--text-quiet)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selected) !important",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--surface)",
    color: "var(--text)",
    border: "1px solid var(--line-strong)",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--selected)",
    color: "var(--text)",
  },
  ".cm-panels": { backgroundColor: "var(--page)", color: "var(--text)" },
});

export interface EditorHandle {
  view: EditorView | null;
}

interface CodeEditorProps {
  handle: RefObject<EditorHandle>;
  content: string;
  language: "sql" | "python";
  schema: SQLNamespace;
  onChange: (content: string) => void;
  onRun: () => void;
  onSave: () => void;
}

export function CodeEditor({ handle, content, language, schema, onChange, onRun, onSave }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const languages = useRef(new Compartment());
  const actions = useRef({ onChange, onRun, onSave });
  useEffect(() => {
    actions.current = { onChange, onRun, onSave };
  });
  /** The contents are the editor's own from then on. */
  const open = useEffectEvent((parent: HTMLElement) => {
    return new EditorView({
      parent,
      state: EditorState.create({
        doc: content,
        extensions: [
          commands(() => actions.current),
          basicSetup,
          autocompletion({ activateOnTyping: true }),
          keymap.of(completionKeymap),
          EditorView.domEventHandlers({ blur: (_, view) => void closeCompletion(view) }),
          languages.current.of(languageOf(language, schema)),
          syntaxHighlighting(highlighting),
          editorTheme,
          lintGutter(),
          EditorView.cspNonce.of(nonce()),
          EditorView.contentAttributes.of({ "aria-label": "Script", tabindex: "0" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) actions.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
  });
  useEffect(() => {
    if (host.current === null) return;
    const view = open(host.current);
    const held = handle.current;
    held.view = view;
    return () => {
      held.view = null;
      view.destroy();
    };
  }, [handle, language]);
  useEffect(() => {
    handle.current.view?.dispatch({ effects: languages.current.reconfigure(languageOf(language, schema)) });
  }, [handle, language, schema]);
  return <div ref={host} className="dev-editor" />;
}

type Actions = Pick<CodeEditorProps, "onRun" | "onSave">;

function commands(current: () => Actions): Extension {
  const run = (): boolean => {
    current().onRun();
    return true;
  };
  const save = (): boolean => {
    current().onSave();
    return true;
  };
  return Prec.highest(
    keymap.of([
      { key: "Mod-Enter", run },
      { key: "Mod-s", run: save, preventDefault: true },
    ]),
  );
}

export function languageOf(language: "sql" | "python", schema: SQLNamespace): Extension {
  return language === "python"
    ? python()
    : sql({ dialect: headraceSql, schema, defaultSchema: "public", upperCaseKeywords: true });
}

/** Replaces the contents, as an edit that can be undone. */
export function setContent(view: EditorView | null, content: string): void {
  view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: content } });
}

export function showDiagnostics(view: EditorView | null, diagnostics: Diagnostic[]): void {
  if (view !== null) view.dispatch(setDiagnostics(view.state, diagnostics));
}
