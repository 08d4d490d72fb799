/** Task Operations: tasks and their runs. */

import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";

import { tasksQuery, type Task } from "../../api/queries";
import { Loaded } from "../../parts/loaded";
import { PageHeader } from "../../parts/page-header";
import { DayView } from "./day-view";
import { RunList } from "./run-list";
import { TaskGraph } from "./task-graph";
import { TaskList } from "./task-list";

const route = getRouteApi("/tasks");

export function TasksPage() {
  const tasks = useQuery(tasksQuery);
  const { tab = "periodic" } = route.useSearch();
  const navigate = useNavigate({ from: route.id });
  return (
    <div className="page">
      <PageHeader title="Task operations" />
      <Loaded query={tasks} what="tasks">
        {(found) => (
          <Tabs value={tab} onChange={(value) => void navigate({ search: { tab: value ?? "periodic" } })}>
            <Tabs.List mb="md">
              <Tabs.Tab value="periodic">Periodic tasks ({found.filter(isPeriodic).length})</Tabs.Tab>
              <Tabs.Tab value="tables">
                Dynamic table tasks ({found.filter((task) => !isPeriodic(task)).length})
              </Tabs.Tab>
              <Tabs.Tab value="runs">Instances</Tabs.Tab>
              <Tabs.Tab value="day">Day</Tabs.Tab>
              <Tabs.Tab value="graph">Dependencies</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="periodic">
              <TaskList tasks={found.filter(isPeriodic)} />
            </Tabs.Panel>
            <Tabs.Panel value="tables">
              <TaskList tasks={found.filter((task) => !isPeriodic(task))} />
            </Tabs.Panel>
            <Tabs.Panel value="runs">
              <RunList task={null} />
            </Tabs.Panel>
            <Tabs.Panel value="graph">
              <TaskGraph />
            </Tabs.Panel>
            <Tabs.Panel value="day">
              <DayView />
            </Tabs.Panel>
          </Tabs>
        )}
      </Loaded>
    </div>
  );
}

function isPeriodic(task: Task): boolean {
  return task.kind !== "DYNAMIC_TABLE";
}
