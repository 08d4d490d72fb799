import { Handle, Position, type NodeProps } from "@xyflow/react";
import {
  IconBolt,
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
import type { SchemaBox } from "./graph";
import type { BoxData } from "./graph-view";

const ICONS: Record<GraphNode["kind"], typeof IconTable> = {
  table: IconTable,
  "dynamic table": IconBolt,
  stream: IconWaveSine,
  task: IconListCheck,
};

/** A table, a dynamic table, a stream, a task, or a collapsed schema. */
export function BoxNode({ data }: NodeProps) {
  const { box, toggle, focus } = data as BoxData;
  return (
    <div className={`graph-box ${box.kind === "schema" ? "graph-schema" : ""}`}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      {box.kind === "schema" ? (
        <SchemaNode box={box} toggle={toggle} />
      ) : (
        <ObjectNode node={box.node} focus={focus} />
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}

function ObjectNode({ node, focus }: { node: GraphNode; focus: (node: GraphNode) => void }) {
  const Icon = ICONS[node.kind];
  return (
    <>
      <div className="graph-title" title={node.id}>
        <Icon size={15} stroke={1.7} aria-hidden />
        <span className="tree-label">{node.name}</span>
        <button
          type="button"
          className="graph-button nodrag"
          aria-label={`Neighbours of ${node.id}`}
          title="Only what feeds it and what is made from it"
          onClick={() => focus(node)}
        >
          <IconFocusCentered size={15} />
        </button>
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
