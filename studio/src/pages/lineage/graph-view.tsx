import "@xyflow/react/dist/style.css";
import "./graph.css";

import { Button, Group, Select, useComputedColorScheme } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import {
  MiniMap,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
  type FitViewOptions,
  type Node,
} from "@xyflow/react";
import { IconDownload, IconFocus2, IconSearch, IconZoomIn, IconZoomOut } from "@tabler/icons-react";
import { type RefObject, useEffect, useMemo, useRef } from "react";

import type { GraphNode, LakeGraph } from "../../api/queries";
import { tableName } from "../../format/names";
import {
  BOX_HEIGHT,
  BOX_WIDTH,
  drawing,
  positions,
  type Box,
  type Drawing,
  type Position,
  type Shape,
} from "./graph";
import { BoxNode } from "./graph-nodes";
import { GraphLinks } from "./graph-links";
import { layered } from "./layered";
import { graphSvg } from "./svg";

interface GraphViewProps {
  graph: LakeGraph;
  collapsed: string[];
  toggle: (schema: string) => void;
  /** Draws only the neighbours of an object. */
  focus?: (node: GraphNode) => void;
  choose: (node: GraphNode) => void;
  /** By their ids. */
  marked?: ReadonlySet<string>;
  /** A link was drawn between the boxes of these ids. */
  connect?: (from: string, to: string) => void;
}

export interface BoxData extends Record<string, unknown> {
  box: Box;
  toggle: (schema: string) => void;
  focus: ((node: GraphNode) => void) | undefined;
  isMarked: boolean;
  canConnect: boolean;
}

/** Of more boxes, its layout takes too long. */
const MOST_BY_DAGRE = 150;
const NODE_TYPES = { box: BoxNode };
const FITTING = { maxZoom: 1, padding: 0.05 };
const MOST_FOUND = 20;
const NOTHING: ReadonlySet<string> = new Set();

export function GraphView(props: GraphViewProps) {
  return (
    <ReactFlowProvider>
      <GraphCanvas {...props} />
    </ReactFlowProvider>
  );
}

function GraphCanvas(props: GraphViewProps) {
  const { graph, collapsed, toggle, focus, choose, marked = NOTHING, connect } = props;
  const scheme = useComputedColorScheme();
  const navigate = useNavigate();
  const drawn = useMemo(() => drawing(graph, new Set(collapsed)), [graph, collapsed]);
  const shape = shapeText(drawn);
  const places = useMemo(() => placesOf(shape), [shape]);
  const actions = useRef({ toggle, focus });
  const [canFocus, canConnect] = [focus !== undefined, connect !== undefined];
  useEffect(() => {
    actions.current = { toggle, focus };
  });
  const nodes = useMemo(
    () =>
      drawn.boxes.map((box) =>
        flowNode(box, places.get(box.id), actions, { canFocus, canConnect, isMarked: marked.has(box.id) }),
      ),
    [drawn, places, canFocus, canConnect, marked],
  );
  const fitted = useRef<FitViewOptions | null>(FITTING);
  return (
    <ReactFlow
      nodes={nodes}
      nodeTypes={NODE_TYPES}
      colorMode={scheme}
      nodesDraggable={false}
      nodesConnectable={canConnect}
      onConnect={({ source, target }) => connect?.(source, target)}
      onMoveStart={(event) => {
        if (event !== null) fitted.current = null;
      }}
      onlyRenderVisibleElements
      minZoom={0.05}
      maxZoom={1.6}
      fitView
      fitViewOptions={FITTING}
      proOptions={{ hideAttribution: true }}
      onNodeDoubleClick={(_, node) => {
        if (node.data.box.kind === "node") openNode(node.data.box.node, navigate);
      }}
      onNodeClick={(_, node) => {
        if (node.data.box.kind === "node") choose(node.data.box.node);
      }}
    >
      <GraphLinks links={drawn.links} places={places} />
      {drawn.boxes.length > 12 && <MiniMap pannable zoomable />}
      <Tools drawn={drawn} places={places} fitted={fitted} choose={choose} />
    </ReactFlow>
  );
}

