/** The answer of DESC EXTENDED: columns, then facts under a heading. */

import type { Cell } from "../../api/statements";
import { plainText } from "../../format/cells";

export interface Described {
  columns: { name: string; type: string }[];
  facts: [string, string][];
}

export function described(rows: Cell[][]): Described {
  const texts = rows.map(([name, value]): [string, string] => [plainText(name), plainText(value)]);
  const heading = texts.findIndex(([name]) => name.toLowerCase().includes("detailed table information"));
  const end = heading === -1 ? texts.length : heading;
  return {
    columns: texts
      .slice(0, end)
      .filter(([name]) => name !== "" && !name.startsWith("#"))
      .map(([name, type]) => ({ name, type })),
    facts: texts.slice(end + 1).filter(([name]) => name !== ""),
  };
}
