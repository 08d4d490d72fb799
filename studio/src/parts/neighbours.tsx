import { Link } from "@tanstack/react-router";
import {
  IconArrowsExchange,
  IconBolt,
  IconDownload,
  IconEye,
  IconListCheck,
  IconTable,
  IconWaveSine,
} from "@tabler/icons-react";

import type { Schemas } from "../api/client";
import { TableLink } from "./table-link";

type Neighbour = Schemas["Neighbour"];

const ICONS: Record<Schemas["NodeKind"], typeof IconTable> = {
  table: IconTable,
  "dynamic table": IconBolt,
  view: IconEye,
  stream: IconWaveSine,
  task: IconListCheck,
  pipe: IconDownload,
  sync: IconArrowsExchange,
};

/** What something is made from, or what reads it. */
export function Neighbours({ neighbours, none }: { neighbours: Neighbour[]; none: string }) {
  if (neighbours.length === 0) return <span className="quiet">{none}</span>;
  return neighbours.map((each) => {
    const Icon = ICONS[each.kind];
    return (
      <div key={each.id} className="state" style={{ display: "flex", padding: "3px 0" }}>
        <Icon size={15} stroke={1.6} aria-label={each.kind} />
        <NeighbourLink neighbour={each} />
        {each.state !== null && <span className="quiet">{each.state}</span>}
      </div>
    );
  });
}

function NeighbourLink({ neighbour }: { neighbour: Neighbour }) {
  switch (neighbour.kind) {
    case "task":
      return (
        <Link to="/tasks/$task" params={{ task: neighbour.name }} className="text-link">
          {neighbour.name}
        </Link>
      );
    case "stream":
      return (
        <Link to="/streams" search={{ stream: neighbour.id }} className="text-link">
          {neighbour.name}
        </Link>
      );
    case "pipe":
    case "sync":
      return <span>{neighbour.name}</span>;
    default:
      return <TableLink name={neighbour.id} isDynamic={neighbour.kind === "dynamic table"} short={false} />;
  }
}
