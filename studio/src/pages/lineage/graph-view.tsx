import "@xyflow/react/dist/style.css";
import "./graph.css";

import { Button, Group, useComputedColorScheme } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import {
  Background,
  MiniMap,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Edge,
  type Node,
} from "@xyflow/react";
import { IconDownload, IconFocus2, IconZoomIn, IconZoomOut } from "@tabler/icons-react";
import { useEffect, useMemo } from "react";

import type { GraphNode, LakeGraph } from "../../api/queries";
import { tableName } from "../../format/names";
import { BOX_HEIGHT, BOX_WIDTH, drawing, positions, type Box, type Drawing, type Position } from "./graph";
import { BoxNode } from "./graph-nodes";
import { graphSvg } from "./svg";

interface GraphViewProps {
  graph: LakeGraph;
  collapsed: string[];
  toggle: (schema: string) => void;
  focus: (node: GraphNode) => void;
  choose: (node: GraphNode) => void;
}

export interface BoxData extends Record<string, unknown> {
  box: Box;
  toggle: (schema: string) => void;
  focus: (node: GraphNode) => void;
}

const NODE_TYPES = { box: BoxNode };

export function GraphView(props: GraphViewProps) {
  return (
    <ReactFlowProvider>
      <GraphCanvas {...props} />
    </ReactFlowProvider>
  );
}

function GraphCanvas({ graph, collapsed, toggle, focus, choose }: GraphViewProps) {
  const scheme = useComputedColorScheme();
  const navigate = useNavigate();
  const drawn = useMemo(() => drawing(graph, new Set(collapsed)), [graph, collapsed]);
  const shape = drawn.links.map((link) => link.id).join("|") + drawn.boxes.map((box) => box.id).join("|");
  const places = useMemo(() => positions(drawn), [shape]); // eslint-disable-line react-hooks/exhaustive-deps
  const nodes = drawn.boxes.map((box): Node<BoxData> => ({
    id: box.id,
    type: "box",
    position: places.get(box.id) ?? { x: 0, y: 0 },
    data: { box, toggle, focus },
    width: BOX_WIDTH,
    height: BOX_HEIGHT,
    ariaLabel: box.kind === "schema" ? `Schema ${box.schema}` : box.node.id,
  }));
  const edges = drawn.links.map((link): Edge => ({ id: link.id, source: link.from, target: link.to }));
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      colorMode={scheme}
      nodesDraggable={false}
      nodesConnectable={false}
      onlyRenderVisibleElements
      minZoom={0.05}
      maxZoom={1.6}
      fitView
      fitViewOptions={{ maxZoom: 1, padding: 0.12 }}
      proOptions={{ hideAttribution: true }}
      onNodeDoubleClick={(_, node) => {
        if (node.data.box.kind === "node") openNode(node.data.box.node, navigate);
      }}
      onNodeClick={(_, node) => {
        if (node.data.box.kind === "node") choose(node.data.box.node);
      }}
    >
      <Background gap={22} />
      {drawn.boxes.length > 12 && <MiniMap pannable zoomable />}
      <Tools drawn={drawn} places={places} shape={shape} />
    </ReactFlow>
  );
}

function openNode(node: GraphNode, navigate: ReturnType<typeof useNavigate>): void {
  const { workspace, schema, table } = tableName(node.id);
  switch (node.kind) {
    case "table":
      void navigate({
        to: "/catalog/$workspace/$schema/$object",
        params: { workspace, schema, object: table },
      });
      return;
    case "dynamic table":
      void navigate({
        to: "/dynamic-tables/$workspace/$schema/$table",
        params: { workspace, schema, table },
      });
      return;
    case "stream":
      void navigate({ to: "/streams" });
      return;
    case "task":
      void navigate({ to: "/tasks/$task", params: { task: node.name } });
  }
}

interface ToolsProps {
  drawn: Drawing;
  places: Map<string, Position>;
  shape: string;
}

function Tools({ drawn, places, shape }: ToolsProps) {
  const flow = useReactFlow();
  useEffect(() => {
    void flow.fitView({ maxZoom: 1, padding: 0.12 });
  }, [flow, shape]);
  return (
    <Panel position="top-right">
      <Group gap={6}>
        <Button variant="default" px={8} aria-label="Zoom in" onClick={() => void flow.zoomIn()}>
          <IconZoomIn size={15} />
        </Button>
        <Button variant="default" px={8} aria-label="Zoom out" onClick={() => void flow.zoomOut()}>
          <IconZoomOut size={15} />
        </Button>
        <Button
          variant="default"
          leftSection={<IconFocus2 size={14} />}
          onClick={() => void flow.fitView({ maxZoom: 1, padding: 0.12 })}
        >
          Fit
        </Button>
        <Button
          variant="default"
          leftSection={<IconDownload size={14} />}
          onClick={() => download("lineage.svg", graphSvg(drawn, places))}
        >
          SVG
        </Button>
      </Group>
    </Panel>
  );
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
