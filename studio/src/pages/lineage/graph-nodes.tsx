import { Handle, Position, type NodeProps } from "@xyflow/react";
import { IconBolt, IconFolder, IconTable } from "@tabler/icons-react";

import { age } from "../../format/durations";
import { shortName } from "../../format/names";
import { ModeText, StateText } from "../../parts/state-text";
import { TABLE_STATES } from "../../parts/states";
import type { LineageNode, SchemaBox } from "./graph";
import type { BoxData } from "./graph-view";

/** A table, a dynamic table, or a collapsed schema. */
export function BoxNode({ data }: NodeProps) {
  const { box, toggle, focus } = data as BoxData;
  return (
    <div className={`graph-box ${box.kind === "schema" ? "graph-schema" : ""}`}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      {box.kind === "schema" ? (
        <SchemaNode box={box} toggle={toggle} />
      ) : (
        <TableNode node={box.node} focus={focus} />
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}

function TableNode({ node, focus }: { node: LineageNode; focus: (name: string) => void }) {
  const Icon = node.kind === "table" ? IconTable : IconBolt;
  return (
    <>
      <div className="graph-title" title={node.name}>
        <Icon size={15} stroke={1.7} aria-hidden />
        <span className="tree-label">{shortName(node.name)}</span>
        <button type="button" className="graph-button nodrag" onClick={() => focus(node.name)}>
          Neighbours
        </button>
      </div>
      {node.kind === "table" ? (
        <div className="quiet">{node.exists ? "table" : "the table does not exist"}</div>
      ) : (
        <div className="graph-facts">
          <StateText shown={TABLE_STATES[node.state]} />
          <ModeText mode={node.last_refresh?.mode} />
          <span className="number quiet">{age(node.lag_seconds)}</span>
        </div>
      )}
    </>
  );
}

function SchemaNode({ box, toggle }: { box: SchemaBox; toggle: (schema: string) => void }) {
  const failing = box.members.filter(
    (node) => node.kind === "dynamic table" && node.state === "failing",
  ).length;
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
        {box.members.length} tables{failing > 0 ? `, ${failing} failing` : ""}
      </div>
    </>
  );
}
