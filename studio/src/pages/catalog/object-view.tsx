/** One table, view or dynamic table: columns, rows, DDL, versions, neighbours, properties. */

import { Button, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { IconBolt, IconGitFork } from "@tabler/icons-react";

import { objectQuery, type ObjectDetails } from "../../api/queries";
import { rowsQuery } from "../../api/rows-query";
import { bytes, count } from "../../format/numbers";
import { shownName, sqlName, type TableName } from "../../format/names";
import { Card, Facts, Pairs } from "../../parts/card";
import { DataTable, type Column } from "../../parts/data-table";
import { Loaded } from "../../parts/loaded";
import { Neighbours } from "../../parts/neighbours";
import { PageHeader } from "../../parts/page-header";
import { Rows } from "../../parts/rows";
import { SqlText } from "../../parts/sql-text";
import { TimeText } from "../../parts/time-text";
import { Versions } from "./versions";

const route = getRouteApi("/catalog/$workspace/$schema/$object");
const PREVIEW = 100;

export function ObjectView({ name }: { name: TableName }) {
  const object = useQuery(objectQuery(name));
  return (
    <Loaded query={object} what={shownName(name)} title={name.table}>
      {(found) => <ObjectPage name={name} object={found} />}
    </Loaded>
  );
}

function ObjectPage({ name, object }: { name: TableName; object: ObjectDetails }) {
  const { tab = "columns" } = route.useSearch();
  const navigate = useNavigate({ from: route.id });
  const go = useNavigate();
  return (
    <>
      <PageHeader
        title={name.table}
        above={`${name.workspace}.${name.schema}`}
        beside={<span className="quiet">{object.kind}</span>}
      >
        <Button
          variant="default"
          leftSection={<IconGitFork size={14} />}
          onClick={() => void go({ to: "/lineage", search: { focus: object.id } })}
        >
          In the graph
        </Button>
        {object.kind === "dynamic table" && (
          <Button
            variant="default"
            leftSection={<IconBolt size={14} />}
            onClick={() => void go({ to: "/dynamic-tables/$workspace/$schema/$table", params: { ...name } })}
          >
            Refreshes
          </Button>
        )}
      </PageHeader>
      <div className="stack">
        {object.comment !== null && <div>{object.comment}</div>}
        {object.kind !== "view" && <ObjectFacts object={object} />}
        <Tabs value={tab} onChange={(value) => void navigate({ search: { tab: value ?? "columns" } })}>
          <Tabs.List mb="md">
            <Tabs.Tab value="columns">Columns</Tabs.Tab>
            <Tabs.Tab value="rows">Rows</Tabs.Tab>
            <Tabs.Tab value="ddl">DDL</Tabs.Tab>
            {object.kind !== "view" && <Tabs.Tab value="versions">Versions</Tabs.Tab>}
            <Tabs.Tab value="properties">Properties</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="columns">
            <ColumnsAndNeighbours object={object} />
          </Tabs.Panel>
          <Tabs.Panel value="rows">
            <Preview name={name} />
          </Tabs.Panel>
          <Tabs.Panel value="ddl">
            <SqlText text={object.ddl} />
          </Tabs.Panel>
          <Tabs.Panel value="versions">
            <Versions name={name} isDynamic={object.kind === "dynamic table"} />
          </Tabs.Panel>
          <Tabs.Panel value="properties">
            <Properties object={object} />
          </Tabs.Panel>
        </Tabs>
      </div>
    </>
  );
}

function ObjectFacts({ object }: { object: ObjectDetails }) {
  return (
    <Facts
      facts={[
        { label: "Rows", value: count(object.rows), note: bytes(object.bytes) },
        {
          label: "Versions",
          value: count(object.versions),
          note: `Iceberg format ${object.format_version ?? "–"}`,
        },
        {
          label: "Changed",
          value: <TimeText moment={object.modified_time} form="ago" />,
          note: <TimeText moment={object.modified_time} form="full" />,
        },
        ...(object.created_time === null
          ? []
          : [
              {
                label: "Created",
                value: <TimeText moment={object.created_time} form="ago" />,
                note: object.creator === null ? "" : `by ${object.creator}`,
              },
            ]),
      ]}
    />
  );
}

const COLUMNS: Column<ObjectDetails["columns"][number]>[] = [
  {
    name: "Column",
    cell: (column) => <span className="mono">{column.name}</span>,
    value: (column) => column.name,
  },
  {
    name: "Type",
    cell: (column) => <span className="mono quiet">{column.type}</span>,
    value: (column) => column.type,
  },
  { name: "NULL", cell: (column) => (column.nullable ? "allowed" : "no"), width: "tight" },
  { name: "Comment", cell: (column) => column.comment ?? "" },
];

function ColumnsAndNeighbours({ object }: { object: ObjectDetails }) {
  return (
    <div className="columns-main">
      <Card title={`Columns (${object.columns.length})`} flush>
        <DataTable label="Columns" rows={object.columns} rowKey={(column) => column.name} columns={COLUMNS} />
      </Card>
      <div className="stack">
        <Card title="Made from">
          <Neighbours
            neighbours={object.fed_by}
            none="Statements write to it; it is not made from other tables."
          />
        </Card>
        <Card title="Read by">
          <Neighbours neighbours={object.read_by} none="No dynamic table, stream or task reads it." />
        </Card>
      </div>
    </div>
  );
}

function Properties({ object }: { object: ObjectDetails }) {
  return (
    <Card title="Properties">
      <Pairs
        pairs={[
          [
            "Partitioned by",
            object.partitioned_by.length === 0 ? "nothing" : object.partitioned_by.join(", "),
          ],
          [
            "Location",
            <span key="location" className="mono">
              {object.location ?? "–"}
            </span>,
          ],
          [
            "Current version",
            <span key="version" className="mono">
              {object.version ?? "–"}
            </span>,
          ],
          ...Object.entries(object.properties),
        ]}
      />
    </Card>
  );
}

function Preview({ name }: { name: TableName }) {
  const { version } = route.useSearch();
  const at = version !== undefined && /^\d+$/.test(version) ? ` VERSION AS OF ${version}` : "";
  const statement = `SELECT * FROM ${sqlName(name)}${at} LIMIT ${PREVIEW}`;
  const rows = useQuery(rowsQuery("object", statement, PREVIEW));
  return (
    <div className="stack">
      <SqlText text={statement} />
      <Loaded query={rows} what="rows; this may start a cluster">
        {(result) => (
          <Card
            title={`${count(result.rows.length)} rows${result.rows.length === PREVIEW ? ", the first of more" : ""}`}
            flush
          >
            <Rows label="Rows" columns={result.columns} rows={result.rows} />
          </Card>
        )}
      </Loaded>
    </div>
  );
}
