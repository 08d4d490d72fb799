/** The lines of EXPLAIN REFRESH as what they describe: decision, sources, a tree of operators, stages with SQL. */

export interface PlanNode {
  text: string;
  children: PlanNode[];
}

export interface ExplainedStage {
  title: string;
  otherwise: string[];
  sql: string;
}

export interface Explained {
  mode: string;
  reason: string;
  facts: [string, string][];
  plan: PlanNode[];
  stages: ExplainedStage[];
}

export type Line = [item: string, detail: string];

export function explained(lines: Line[]): Explained {
  const stages: ExplainedStage[] = [];
  for (const [item, detail] of lines) {
    const last = stages.at(-1);
    if (item === "stage") stages.push({ title: detail, otherwise: [], sql: "" });
    else if (item === "otherwise") last?.otherwise.push(detail);
    else if (item === "sql" && last !== undefined) last.sql += last.sql === "" ? detail : `\n${detail}`;
  }
  const apart = new Set(["mode", "reason", "plan", "stage", "otherwise", "sql"]);
  return {
    mode: detailOf(lines, "mode"),
    reason: detailOf(lines, "reason"),
    facts: lines.filter(([item]) => !apart.has(item)),
    plan: planTree(lines.filter(([item]) => item === "plan").map(([, detail]) => detail)),
    stages,
  };
}

/** Of lines that are indented by two spaces for each level. */
export function planTree(lines: string[]): PlanNode[] {
  const roots: PlanNode[] = [];
  const path: PlanNode[] = [];
  for (const line of lines) {
    const depth = Math.floor((line.length - line.trimStart().length) / 2);
    const node: PlanNode = { text: line.trim(), children: [] };
    path.length = Math.min(depth, path.length);
    (path.at(-1)?.children ?? roots).push(node);
    path.push(node);
  }
  return roots;
}

function detailOf(lines: Line[], wanted: string): string {
  return lines.find(([item]) => item === wanted)?.[1] ?? "";
}
