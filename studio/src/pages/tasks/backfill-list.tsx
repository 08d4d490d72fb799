/** Backfills of a task: how far each is. */

import { Button, Progress } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answered, api, type Schemas } from "../../api/client";
import { backfillsQuery } from "../../api/queries";
import { Card } from "../../parts/card";
import { DataTable, type Column } from "../../parts/data-table";
import { StateText } from "../../parts/state-text";
import { STATES } from "../../parts/states";
import { TimeText } from "../../parts/time-text";

type Backfill = Schemas["BackfillView"];

export function BackfillList({ task }: { task: string }) {
  const backfills = useQuery(backfillsQuery).data?.filter((each) => each.task === task) ?? [];
  if (backfills.length === 0) return null;
  return (
    <Card title="Backfills" flush>
      <DataTable label="Backfills" rows={backfills} columns={COLUMNS} rowKey={(row) => row.id} />
    </Card>
  );
}

const COLUMNS: Column<Backfill>[] = [
  { name: "Started", cell: (row) => <TimeText moment={row.created_time} />, width: "tight" },
  { name: "State", cell: (row) => <StateText shown={STATES[row.state]} />, width: "tight" },
  { name: "Progress", cell: (row) => <BackfillProgress backfill={row} /> },
  { name: "Parameter", cell: (row) => <span className="mono">{row.parameter}</span>, width: "tight" },
  { name: "At the same time", cell: (row) => row.parallelism, align: "right", width: "tight" },
  { name: "By", cell: (row) => row.creator, width: "tight" },
  { name: "Actions", cell: (row) => <CancelBackfill backfill={row} />, width: "tight" },
];

function BackfillProgress({ backfill }: { backfill: Backfill }) {
  const { runs, succeeded, failed, running } = backfill;
  const share = (part: number): number => (100 * part) / Math.max(1, runs);
  return (
    <>
      <Progress.Root size={6}>
        <Progress.Section value={share(succeeded)} color="var(--good)" aria-label="succeeded" />
        <Progress.Section value={share(failed)} color="var(--bad)" aria-label="failed" />
        <Progress.Section value={share(running)} color="var(--info)" aria-label="running" />
      </Progress.Root>
      <span className="quiet number">
        {succeeded} of {runs} succeeded{failed > 0 ? `, ${failed} failed` : ""}
        {running > 0 ? `, ${running} running` : ""}
      </span>
    </>
  );
}

function CancelBackfill({ backfill }: { backfill: Backfill }) {
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () =>
      answered(
        api.POST("/api/v1/backfills/{backfill_id}/cancel", {
          params: { path: { backfill_id: backfill.id } },
        }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: ["backfills"] }),
  });
  if (backfill.state !== "RUNNING") return null;
  return (
    <Button size="compact-xs" variant="default" onClick={() => cancel.mutate()}>
      Cancel
    </Button>
  );
}
