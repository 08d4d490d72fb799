/** The graph as an SVG document of its own, for documents and slides. */

import { BOX_HEIGHT, BOX_WIDTH, type Box, type Drawing, type Position } from "./graph";

const MARGIN = 24;

export function graphSvg({ boxes, links }: Drawing, places: ReadonlyMap<string, Position>): string {
  const at = (id: string): Position => places.get(id) ?? { x: 0, y: 0 };
  const right = Math.max(0, ...boxes.map((box) => at(box.id).x + BOX_WIDTH)) + MARGIN;
  const bottom = Math.max(0, ...boxes.map((box) => at(box.id).y + BOX_HEIGHT)) + MARGIN;
  const paths = links.map(
    (link) => `<path d="${linkCurve(at(link.from), at(link.to))}" fill="none" stroke="#8a94a2"/>`,
  );
  const drawn = boxes.map((box) => boxElements(box, at(box.id)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-MARGIN} ${-MARGIN} ${right + MARGIN} ${bottom + MARGIN}" font-family="sans-serif">`,
    ...paths,
    ...drawn,
    "</svg>",
  ].join("\n");
}

/** From the right edge of a box to the left edge of another one. */
export function linkCurve(from: Position, to: Position): string {
  const x1 = from.x + BOX_WIDTH;
  const y1 = from.y + BOX_HEIGHT / 2;
  const y2 = to.y + BOX_HEIGHT / 2;
  const middle = (x1 + to.x) / 2;
  return `M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${to.x} ${y2}`;
}

function boxElements(box: Box, { x, y }: Position): string {
  const [title, note] = texts(box);
  return [
    `<rect x="${x}" y="${y}" width="${BOX_WIDTH}" height="${BOX_HEIGHT}" rx="8" fill="#ffffff" stroke="#cfd5dd"/>`,
    `<text x="${x + 12}" y="${y + 27}" font-size="13" font-weight="600" fill="#1b222c">${escaped(title)}</text>`,
    `<text x="${x + 12}" y="${y + 47}" font-size="11" fill="#5a6472">${escaped(note)}</text>`,
  ].join("");
}

function texts(box: Box): [string, string] {
  if (box.kind === "schema") return [box.schema, `${box.members.length} objects`];
  return [box.node.name, box.node.state ?? box.node.kind];
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
