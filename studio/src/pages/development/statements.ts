/** A script as its statements: separated by semicolons that are in no string, comment or `$$` block. */

export interface Piece {
  text: string;
  /** Where it starts and ends in the script, without the semicolon. */
  from: number;
  to: number;
}

const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^'\\]|\\[\s\S])*'?|"(?:[^"\\]|\\[\s\S])*"?|`(?:[^`]|``)*`?|\$\$[\s\S]*?(?:\$\$|$)|;|[^;'"`$/-]+|[\s\S]/g;

export function statementsOf(script: string): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  for (const found of script.matchAll(TOKEN)) {
    if (found[0] !== ";") continue;
    add(pieces, script, start, found.index);
    start = found.index + 1;
  }
  add(pieces, script, start, script.length);
  return pieces;
}

/** The statement that the cursor is in or behind. */
export function statementAt(script: string, cursor: number): Piece | null {
  const pieces = statementsOf(script);
  return pieces.find((piece) => cursor <= piece.to + 1) ?? pieces.at(-1) ?? null;
}

function add(pieces: Piece[], script: string, start: number, end: number): void {
  const text = script.slice(start, end);
  const from = start + (text.length - text.trimStart().length);
  const trimmed = text.trim();
  if (withoutComments(trimmed) !== "") pieces.push({ text: trimmed, from, to: from + trimmed.length });
}

/** The first words, without comments. */
export function title({ text }: Piece): string {
  return withoutComments(text).split(/\s+/).slice(0, 3).join(" ");
}

function withoutComments(text: string): string {
  return text.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, "").trim();
}
