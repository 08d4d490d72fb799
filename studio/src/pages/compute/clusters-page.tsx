/** Virtual clusters: what each does, and its life. */

import { ActionIcon, Button, Group, Menu, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  IconAdjustments,
  IconDotsVertical,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
  IconTrash,
} from "@tabler/icons-react";
import { useState } from "react";

import { clustersQuery, type Cluster } from "../../api/queries";
import { duration } from "../../format/durations";
import { quoteIdentifier } from "../../format/names";
import { DataTable, type Column } from "../../parts/data-table";
import { Loaded } from "../../parts/loaded";
import { PageHeader } from "../../parts/page-header";
import { ConfirmStatement, useReportedStatement } from "../../parts/statement-action";
import { clusterState } from "../../parts/states";
import { StateText } from "../../parts/state-text";
import { ClusterForm } from "./cluster-form";
import { ComputeTabs } from "./compute-tabs";

/** Always there. */
const PERMANENT = new Set(["default", "default_ap"]);

export function ClustersPage() {
  const clusters = useQuery(clustersQuery);
  const [form, setForm] = useState<Cluster | "new" | null>(null);
  const [dropped, setDropped] = useState<string | null>(null);
  return (
    <div className="page">
      <PageHeader title="Compute">
        <Button leftSection={<IconPlus size={14} />} onClick={() => setForm("new")}>
          Create a cluster
        </Button>
      </PageHeader>
      <ComputeTabs current="clusters" />
      <Loaded query={clusters} what="clusters">
        {(rows) => (
          <section className="card scroll" tabIndex={0} aria-label="Clusters">
            <DataTable
              label="Clusters"
              rows={rows}
              rowKey={(row) => row.name}
              columns={columns(setForm, setDropped)}
            />
          </section>
        )}
      </Loaded>
      {form !== null && (
        <ClusterForm
          key={form === "new" ? "" : form.name}
          cluster={form === "new" ? null : form}
          close={() => setForm(null)}
        />
      )}
      <ConfirmStatement
        title={`Drop cluster ${dropped ?? ""}`}
        text="Dynamic tables and tasks that use the cluster must be moved to another one first."
        statement={`DROP VCLUSTER ${quoteIdentifier(dropped ?? "")}`}
        confirm="Drop"
        dangerous
        opened={dropped !== null}
        close={() => setDropped(null)}
      />
    </div>
  );
}

function columns(edit: (cluster: Cluster) => void, drop: (name: string) => void): Column<Cluster>[] {
  return [
    { name: "Name", cell: (row) => <strong>{row.name}</strong>, value: (row) => row.name },
    {
      name: "State",
      cell: (row) => <StateText shown={clusterState(row.state)} />,
      value: (row) => row.state,
      width: "tight",
    },
    { name: "Type", cell: (row) => row.type.toLowerCase(), value: (row) => row.type, width: "tight" },
    { name: "Size", cell: (row) => row.size, value: (row) => row.size, width: "tight" },
    { name: "Running", cell: (row) => <Load cluster={row} />, value: (row) => row.running, width: "tight" },
    { name: "Queued", cell: (row) => row.queued, value: (row) => row.queued, align: "right", width: "tight" },
    {
      name: "Suspends after",
      cell: (row) => (row.auto_suspend_seconds === null ? "never" : duration(row.auto_suspend_seconds)),
      width: "tight",
    },
    { name: "Auto start", cell: (row) => (row.auto_resume ? "yes" : "no"), width: "tight" },
    {
      name: "Process",
      cell: (row) => row.process ?? <span className="quiet">–</span>,
      align: "right",
      width: "tight",
      isExtra: true,
    },
    {
      name: "Jobs",
      cell: (row) => (
        <Link to="/compute/jobs" search={{ cluster: row.name }} className="text-link">
          Show
        </Link>
      ),
      width: "tight",
    },
    {
      name: "Actions",
      cell: (row) => <ClusterActions cluster={row} edit={edit} drop={drop} />,
      width: "tight",
    },
  ];
}

function Load({ cluster }: { cluster: Cluster }) {
  const share = Math.min(100, (100 * cluster.running) / cluster.max_concurrency);
  return (
    <Group gap={8} wrap="nowrap">
      <div style={{ width: 70, height: 5, borderRadius: 3, background: "var(--line)" }}>
        <div
          style={{ width: `${share}%`, height: 5, borderRadius: 3, background: "var(--mode-incremental)" }}
        />
      </div>
      <span className="number">
        {cluster.running} of {cluster.max_concurrency}
      </span>
    </Group>
  );
}

interface ClusterActionsProps {
  cluster: Cluster;
  edit: (cluster: Cluster) => void;
  drop: (name: string) => void;
}

function ClusterActions({ cluster, edit, drop }: ClusterActionsProps) {
  const alter = useReportedStatement();
  const isSuspended = cluster.state === "SUSPENDED" || cluster.state === "SUSPENDING";
  const step = isSuspended ? "RESUME" : "SUSPEND";
  const label = isSuspended ? "Start" : "Suspend";
  const move = (statement: string, done: string): void =>
    alter.mutate({ statement: `ALTER VCLUSTER ${quoteIdentifier(cluster.name)} ${statement}`, done });
  return (
    <Group gap={2} wrap="nowrap">
      <Tooltip label={label}>
        <ActionIcon
          aria-label={`${label} ${cluster.name}`}
          disabled={alter.isPending}
          onClick={() => move(step, `Cluster ${cluster.name}: ${isSuspended ? "starting" : "suspended"}.`)}
        >
          {isSuspended ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
        </ActionIcon>
      </Tooltip>
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={`More for ${cluster.name}`}>
            <IconDotsVertical size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconAdjustments size={14} />} onClick={() => edit(cluster)}>
            Change size and limits
          </Menu.Item>
          <Menu.Item
            leftSection={<IconPlayerPause size={14} />}
            disabled={isSuspended}
            onClick={() =>
              move("SUSPEND FORCE", `Cluster ${cluster.name} was suspended; its jobs were cancelled.`)
            }
          >
            Suspend and cancel its jobs
          </Menu.Item>
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={14} />}
            disabled={PERMANENT.has(cluster.name)}
            onClick={() => drop(cluster.name)}
          >
            Drop
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
