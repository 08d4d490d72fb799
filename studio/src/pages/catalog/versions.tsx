/** The versions of a table: each can be read, and the table restored to it. */

import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { versionsQuery, type Version } from "../../api/queries";
import { bytes, count } from "../../format/numbers";
import { sqlName, type TableName } from "../../format/names";
import { Card } from "../../parts/card";
import { DataTable, type Column } from "../../parts/data-table";
import { EmptyState } from "../../parts/empty-state";
import { Loaded } from "../../parts/loaded";
import { ConfirmStatement } from "../../parts/statement-action";
import { JobLink } from "../../parts/table-link";
import { TimeText } from "../../parts/time-text";

const route = getRouteApi("/catalog/$workspace/$schema/$object");

export function Versions({ name, isDynamic }: { name: TableName; isDynamic: boolean }) {
  const history = useQuery(versionsQuery(name));
  const [restored, setRestored] = useState<string | null>(null);
  return (
    <Loaded query={history} what="versions">
      {(versions) => {
        return versions.length === 0 ? (
          <EmptyState
            title="The table has no version yet"
            text="Each statement that changes rows makes one."
            sql={`INSERT INTO ${sqlName(name)} VALUES (...);`}
          />
        ) : (
          <Card title={`Versions (${versions.length})`} flush>
            <DataTable
              label="Versions"
              rows={versions}
              columns={columns(isDynamic, setRestored)}
              rowKey={(row) => String(row.version)}
            />
            <ConfirmStatement
              title={`Restore ${name.table}`}
              text={
                isDynamic
                  ? "The table gets the rows of this version; its next refresh continues from the source versions that it recorded."
                  : "The table gets the rows of this version. The versions after it remain and can be restored, too."
              }
              statement={`RESTORE TABLE ${sqlName(name)} TO VERSION AS OF ${restored ?? "0"}`}
              confirm="Restore"
              dangerous
              opened={restored !== null}
              close={() => setRestored(null)}
            />
          </Card>
        );
      }}
    </Loaded>
  );
}

function columns(isDynamic: boolean, restore: (version: string) => void): Column<Version>[] {
  const job: Column<Version> = {
    name: "Job",
    cell: (row) =>
      row.job_id === null ? <span className="quiet">–</span> : <JobLink job={row.job_id} short />,
    width: "tight",
  };
  return [
    { name: "Version", cell: (row) => <span className="mono">{row.version}</span>, width: "tight" },
    { name: "Time", cell: (row) => <TimeText moment={row.time} />, value: (row) => row.time, width: "tight" },
    { name: "Operation", cell: (row) => row.operation },
    {
      name: "Rows",
      cell: (row) => count(row.total_rows),
      value: (row) => row.total_rows,
      align: "right",
      width: "tight",
    },
    {
      name: "Size",
      cell: (row) => bytes(row.total_bytes),
      value: (row) => row.total_bytes,
      align: "right",
      width: "tight",
    },
    ...(isDynamic ? [job] : []),
    {
      name: "Actions",
      cell: (row) => <VersionActions version={String(row.version)} restore={restore} />,
      width: "tight",
    },
  ];
}

function VersionActions({ version, restore }: { version: string; restore: (version: string) => void }) {
  const navigate = useNavigate({ from: route.id });
  return (
    <Group gap={6} wrap="nowrap">
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => void navigate({ search: { tab: "rows", version } })}
      >
        Read
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => restore(version)}>
        Restore
      </Button>
    </Group>
  );
}
