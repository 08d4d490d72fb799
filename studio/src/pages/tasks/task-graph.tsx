/** Which task runs after which, each with the state of its last run. */

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useState } from "react";

import { graphQuery, tasksQuery, type LakeGraph, type Task } from "../../api/queries";
import { EmptyState } from "../../parts/empty-state";
import { Loaded } from "../../parts/loaded";
import { LoadingText } from "../../parts/loading";
import { ChangeDependencies } from "./change-dependencies";

const GraphView = lazy(async () => ({ default: (await import("../lineage/graph-view")).GraphView }));
const NOTHING: string[] = [];

interface Drawn {
  task: Task;
  after: string[];
}

export function TaskGraph() {
  const graph = useQuery(graphQuery("kind:task"));
  const tasks = useQuery(tasksQuery).data;
  const navigate = useNavigate();
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  const connect = (from: string, to: string): void => {
    const task = tasks?.find((each) => taskId(each.name) === to);
    const before = tasks?.find((each) => taskId(each.name) === from);
    if (task !== undefined && before !== undefined)
      setDrawn({ task, after: [...new Set([...task.after, before.name])] });
  };
  const shown = useMemo(
    () => (graph.data === undefined ? undefined : withRuns(graph.data, tasks ?? [])),
    [graph.data, tasks],
  );
  return (
    <section className="card" style={{ height: 520, overflow: "hidden" }} aria-label="Dependencies of tasks">
      <Loaded query={graph} what="dependencies">
        {() =>
          shown === undefined || shown.nodes.length === 0 ? (
            <EmptyState
              title="There are no tasks yet"
              text="A task can run after others."
              sql="CREATE TASK report AFTER nightly AS SQL $$ SELECT 1 $$;"
            />
          ) : (
            <Suspense fallback={<LoadingText what="Loading the graph" />}>
              <GraphView
                graph={shown}
                collapsed={NOTHING}
                toggle={() => undefined}
                choose={(node) => void navigate({ to: "/tasks/$task", params: { task: node.name } })}
                connect={connect}
              />
            </Suspense>
          )
        }
      </Loaded>
      {drawn !== null && <ChangeDependencies {...drawn} close={() => setDrawn(null)} />}
    </section>
  );
}

function taskId(name: string): string {
  return `task:${name}`;
}

/** The state of the last run, or that of the deployment where there was none. */
function withRuns(graph: LakeGraph, tasks: Task[]): LakeGraph {
  const last = new Map(tasks.map((task) => [task.name, task.last_run_state ?? task.state]));
  const after = tasks.flatMap((task) =>
    task.after.map((name) => ({ from: taskId(name), to: taskId(task.name) })),
  );
  const nodes = graph.nodes.map((node) => ({
    ...node,
    state: last.get(node.name)?.toLowerCase() ?? node.state,
  }));
  return { ...graph, nodes, edges: after };
}