/** The states of objects change often, the places of their boxes only with this. */
function shapeText({ boxes, links }: Drawing): string {
  const shape: Shape = { boxes: boxes.map(({ id }) => ({ id })), links };
  return JSON.stringify(shape);
}

function placesOf(text: string): Map<string, Position> {
  const shape = JSON.parse(text) as Shape;
  return shape.boxes.length > MOST_BY_DAGRE ? layered(shape) : positions(shape);
}

type Actions = RefObject<Pick<GraphViewProps, "toggle" | "focus">>;

function flowNode(
  box: Box,
  place: Position | undefined,
  actions: Actions,
  { canFocus, canConnect, isMarked }: { canFocus: boolean; canConnect: boolean; isMarked: boolean },
): Node<BoxData> {
  return {
    id: box.id,
    type: "box",
    position: place ?? { x: 0, y: 0 },
    data: {
      box,
      toggle: (schema) => actions.current.toggle(schema),
      focus: canFocus ? (node) => actions.current.focus?.(node) : undefined,
      isMarked,
      canConnect,
    },
    width: BOX_WIDTH,
    height: BOX_HEIGHT,
    ariaLabel: box.kind === "schema" ? `Schema ${box.schema}` : box.node.id,
  };
}

function labelOf(box: Box): string {
  return box.kind === "schema" ? box.schema : box.node.name;
}

function openNode(node: GraphNode, navigate: ReturnType<typeof useNavigate>): void {
  const { workspace, schema, table } = tableName(node.id);
  switch (node.kind) {
    case "table":
    case "view":
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
      void navigate({ to: "/streams", search: { stream: node.id } });
      return;
    case "task":
      void navigate({ to: "/tasks/$task", params: { task: node.name } });
      return;
    case "pipe":
    case "sync":
      return;
  }
}

interface ToolsProps {
  drawn: Drawing;
  places: Map<string, Position>;
  /** What the window was fitted to, until a person moves the graph; fitted again when its size changes. */
  fitted: RefObject<FitViewOptions | null>;
  choose: (node: GraphNode) => void;
}

function Tools({ drawn, places, fitted, choose }: ToolsProps) {
  const flow = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const fit = (to: FitViewOptions): void => {
    fitted.current = to;
    void flow.fitView(to);
  };
  const zoom = (step: () => Promise<boolean>): void => {
    fitted.current = null;
    void step();
  };
  useEffect(() => {
    fitted.current = FITTING;
    void flow.fitView(FITTING);
  }, [flow, fitted, places]);
  useEffect(() => {
    if (fitted.current !== null) void flow.fitView(fitted.current);
  }, [flow, fitted, width, height]);
  const find = (id: string | null): void => {
    const found = drawn.boxes.find((box) => box.id === id);
    if (found === undefined) return;
    fit({ ...FITTING, nodes: [{ id: found.id }] });
    if (found.kind === "node") choose(found.node);
  };
  return (
    <Panel position="top-right">
      <Group gap={6}>
        <Select
          aria-label="Find in the graph"
          placeholder="Find"
          w={180}
          searchable
          limit={MOST_FOUND}
          nothingFoundMessage="Nothing has this name."
          leftSection={<IconSearch size={14} />}
          value={null}
          data={drawn.boxes.map((box) => ({ value: box.id, label: labelOf(box) }))}
          onChange={find}
        />
        <Button variant="default" px={8} aria-label="Zoom in" onClick={() => zoom(flow.zoomIn)}>
          <IconZoomIn size={15} />
        </Button>
        <Button variant="default" px={8} aria-label="Zoom out" onClick={() => zoom(flow.zoomOut)}>
          <IconZoomOut size={15} />
        </Button>
        <Button variant="default" leftSection={<IconFocus2 size={14} />} onClick={() => fit(FITTING)}>
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
