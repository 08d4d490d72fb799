/** Instances: runs of tasks with their attempts, parameters, jobs and logs. */

import { ActionIcon, Drawer, Group, Menu, Tooltip } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconFileText, IconPlayerStop, IconRepeat } from "@tabler/icons-react";
import { useState } from "react";

import { answered, api } from "../../api/client";
import { taskRunQuery, taskRunsQuery, UNENDED, type TaskRun } from "../../api/queries";
import { duration, isoSeconds } from "../../format/durations";
import { Pairs } from "../../parts/card";
import { DataTable, type Column } from "../../parts/data-table";
import { EmptyState } from "../../parts/empty-state";
import { capital, ErrorNotice } from "../../parts/error-notice";
import { Loaded } from "../../parts/loaded";
import { LogText } from "../../parts/log-text";
import { StateText } from "../../parts/state-text";
import { STATES } from "../../parts/states";
import { JobLink } from "../../parts/table-link";
import { TimeText } from "../../parts/time-text";

export function RunList({ task }: { task: string | null }) {
  const runs = useQuery(taskRunsQuery(task));
  const [shown, setShown] = useState<TaskRun | null>(null);
  return (
    <Loaded query={runs} what="runs">
      {(rows) => (
        <section className="card scroll" tabIndex={0} aria-label="Runs">
          {rows.length === 0 ? (
            <EmptyState
              title="Nothing has run yet"
              text="A run appears here when its time comes or when it is started."
              sql="EXECUTE TASK name;"
            />
          ) : (
            <DataTable
              label="Runs"
              rows={rows}
              columns={columns(task === null, setShown)}
              rowKey={runKey}
              onSelect={setShown}
            />
          )}
          {shown !== null && <RunDrawer key={runKey(shown)} listed={shown} close={() => setShown(null)} />}
        </section>
      )}
    </Loaded>
  );
}

function runKey(run: TaskRun): string {
  return `${run.run_id} ${run.attempt}`;
}

function columns(hasTask: boolean, show: (run: TaskRun) => void): Column<TaskRun>[] {
  const name: Column<TaskRun> = {
    name: "Task",
    cell: (row) => (
      <Link to="/tasks/$task" params={{ task: row.name }} className="text-link">
        {row.name}
      </Link>
    ),
    value: (row) => row.name,
  };
  return [
    ...(hasTask ? [name] : []),
    {
      name: "Scheduled",
      cell: (row) => <TimeText moment={row.scheduled_time} />,
      value: (row) => row.scheduled_time,
      width: "tight",
    },
    {
      name: "State",
      cell: (row) => <StateText shown={STATES[row.state]} />,
      value: (row) => row.state,
      width: "tight",
    },
    { name: "Attempt", cell: (row) => row.attempt, align: "right", width: "tight" },
    { name: "Trigger", cell: (row) => row.run_trigger.toLowerCase(), width: "tight" },
    { name: "Started", cell: (row) => <TimeText moment={row.start_time} />, width: "tight" },
    { name: "Took", cell: (row) => duration(isoSeconds(row.duration)), align: "right", width: "tight" },
    { name: "Parameters", cell: (row) => <span className="mono">{parametersText(row)}</span> },
    {
      name: "Error",
      cell: (row) => (
        <span className="state-bad" title={row.error_message ?? undefined}>
          {row.error_message ?? ""}
        </span>
      ),
      width: "clip",
    },
    { name: "Actions", cell: (row) => <RunActions run={row} show={show} />, width: "tight" },
  ];
}

export function parametersText(run: TaskRun): string {
  return Object.entries(run.parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}

type RunAction = "cancel" | "again" | "downstream";

const DONE: Record<RunAction, string> = {
  cancel: "The run will end soon.",
  again: "The task was started again.",
  downstream: "The task was started again, with all tasks after it.",
};

async function act(run: TaskRun, action: RunAction): Promise<void> {
  const params = { path: { run_id: run.run_id } };
  if (action === "cancel") await answered(api.POST("/api/v1/task-runs/{run_id}/cancel", { params }));
  else
    await answered(
      api.POST("/api/v1/task-runs/{run_id}/rerun", { params, body: { downstream: action === "downstream" } }),
    );
}

function RunActions({ run, show }: { run: TaskRun; show: (run: TaskRun) => void }) {
  const queries = useQueryClient();
  const acting = useMutation({
    mutationFn: (action: RunAction) => act(run, action),
    onSuccess: (_, action) => notifications.show({ message: DONE[action] }),
    onError: (error) => notifications.show({ message: capital(error.message), color: "red" }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["task-runs"] }),
  });
  const isRunning = UNENDED.has(run.state);
  return (
    <Group gap={2} wrap="nowrap">
      <Tooltip label="Log">
        <ActionIcon aria-label={`Log of ${run.run_id}`} onClick={() => show(run)}>
          <IconFileText size={15} />
        </ActionIcon>
      </Tooltip>
      {isRunning ? (
        <Tooltip label="Cancel">
          <ActionIcon aria-label={`Cancel ${run.run_id}`} onClick={() => acting.mutate("cancel")}>
            <IconPlayerStop size={15} />
          </ActionIcon>
        </Tooltip>
      ) : (
        <Menu>
          <Menu.Target>
            <ActionIcon aria-label={`Run ${run.run_id} again`}>
              <IconRepeat size={15} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => acting.mutate("again")}>Run again</Menu.Item>
            <Menu.Item onClick={() => acting.mutate("downstream")}>
              Run again, with all tasks after it
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </Group>
  );
}

/** The run as it is now: its log grows while it runs. */
function RunDrawer({ listed, close }: { listed: TaskRun; close: () => void }) {
  const instance = useQuery(taskRunQuery(listed.run_id));
  const run = instance.data?.attempts.find((each) => each.attempt === listed.attempt) ?? listed;
  return (
    <Drawer opened onClose={close} position="right" size="lg" title={`Run of ${run.name}`}>
      <div className="stack">
        {instance.error !== null && <ErrorNotice error={instance.error} />}
        <Pairs
          pairs={[
            ["State", <StateText key="state" shown={STATES[run.state]} />],
            ["Scheduled", <TimeText key="time" moment={run.scheduled_time} form="full" />],
            ["Started", <TimeText key="start" moment={run.start_time} form="full" />],
            ["Attempt", run.attempt],
            ["Took", duration(isoSeconds(run.duration))],
            ["Parameters", parametersText(run) || "none"],
            [
              "Jobs",
              run.job_ids.length === 0
                ? "none"
                : run.job_ids.map((job) => (
                    <div key={job}>
                      <JobLink job={job} />
                    </div>
                  )),
            ],
          ]}
        />
        {run.error_message !== null && <ErrorNotice error={run.error_message} />}
        <LogText
          text={run.log}
          none={UNENDED.has(run.state) ? "Nothing was logged yet." : "The log is empty."}
        />
      </div>
    </Drawer>
  );
}
