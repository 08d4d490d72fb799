/** SQL split for colours: words, strings, numbers and comments. The editor has a grammar; this has no need of it. */

export type TokenKind = "keyword" | "string" | "number" | "comment" | "function" | "other";

export interface Token {
  kind: TokenKind;
  text: string;
}

const PATTERN =
  /(--[^\n]*|\/\*[\s\S]*?\*\/)|('(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*")|(`(?:[^`]|``)*`)|(\b\d+(?:\.\d+)?\b)|([A-Za-z_]\w*)|(\s+|[^\w\s])/g;

const KEYWORDS = new Set(
  (
    "add after all alter and anti any array as asc between bigint boolean by call cancel case cast catalog clone cluster " +
    "column columns comment copy create cross cube current date decimal default delete desc describe distinct double " +
    "drop dynamic else end escape except execute exists explain false filter float for force from full function group " +
    "grouping having history if in incremental inner insert int intersect interval into is join lateral left like limit " +
    "map merge minute mode natural not null nulls of offline on optimize or order outer over overwrite partition " +
    "partitioned pipe pivot preceding properties range recursive refresh rename replace restore resume right rollup row " +
    "rows schedule schema second select semi set sets show size sort start stream string struct suspend table tables " +
    "task tasks tblproperties temporary then timestamp to true truncate type unbounded undrop union unpivot unset update " +
    "use using vacuum values vcluster verify version view when where window with"
  ).split(" "),
);

export function sqlTokens(text: string): Token[] {
  return [...text.matchAll(PATTERN)].map((found) => ({ kind: kindOf(found, text), text: found[0] }));
}

function kindOf(found: RegExpExecArray, text: string): TokenKind {
  if (found[1] !== undefined) return "comment";
  if (found[2] !== undefined) return "string";
  if (found[4] !== undefined) return "number";
  if (found[5] === undefined) return "other";
  if (KEYWORDS.has(found[5].toLowerCase())) return "keyword";
  return text.charAt(found.index + found[5].length) === "(" ? "function" : "other";
}
