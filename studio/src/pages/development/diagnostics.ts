/** Errors of the server at their places in the script. */

import type { Diagnostic } from "@codemirror/lint";

import { ApiError } from "../../api/api-error";
import type { Piece } from "./statements";

/** The place of an error counts from the start of its statement. */
export function diagnosticOf(error: unknown, piece: Piece): Diagnostic {
  const message = error instanceof Error ? error.message : String(error);
  const found = error instanceof ApiError ? error : null;
  const hint = found?.hint == null ? "" : `\n${found.hint}`;
  const place = found?.place ?? null;
  if (place === null) {
    return { from: piece.from, to: piece.to, severity: "error", message: message + hint };
  }
  const from = Math.min(piece.to, piece.from + offsetOf(piece.text, place.line, place.column));
  const to = Math.min(piece.to, from + Math.max(1, place.length ?? 1));
  return { from, to, severity: "error", message: message + hint };
}

/** The line at which a Python script failed, by its traceback. */
export function pythonDiagnostic(content: string, log: string, message: string): Diagnostic | null {
  const line = Number([...log.matchAll(/File "<script>", line (\d+)/g)].at(-1)?.[1]);
  const lines = content.split("\n");
  const text = lines[line - 1];
  if (text === undefined) return null;
  const from = offsetOf(content, line, 1);
  return { from, to: from + text.length, severity: "error", message };
}

/** Lines and columns begin with 1. */
export function offsetOf(text: string, line: number, column: number): number {
  const before = text.split("\n").slice(0, line - 1);
  return before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
}
