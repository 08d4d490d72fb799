/** Names of tables: split, shown, and written as SQL. */

export interface TableName {
  workspace: string;
  schema: string;
  table: string;
}

const PART = /`((?:[^`]|``)+)`|([^.`]+)/y;

/** The parts of a name as the server writes it: `workspace.schema.table`, with backticks where needed. */
export function nameParts(text: string): string[] {
  const parts: string[] = [];
  let position = 0;
  while (position < text.length) {
    PART.lastIndex = position;
    const found = PART.exec(text);
    if (found === null) break;
    parts.push(found[1]?.replaceAll("``", "`") ?? found[2] ?? "");
    position = PART.lastIndex + 1;
  }
  return parts;
}

export function tableName(text: string): TableName {
  const [table = text, schema = "public", workspace = "lake"] = nameParts(text).reverse();
  return { workspace, schema, table };
}

/** Without workspace and schema. */
export function shortName(text: string): string {
  return tableName(text).table;
}

export function quoteIdentifier(part: string): string {
  return "`" + part.replaceAll("`", "``") + "`";
}

export function quoteString(text: string): string {
  return "'" + text.replaceAll("\\", "\\\\").replaceAll("'", "\\'") + "'";
}

/** All parts quoted, whatever they contain. */
export function sqlName({ workspace, schema, table }: TableName): string {
  return [workspace, schema, table].map(quoteIdentifier).join(".");
}

/** As a person would write it: quoted only where it must be. */
export function shownName({ workspace, schema, table }: TableName): string {
  return [workspace, schema, table].map(shownIdentifier).join(".");
}

export function shownIdentifier(part: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(part) ? part : quoteIdentifier(part);
}
