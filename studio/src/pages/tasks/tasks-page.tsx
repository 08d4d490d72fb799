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

const NO_PERIODIC_TASKS = {
  text: "A task runs a script on a schedule, or after other tasks.",
  sql: `CREATE TASK nightly SCHEDULE CRON '0 2 * * *' AS SQL $$
  INSERT INTO totals SELECT current_date(), count(*) FROM orders
$$;
ALTER TASK nightly DEPLOY;`,
};
const NO_TABLE_TASKS = {
  text: "A development file of the kind Dynamic table becomes such a task when it is submitted.",
  sql: `CREATE TASK totals SCHEDULE INTERVAL 1 MINUTE AS
  CREATE DYNAMIC TABLE totals AS SELECT status, count(*) AS orders FROM orders GROUP BY status;
ALTER TASK totals DEPLOY;`,
};

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
              <TaskList tasks={found.filter(isPeriodic)} none={NO_PERIODIC_TASKS} />
            </Tabs.Panel>
            <Tabs.Panel value="tables">
              <TaskList tasks={found.filter((task) => !isPeriodic(task))} none={NO_TABLE_TASKS} />
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
