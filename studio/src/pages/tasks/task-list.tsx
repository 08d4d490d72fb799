import { Button, Checkbox, Group, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import {
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugX,
  IconRocket,
  IconRotateClockwise,
  IconSearch,
} from "@tabler/icons-react";
import { useState } from "react";

import type { Task } from "../../api/queries";
import { DataTable, type Column } from "../../parts/data-table";
import { EmptyState } from "../../parts/empty-state";
import { StateText } from "../../parts/state-text";
import { STATES } from "../../parts/states";
import { TimeText } from "../../parts/time-text";
import { scheduleText } from "./schedule-text";
import { useTaskStep, type Step } from "./task-steps";

const STEPS: { step: Step; label: string; icon: typeof IconPlayerPlay }[] = [
  { step: "run", label: "Run now", icon: IconPlayerPlay },
  { step: "pause", label: "Pause", icon: IconPlayerPause },
  { step: "resume", label: "Resume", icon: IconRotateClockwise },
  { step: "deploy", label: "Deploy", icon: IconRocket },
  { step: "offline", label: "Take offline", icon: IconPlugX },
];

interface TaskListProps {
  tasks: Task[];
  /** What is said where there are none. */
  none: { text: string; sql: string };
}

/** Tasks that can be selected, and moved together. */
export function TaskList({ tasks, none }: TaskListProps) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [filter, setFilter] = useState("");
  const take = useTaskStep();
  const shown = tasks.filter((task) => task.name.toLowerCase().includes(filter.toLowerCase()));
  const chosen = shown.filter((task) => selected.has(task.name)).map((task) => task.name);
  const toggle = (name: string): void =>
    setSelected((old) =>
      old.has(name) ? new Set([...old].filter((each) => each !== name)) : new Set([...old, name]),
    );
  if (tasks.length === 0) {
    return (
      <section className="card">
        <EmptyState title="There are no tasks of this kind" {...none} />
      </section>
    );
  }
  return (
    <>
      <Group gap="xs" mb="sm">
        <TextInput
          data-filter
          aria-label="Filter tasks"
          placeholder="Filter by name"
          leftSection={<IconSearch size={14} />}
          w={240}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        {STEPS.map(({ step, label, icon: Icon }) => (
          <Button
            key={step}
            variant="default"
            leftSection={<Icon size={14} />}
            disabled={chosen.length === 0 || take.isPending}
            onClick={() => take.mutate({ step, names: chosen })}
          >
            {label}
          </Button>
        ))}
        <span className="quiet">
          {chosen.length === 0 ? "Select tasks to change them together." : `${chosen.length} selected`}
        </span>
      </Group>
      <section className="card scroll" tabIndex={0} aria-label="Tasks">
        <DataTable
          label="Tasks"
          rows={shown}
          columns={columns(selected, toggle)}
          rowKey={(row) => row.name}
        />
      </section>
    </>
  );
}

function columns(selected: ReadonlySet<string>, toggle: (name: string) => void): Column<Task>[] {
  return [
    {
      name: "Select",
      cell: (row) => (
        <Checkbox
          size="xs"
          aria-label={`Select ${row.name}`}
          checked={selected.has(row.name)}
          onChange={() => toggle(row.name)}
        />
      ),
      width: "tight",
    },
    {
      name: "Name",
      cell: (row) => (
        <Link to="/tasks/$task" params={{ task: row.name }} className="text-link">
          {row.name}
        </Link>
      ),
      value: (row) => row.name,
    },
    {
      name: "Deployment",
      cell: (row) => <StateText shown={STATES[row.state]} />,
      value: (row) => row.state,
      width: "tight",
    },
    {
      name: "Kind",
      cell: (row) => row.kind.toLowerCase().replace("_", " "),
      value: (row) => row.kind,
      width: "tight",
    },
    { name: "Schedule", cell: (row) => scheduleText(row) },
    {
      name: "Next run",
      cell: (row) => <TimeText moment={row.next_run_time} form="next" />,
      value: (row) => row.next_run_time,
      width: "tight",
    },
    { name: "After", cell: (row) => row.after.join(", ") || <span className="quiet">–</span> },
    {
      name: "Last run",
      cell: (row) => <TimeText moment={row.last_run_time} form="ago" absent="never" />,
      value: (row) => row.last_run_time,
      width: "tight",
    },
    {
      name: "Last state",
      cell: (row) =>
        row.last_run_state === null ? (
          <span className="quiet">–</span>
        ) : (
          <StateText shown={STATES[row.last_run_state]} />
        ),
      value: (row) => row.last_run_state,
      width: "tight",
    },
    {
      name: "Cluster",
      cell: (row) => row.virtual_cluster.toLowerCase(),
      value: (row) => row.virtual_cluster,
      width: "tight",
    },
    { name: "Owner", cell: (row) => row.creator, value: (row) => row.creator, width: "tight" },
  ];
}
