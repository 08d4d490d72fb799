/** The graph as it is drawn: nodes of collapsed schemas are one node, and each node has a place. */

import { Graph, layout } from "@dagrejs/dagre";

import type { Lineage } from "../../api/queries";
import { tableName } from "../../format/names";

export type LineageNode = Lineage["nodes"][number];

export interface TableBox {
  kind: "table";
  id: string;
  node: LineageNode;
}

/** All nodes of a collapsed schema. */
export interface SchemaBox {
  kind: "schema";
  id: string;
  schema: string;
  members: LineageNode[];
}

export type Box = TableBox | SchemaBox;

export interface Link {
  id: string;
  from: string;
  to: string;
}

export interface Drawing {
  boxes: Box[];
  links: Link[];
}

export interface Position {
  x: number;
  y: number;
}

export const BOX_WIDTH = 216;
export const BOX_HEIGHT = 66;

export function schemaOf(name: string): string {
  const { workspace, schema } = tableName(name);
  return `${workspace}.${schema}`;
}

export function schemasOf(nodes: readonly LineageNode[]): string[] {
  return [...new Set(nodes.map((node) => schemaOf(node.name)))].sort();
}

/** Only the shown names; null: all. */
export function drawing(
  lineage: Lineage,
  shown: ReadonlySet<string> | null,
  collapsed: ReadonlySet<string>,
): Drawing {
  const nodes = shown === null ? lineage.nodes : lineage.nodes.filter((node) => shown.has(node.name));
  const boxes = new Map<string, Box>();
  const boxOf = new Map<string, string>();
  for (const node of nodes) {
    const schema = schemaOf(node.name);
    const id = collapsed.has(schema) ? `schema ${schema}` : node.name;
    boxOf.set(node.name, id);
    const known = boxes.get(id);
    if (known?.kind === "schema") known.members.push(node);
    else if (collapsed.has(schema)) boxes.set(id, { kind: "schema", id, schema, members: [node] });
    else boxes.set(id, { kind: "table", id, node });
  }
  return { boxes: [...boxes.values()], links: linksBetween(lineage, boxOf) };
}

function linksBetween(lineage: Lineage, boxOf: Map<string, string>): Link[] {
  const links = new Map<string, Link>();
  for (const edge of lineage.edges) {
    const from = boxOf.get(edge.from);
    const to = boxOf.get(edge.to);
    if (from === undefined || to === undefined || from === to) continue;
    const id = `${from} > ${to}`;
    links.set(id, { id, from, to });
  }
  return [...links.values()];
}

/** The upper left corner of each box, from left to right along the links. */
export function positions({ boxes, links }: Drawing): Map<string, Position> {
  const graph = new Graph();
  graph.setGraph({
    rankdir: "LR",
    nodesep: 18,
    ranksep: 72,
    ranker: boxes.length > 150 ? "longest-path" : "network-simplex",
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const box of boxes) graph.setNode(box.id, { width: BOX_WIDTH, height: BOX_HEIGHT });
  for (const link of links) graph.setEdge(link.from, link.to);
  layout(graph);
  return new Map(
    boxes.map((box) => {
      const place = graph.node(box.id) as Position;
      return [box.id, { x: place.x - BOX_WIDTH / 2, y: place.y - BOX_HEIGHT / 2 }];
    }),
  );
}
