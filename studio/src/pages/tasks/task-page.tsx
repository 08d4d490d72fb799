/** One task: what it runs and when, its runs, what it depends on. */

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import {
  IconCalendarRepeat,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugX,
  IconRocket,
} from "@tabler/icons-react";
import { useState } from "react";

import { taskQuery, tasksQuery, type Task } from "../../api/queries";
import { duration } from "../../format/durations";
import { BusyButton } from "../../parts/busy-button";
import { Card, Facts, Pairs } from "../../parts/card";
import { Loaded } from "../../parts/loaded";
import { PageHeader } from "../../parts/page-header";
import { SqlText } from "../../parts/sql-text";
import { StateText } from "../../parts/state-text";
import { STATES } from "../../parts/states";
import { TimeText } from "../../parts/time-text";
import { BackfillDialog } from "./backfill-dialog";
import { BackfillList } from "./backfill-list";
import { ChangeAlerts } from "./change-alerts";
import { ChangeDependencies } from "./change-dependencies";
import { RunList } from "./run-list";
import { scheduleText } from "./schedule-text";
import { alertsText } from "./task-alerts";
import { useTaskStep } from "./task-steps";

const route = getRouteApi("/tasks/$task");

export function TaskPage() {
  const { task: name } = route.useParams();
  const task = useQuery(taskQuery(name));
  return (
    <div className="page">
      <Loaded query={task} what={`task ${name}`} title={name}>
        {(found) => <TaskView task={found} />}
      </Loaded>
    </div>
  );
}

function TaskView({ task }: { task: Task }) {
  return (
    <>
      <PageHeader
        title={task.name}
        above={
          <Link to="/tasks" className="text-link">
            Task operations
          </Link>
        }
        beside={<StateText shown={STATES[task.state]} />}
      >
        <TaskButtons task={task} />
      </PageHeader>
      <div className="stack">
        <Facts
          facts={[
            {
              label: "Schedule",
              value: scheduleText(task),
              note: task.start_time === null ? undefined : <TimeText moment={task.start_time} form="full" />,
            },
            {
              label: "Next run",
              value: <TimeText moment={task.next_run_time} form="next" absent="none planned" />,
              note: <TimeText moment={task.next_run_time} form="full" absent="" />,
            },
            {
              label: "Last run",
              value: <TimeText moment={task.last_run_time} form="ago" absent="never" />,
              note: task.last_run_state === null ? "" : STATES[task.last_run_state].label,
            },
            { label: "Cluster", value: task.virtual_cluster.toLowerCase(), note: `schema ${task.schema}` },
            {
              label: "Retries",
              value: task.retries,
              note: task.retries === 0 ? "" : `${duration(task.backoff_seconds)} apart`,
            },
            {
              label: "Timeout",
              value: task.timeout_seconds === null ? "none" : duration(task.timeout_seconds),
              note: `owner ${task.creator}`,
            },
          ]}
        />
        <div className="columns-main">
          <div className="stack">
            <Card title="Script">
              <SqlText
                text={task.kind === "PYTHON" ? task.body : task.body.trim()}
                plain={task.kind === "PYTHON"}
                maxHeight={360}
              />
            </Card>
            <Card title="Parameters">
              {Object.keys(task.parameters).length === 0 ? (
                <span className="quiet">The task has no parameters.</span>
              ) : (
                <Pairs
                  pairs={Object.entries(task.parameters).map(([name, value]) => [
                    name,
                    <span key={name} className="mono">
                      {value}
                    </span>,
                  ])}
                />
              )}
            </Card>
          </div>
          <div className="stack">
            <Neighbours task={task} />
            <Alerts task={task} />
          </div>
        </div>
        <BackfillList task={task.name} />
        <h2 style={{ margin: 0, fontSize: "0.875rem" }}>Instances</h2>
        <RunList task={task.name} />
      </div>
    </>
  );
}

function TaskButtons({ task }: { task: Task }) {
  const take = useTaskStep();
  const names = [task.name];
  const isDeployed = task.state === "DEPLOYED";
  const [backfilling, setBackfilling] = useState(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconCalendarRepeat size={14} />}
        onClick={() => setBackfilling(true)}
      >
        Backfill
      </Button>
      {backfilling && <BackfillDialog task={task} close={() => setBackfilling(false)} />}
      <BusyButton
        leftSection={<IconPlayerPlay size={14} />}
        busy={take.isPending && take.variables.step === "run"}
        doing="Starting"
        onClick={() => take.mutate({ step: "run", names })}
      >
        Run now
      </BusyButton>
      {isDeployed && (
        <Button
          variant="default"
          leftSection={<IconPlayerPause size={14} />}
          onClick={() => take.mutate({ step: "pause", names })}
        >
          Pause
        </Button>
      )}
      {task.state === "PAUSED" && (
        <Button
          variant="default"
          leftSection={<IconPlayerPlay size={14} />}
          onClick={() => take.mutate({ step: "resume", names })}
        >
          Resume
        </Button>
      )}
      {isDeployed || task.state === "PAUSED" ? (
        <Button
          variant="default"
          leftSection={<IconPlugX size={14} />}
          onClick={() => take.mutate({ step: "offline", names })}
        >
          Take offline
        </Button>
      ) : (
        <Button
          variant="default"
          leftSection={<IconRocket size={14} />}
          onClick={() => take.mutate({ step: "deploy", names })}
        >
          Deploy
        </Button>
      )}
    </>
  );
}

function Alerts({ task }: { task: Task }) {
  const [changing, setChanging] = useState(false);
  return (
    <Card
      title="Alerts"
      actions={
        <Button variant="subtle" size="compact-xs" onClick={() => setChanging(true)}>
          Change
        </Button>
      }
    >
      <Pairs pairs={[["Reported", alertsText(task.alerts)]]} />
      {changing && <ChangeAlerts task={task} close={() => setChanging(false)} />}
    </Card>
  );
}

function Neighbours({ task }: { task: Task }) {
  const [changing, setChanging] = useState(false);
  const tasks = useQuery(tasksQuery).data ?? [];
  const after = tasks.filter((each) => each.after.includes(task.name)).map((each) => each.name);
  return (
    <Card
      title="Dependencies"
      actions={
        <Button variant="subtle" size="compact-xs" onClick={() => setChanging(true)}>
          Change
        </Button>
      }
    >
      {changing && <ChangeDependencies task={task} after={task.after} close={() => setChanging(false)} />}
      <Pairs
        pairs={[
          ["Runs after", <TaskNames key="before" names={task.after} />],
          ["Followed by", <TaskNames key="after" names={after} />],
        ]}
      />
    </Card>
  );
}

function TaskNames({ names }: { names: string[] }) {
  if (names.length === 0) return <span className="quiet">no task</span>;
  return names.map((name) => (
    <div key={name}>
      <Link to="/tasks/$task" params={{ task: name }} className="text-link">
        {name}
      </Link>
    </div>
  ));
}
