/** The runs of a day, each task a line. */

import { ActionIcon, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";

import { runsOfDayQuery, type TaskRun } from "../../api/queries";
import { useNow, useZone } from "../../app/context";
import { duration } from "../../format/durations";
import { dateTime, day, daysLater } from "../../format/times";
import { EmptyState } from "../../parts/empty-state";
import { Loaded } from "../../parts/loaded";
import { STATES } from "../../parts/states";

const route = getRouteApi("/tasks");
const HOURS = [0, 3, 6, 9, 12, 15, 18, 21];

export function DayView() {
  const zone = useZone();
  const now = useNow(30);
  const search = route.useSearch();
  const navigate = useNavigate({ from: route.id });
  const shown = search.day ?? day(now, zone);
  const runs = useQuery(runsOfDayQuery(shown));
  const move = (days: number): void =>
    void navigate({ search: (old) => ({ ...old, day: daysLater(shown, days) }), replace: true });
  return (
    <section className="card" aria-label="Runs of the day">
      <div className="card-head">
        <h2>
          {shown} <span className="quiet">{zone}</span>
        </h2>
        <Group gap={4}>
          <ActionIcon aria-label="Day before" onClick={() => move(-1)}>
            <IconChevronLeft size={16} />
          </ActionIcon>
          <ActionIcon aria-label="Day after" onClick={() => move(1)}>
            <IconChevronRight size={16} />
          </ActionIcon>
        </Group>
      </div>
      <Loaded query={runs} what="runs">
        {(rows) => (
          <Gantt
            runs={rows.filter((run) => run.start_time !== null && day(run.start_time, zone) === shown)}
            zone={zone}
            now={now}
          />
        )}
      </Loaded>
    </section>
  );
}

function Gantt({ runs, zone, now }: { runs: TaskRun[]; zone: string; now: Date }) {
  const tasks = [...new Set(runs.map((run) => run.name))].sort();
  if (tasks.length === 0)
    return (
      <EmptyState
        title="Nothing ran on this day"
        text="Choose another day, or run a task now."
        sql="EXECUTE TASK name;"
      />
    );
  return (
    <div className="card-body">
      <div style={{ position: "relative", height: 18, marginLeft: 180 }}>
        {HOURS.map((hour) => (
          <span
            key={hour}
            className="quiet number"
            style={{ position: "absolute", left: `${(100 * hour) / 24}%`, fontSize: "0.6875rem" }}
          >
            {String(hour).padStart(2, "0")}:00
          </span>
        ))}
      </div>
      {tasks.map((task) => (
        <div key={task} style={{ display: "flex", alignItems: "center", height: 26 }}>
          <div className="tree-label" style={{ width: 180, paddingRight: 10 }} title={task}>
            <Link to="/tasks/$task" params={{ task }} className="text-link">
              {task}
            </Link>
          </div>
          <div className="day-line">
            {runs
              .filter((run) => run.name === task)
              .map((run) => (
                <Bar key={`${run.run_id} ${run.attempt}`} run={run} zone={zone} now={now} />
              ))}
          </div>
        </div>
      ))}
    </div>
  );
}

function Bar({ run, zone, now }: { run: TaskRun; zone: string; now: Date }) {
  const start = share(run.start_time ?? now.toISOString(), zone);
  const seconds =
    (new Date(run.end_time ?? now).getTime() - new Date(run.start_time ?? now).getTime()) / 1000;
  const { tone, label } = STATES[run.state];
  const color = { good: "--good", warn: "--warn", bad: "--bad", info: "--info", quiet: "--mode-none" }[tone];
  const text = `${dateTime(run.start_time ?? now, zone)} ${label}, ${duration(seconds)}`;
  return (
    <Link
      to="/tasks/$task"
      params={{ task: run.name }}
      className="day-run"
      title={text}
      aria-label={`${run.name} ${text}`}
      style={{
        left: `${100 * start}%`,
        width: `max(4px, ${(100 * seconds) / 86_400}%)`,
        background: `var(${color})`,
      }}
    />
  );
}

/** Which part of its day has passed. */
function share(moment: string, zone: string): number {
  const [hours = "0", minutes = "0", seconds = "0"] = dateTime(moment, zone).slice(11).split(":");
  return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) / 86_400;
}
