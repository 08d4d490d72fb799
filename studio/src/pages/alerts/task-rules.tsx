/** Of which tasks a failure is reported, and of which a timeout; each can be changed. */

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { tasksQuery, type Task } from "../../api/queries";
import { Card } from "../../parts/card";
import { DataTable, type Column } from "../../parts/data-table";
import { EmptyState } from "../../parts/empty-state";
import { Loaded } from "../../parts/loaded";
import { ChangeAlerts } from "../tasks/change-alerts";
import { alertsText } from "../tasks/task-alerts";

export function TaskRules() {
  const tasks = useQuery(tasksQuery);
  const [changed, setChanged] = useState<Task | null>(null);
  return (
    <Card title="Rules of tasks" flush>
      <Loaded query={tasks} what="tasks">
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              title="There are no tasks yet"
              text="A failed run of a task is reported, unless the task says otherwise."
              sql="ALTER TASK name SET ALERTS (FAILURE);"
            />
          ) : (
            <DataTable
              label="Rules of tasks"
              rows={rows}
              columns={columns(setChanged)}
              rowKey={(row) => row.name}
            />
          )
        }
      </Loaded>
      {changed !== null && <ChangeAlerts task={changed} close={() => setChanged(null)} />}
    </Card>
  );
}

function columns(change: (task: Task) => void): Column<Task>[] {
  return [
    {
      name: "Task",
      cell: (row) => (
        <Link to="/tasks/$task" params={{ task: row.name }} className="text-link">
          {row.name}
        </Link>
      ),
      value: (row) => row.name,
    },
    { name: "Reported", cell: (row) => alertsText(row.alerts), value: (row) => alertsText(row.alerts) },
    {
      name: "Change",
      cell: (row) => (
        <Button
          variant="subtle"
          size="compact-xs"
          ml={-8}
          aria-label={`Change the alerts of ${row.name}`}
          onClick={() => change(row)}
        >
          Change
        </Button>
      ),
      width: "tight",
    },
  ];
}
