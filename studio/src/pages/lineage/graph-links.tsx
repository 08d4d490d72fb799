import { ViewportPortal } from "@xyflow/react";
import { memo } from "react";

import type { Link, Position } from "./graph";
import { linkCurve } from "./svg";

interface GraphLinksProps {
  links: Link[];
  places: ReadonlyMap<string, Position>;
}

/** All links as one path: an element for each takes most of the time of a frame while the graph is moved. */
export const GraphLinks = memo(function GraphLinks({ links, places }: GraphLinksProps) {
  const curves = links.flatMap(({ from, to }) => {
    const [start, end] = [places.get(from), places.get(to)];
    return start === undefined || end === undefined ? [] : [linkCurve(start, end)];
  });
  return (
    <ViewportPortal>
      <svg className="graph-links" width={1} height={1} aria-hidden>
        <path d={curves.join("")} />
      </svg>
    </ViewportPortal>
  );
});
