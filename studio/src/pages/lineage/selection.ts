/** The selection language of list and graph: `name`, `+name`, `name+`, `schema:x`, `state:x`, `mode:X`. */

import type { Lineage } from "../../api/queries";
import { tableName } from "../../format/names";

export const SELECTION_HELP =
  "Words select by name; +name adds what feeds it, name+ what is made from it; schema:x, state:failing and mode:FULL select by property. Several are separated by spaces and must all match.";

type Node = Lineage["nodes"][number];

/** The names of the nodes that every word of the text selects. */
export function selectedNames(text: string, { nodes, edges }: Lineage): Set<string> {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const sets = words.map((word) => selectedBy(word, nodes, edges));
  return new Set(nodes.map((node) => node.name).filter((name) => sets.every((set) => set.has(name))));
}

function selectedBy(word: string, nodes: readonly Node[], edges: Lineage["edges"]): Set<string> {
  const property = /^(schema|state|mode):(.*)$/i.exec(word);
  if (property !== null) {
    const [, kind = "", value = ""] = property;
    return namesOf(nodes.filter((node) => hasProperty(node, kind.toLowerCase(), value.toLowerCase())));
  }
  const isUp = word.startsWith("+");
  const isDown = word.endsWith("+");
  const pattern = word.replace(/^\+/, "").replace(/\+$/, "").toLowerCase();
  const found = namesOf(nodes.filter((node) => matches(node.name, pattern, isUp || isDown)));
  const selected = new Set(found);
  if (isUp) for (const name of reached(found, edges, "from", "to")) selected.add(name);
  if (isDown) for (const name of reached(found, edges, "to", "from")) selected.add(name);
  return selected;
}

function matches(name: string, pattern: string, isExact: boolean): boolean {
  const full = name.toLowerCase();
  if (!isExact) return full.includes(pattern);
  return full === pattern || full.endsWith(`.${pattern}`);
}

function hasProperty(node: Node, kind: string, value: string): boolean {
  if (kind === "schema") return tableName(node.name).schema.toLowerCase() === value;
  if (node.kind !== "dynamic table") return false;
  if (kind === "state")
    return node.state.replaceAll(" ", "-").toLowerCase().startsWith(value.replaceAll("_", "-"));
  return (node.last_refresh?.mode ?? "").toLowerCase() === value;
}

function namesOf(nodes: readonly Node[]): Set<string> {
  return new Set(nodes.map((node) => node.name));
}

/** What can be reached from the start along the edges: to their `there` from their `here`. */
export function reached(
  start: Iterable<string>,
  edges: Lineage["edges"],
  there: "from" | "to",
  here: "from" | "to",
): Set<string> {
  const next = new Map<string, string[]>();
  for (const edge of edges) next.set(edge[here], [...(next.get(edge[here]) ?? []), edge[there]]);
  const found = new Set<string>();
  const waiting = [...start];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    for (const each of next.get(name) ?? []) {
      if (!found.has(each)) {
        found.add(each);
        waiting.push(each);
      }
    }
  }
  return found;
}
