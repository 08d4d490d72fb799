import type { Schemas } from "../api/client";
import { duration } from "../format/durations";
import { bytes, count } from "../format/numbers";

type PlanNode = Schemas["PlanNode"];

export interface PlanBranch {
  node: PlanNode;
  children: PlanBranch[];
}

/** The nodes of a plan below those that they feed; the server lists them with their parents. */
export function branches({ nodes }: Schemas["PlanTree"]): PlanBranch[] {
  const known = new Map(nodes.map((node) => [node.id, { node, children: [] as PlanBranch[] }]));
  const roots: PlanBranch[] = [];
  for (const branch of known.values()) {
    const parent = branch.node.parent === null ? undefined : known.get(branch.node.parent);
    (parent?.children ?? roots).push(branch);
  }
  return roots;
}

/** What Spark says of an operator, without its name, which most details begin with. */
export function detailText({ name, detail }: Pick<PlanNode, "name" | "detail">): string {
  return detail.startsWith(name) ? detail.slice(name.length).trimStart() : detail;
}

/** As Spark types its metrics. */
export function metricText({ name, type, value }: Schemas["OperatorMetric"]): string {
  switch (type) {
    case "size":
      return `${name}: ${bytes(value)}`;
    case "timing":
      return `${name}: ${duration(value / 1e3)}`;
    case "nsTiming":
      return `${name}: ${duration(value / 1e9)}`;
    default:
      return `${name}: ${count(value)}`;
  }
}
