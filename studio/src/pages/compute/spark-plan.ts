/** Spark's physical plan: text with drawn branches, read into a tree. */

export interface SparkNode {
  operator: string;
  detail: string;
  children: SparkNode[];
}

const BRANCH = /^(?:[\s:|]*?[+:]-\s*)?/;

export function sparkPlan(text: string): SparkNode[] {
  const roots: SparkNode[] = [];
  const path: { depth: number; node: SparkNode }[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "" || line.startsWith("==")) continue;
    const depth = BRANCH.exec(line)?.[0].length ?? 0;
    const node = nodeOf(line.slice(depth));
    while (path.length > 0 && (path.at(-1)?.depth ?? 0) >= depth) path.pop();
    (path.at(-1)?.node.children ?? roots).push(node);
    path.push({ depth, node });
  }
  return roots;
}

function nodeOf(text: string): SparkNode {
  const found = /^(\*\s?\(\d+\)\s*|\*)?([A-Za-z]\w*)(.*)$/s.exec(text.trim());
  if (found === null) return { operator: text.trim(), detail: "", children: [] };
  return { operator: found[2] ?? "", detail: (found[3] ?? "").trim(), children: [] };
}
