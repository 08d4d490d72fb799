import { Handle, Position, useStore, type NodeProps } from "@xyflow/react";
import {
  IconArrowsExchange,
  IconBolt,
  IconDownload,
  IconEye,
  IconFocusCentered,
  IconFolder,
  IconListCheck,
  IconTable,
  IconWaveSine,
} from "@tabler/icons-react";

import type { GraphNode } from "../../api/queries";
import { age } from "../../format/durations";
import { ModeText, StateText } from "../../parts/state-text";
import { shownState } from "../../parts/states";
import type { Box, SchemaBox } from "./graph";
import type { BoxData } from "./graph-view";

const ICONS: Record<GraphNode["kind"], typeof IconTable> = {
  table: IconTable,
  "dynamic table": IconBolt,
  view: IconEye,
  stream: IconWaveSine,
  task: IconListCheck,
  pipe: IconDownload,
  sync: IconArrowsExchange,
};

/** Below this zoom, text cannot be read. */
const LEAST_READABLE = 0.35;

/** A table, a view, a dynamic table, a stream, a task, a pipe, a sync, or a collapsed schema. */
export function BoxNode({ data }: NodeProps) {
  const shown = data as BoxData;
  return (
    <>
      <ShownBox {...shown} />
      {shown.canConnect && (
        <>
          <Handle type="target" position={Position.Left} />
          <Handle type="source" position={Position.Right} />
        </>
      )}
    </>
  );
}

function ShownBox({ box, toggle, focus, isMarked }: BoxData) {
  const isSmall = useStore(({ transform }) => transform[2] < LEAST_READABLE);
  if (isSmall) return <SmallBox box={box} isMarked={isMarked} />;
  return (
    <div
      className={`graph-box ${box.kind === "schema" ? "graph-schema" : ""} ${isMarked ? "graph-marked" : ""}`}
    >
      {box.kind === "schema" ? (
        <SchemaNode box={box} toggle={toggle} />
      ) : (
        <ObjectNode node={box.node} focus={focus} />
      )}
    </div>
  );
}

/** Only what can be seen from afar: the state as a colour, and the beginning of the name. */
function SmallBox({ box, isMarked }: { box: Box; isMarked: boolean }) {
  const tone = box.kind === "node" && box.node.state !== null ? shownState(box.node.state).tone : "quiet";
  return (
    <div className={`graph-box graph-small state-${tone} ${isMarked ? "graph-marked" : ""}`}>
      {box.kind === "schema" ? box.schema : box.node.name}
    </div>
  );
}

function ObjectNode({ node, focus }: { node: GraphNode; focus: BoxData["focus"] }) {
  const Icon = ICONS[node.kind];
  return (
    <>
      <div className="graph-title" title={node.id}>
        <Icon size={15} stroke={1.7} aria-hidden />
        <span className="tree-label">{node.name}</span>
        {focus !== undefined && (
          <button
            type="button"
            className="graph-button nodrag"
            aria-label={`Neighbours of ${node.id}`}
            title="Only what feeds it and what is made from it"
            onClick={() => focus(node)}
          >
            <IconFocusCentered size={15} />
          </button>
        )}
      </div>
      <div className="graph-facts">
        {node.state === null ? (
          <span className="quiet">{node.kind}</span>
        ) : (
          <StateText shown={shownState(node.state)} />
        )}
        {node.kind === "dynamic table" && (
          <>
            <ModeText mode={node.mode} />
            <span className="number quiet">{age(node.lag_seconds)}</span>
          </>
        )}
      </div>
    </>
  );
}

function SchemaNode({ box, toggle }: { box: SchemaBox; toggle: (schema: string) => void }) {
  const failing = box.members.filter((node) => node.state === "failing").length;
  return (
    <>
      <div className="graph-title">
        <IconFolder size={15} stroke={1.7} aria-hidden />
        <span className="tree-label">{box.schema}</span>
        <button type="button" className="graph-button nodrag" onClick={() => toggle(box.schema)}>
          Expand
        </button>
      </div>
      <div className="quiet">
        {box.members.length} objects{failing > 0 ? `, ${failing} failing` : ""}
      </div>
    </>
  );
}
