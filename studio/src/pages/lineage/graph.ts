/** The graph as it is drawn: nodes of collapsed schemas are one node, and each node has a place. */

import { Graph, layout } from "@dagrejs/dagre";

import type { GraphNode, LakeGraph } from "../../api/queries";

export interface NodeBox {
  kind: "node";
  id: string;
  node: GraphNode;
}

/** All nodes of a collapsed schema. */
export interface SchemaBox {
  kind: "schema";
  id: string;
  schema: string;
  members: GraphNode[];
}

export type Box = NodeBox | SchemaBox;

export interface Link {
  id: string;
  from: string;
  to: string;
}

export interface Drawing {
  boxes: Box[];
  links: Link[];
}

/** What the layout depends on. */
export interface Shape {
  boxes: { id: string }[];
  links: Link[];
}

export interface Position {
  x: number;
  y: number;
}

export const BOX_WIDTH = 244;
export const BOX_HEIGHT = 66;

export function schemaOf({ workspace, schema }: { workspace: string; schema: string }): string {
  return `${workspace}.${schema}`;
}

export function drawing(graph: LakeGraph, collapsed: ReadonlySet<string>): Drawing {
  const boxes = new Map<string, Box>();
  const boxOf = new Map<string, string>();
  for (const node of graph.nodes) {
    const schema = schemaOf(node);
    const id = collapsed.has(schema) ? `schema ${schema}` : node.id;
    boxOf.set(node.id, id);
    const known = boxes.get(id);
    if (known?.kind === "schema") known.members.push(node);
    else if (collapsed.has(schema)) boxes.set(id, { kind: "schema", id, schema, members: [node] });
    else boxes.set(id, { kind: "node", id, node });
  }
  return { boxes: [...boxes.values()], links: linksBetween(graph, boxOf) };
}

function linksBetween(graph: LakeGraph, boxOf: Map<string, string>): Link[] {
  const links = new Map<string, Link>();
  for (const edge of graph.edges) {
    const from = boxOf.get(edge.from);
    const to = boxOf.get(edge.to);
    if (from === undefined || to === undefined || from === to) continue;
    const id = `${from} > ${to}`;
    links.set(id, { id, from, to });
  }
  return [...links.values()];
}

/** The upper left corner of each box, from left to right along the links. */
export function positions({ boxes, links }: Shape): Map<string, Position> {
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 18, ranksep: 48, ranker: "network-simplex" });
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
