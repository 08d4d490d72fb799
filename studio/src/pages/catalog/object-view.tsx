/** One table, view or dynamic table: columns, rows, DDL, versions, neighbours, properties. */

import { Button, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { IconBolt } from "@tabler/icons-react";

import { lineageQuery, objectsQuery } from "../../api/queries";
import { rowsQuery } from "../../api/rows-query";
import { plainText } from "../../format/cells";
import { count } from "../../format/numbers";
import { shownName, sqlName, type TableName } from "../../format/names";
import { Card, Pairs } from "../../parts/card";
import { DataTable } from "../../parts/data-table";
import { Loaded } from "../../parts/loaded";
import { PageHeader } from "../../parts/page-header";
import { Rows } from "../../parts/rows";
import { SqlText } from "../../parts/sql-text";
import { TableLink } from "../../parts/table-link";
import { described } from "./described";
import { Versions } from "./versions";

const route = getRouteApi("/catalog/$workspace/$schema/$object");
const PREVIEW = 100;

export function ObjectView({ name }: { name: TableName }) {
  const kind = useQuery(objectsQuery(name.workspace, name.schema)).data?.find(
    (each) => each.name === name.table,
  )?.kind;
  const { tab = "columns" } = route.useSearch();
  const navigate = useNavigate({ from: route.id });
  return (
    <>
      <PageHeader
        title={name.table}
        above={`${name.workspace}.${name.schema}`}
        beside={<span className="quiet">{kind ?? ""}</span>}
      >
        {kind === "dynamic table" && (
          <Button
            variant="default"
            leftSection={<IconBolt size={14} />}
            renderRoot={(props) => (
              <Link to="/dynamic-tables/$workspace/$schema/$table" params={{ ...name }} {...props} />
            )}
          >
            Refreshes
          </Button>
        )}
      </PageHeader>
      <Tabs value={tab} onChange={(value) => void navigate({ search: { tab: value ?? "columns" } })}>
        <Tabs.List mb="md">
          <Tabs.Tab value="columns">Columns</Tabs.Tab>
          <Tabs.Tab value="rows">Rows</Tabs.Tab>
          <Tabs.Tab value="ddl">DDL</Tabs.Tab>
          {kind !== "view" && <Tabs.Tab value="versions">Versions</Tabs.Tab>}
          <Tabs.Tab value="neighbours">Neighbours</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="columns">
          <Described name={name} />
        </Tabs.Panel>
        <Tabs.Panel value="rows">
          <Preview name={name} />
        </Tabs.Panel>
        <Tabs.Panel value="ddl">
          <Ddl name={name} />
        </Tabs.Panel>
        <Tabs.Panel value="versions">
          <Versions name={name} isDynamic={kind === "dynamic table"} />
        </Tabs.Panel>
        <Tabs.Panel value="neighbours">
          <Neighbours name={name} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function Described({ name }: { name: TableName }) {
  const rows = useQuery(rowsQuery("object", `DESC EXTENDED ${sqlName(name)}`));
  return (
    <Loaded query={rows} what="columns; this may start a cluster">
      {(result) => {
        const { columns, facts } = described(result.rows);
        return (
          <div className="columns-2">
            <Card title={`Columns (${columns.length})`} flush>
              <DataTable
                label="Columns"
                rows={columns}
                rowKey={(column) => column.name}
                columns={[
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
                ]}
              />
            </Card>
            <Card title="Properties">
              <Pairs
                pairs={facts
                  .filter(([item]) => !item.startsWith("view_"))
                  .map(([item, value]) => [item, value])}
              />
            </Card>
          </div>
        );
      }}
    </Loaded>
  );
}

function Preview({ name }: { name: TableName }) {
  const { version } = route.useSearch();
  const at =
    version === undefined ? "" : ` VERSION AS OF ${Number.isNaN(Number(version)) ? "NULL" : version}`;
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

function Ddl({ name }: { name: TableName }) {
  const rows = useQuery(rowsQuery("object", `SHOW CREATE TABLE ${sqlName(name)}`));
  return (
    <Loaded query={rows} what="the statement that creates it">
      {(result) => <SqlText text={plainText(result.rows[0]?.[0])} />}
    </Loaded>
  );
}

function Neighbours({ name }: { name: TableName }) {
  const lineage = useQuery(lineageQuery);
  const own = shownName(name);
  return (
    <Loaded query={lineage} what="lineage">
      {({ nodes, edges }) => {
        const dynamic = new Set(
          nodes.filter((node) => node.kind === "dynamic table").map((node) => node.name),
        );
        const feeders = edges.filter((edge) => edge.to === own).map((edge) => edge.from);
        const readers = edges.filter((edge) => edge.from === own).map((edge) => edge.to);
        return (
          <div className="columns-2">
            <Card title="Fed by">
              <Names
                names={feeders}
                dynamic={dynamic}
                none="Statements write to it; no dynamic table feeds it."
              />
            </Card>
            <Card title="Read by">
              <Names names={readers} dynamic={dynamic} none="No dynamic table reads it." />
            </Card>
          </div>
        );
      }}
    </Loaded>
  );
}

function Names({ names, dynamic, none }: { names: string[]; dynamic: Set<string>; none: string }) {
  if (names.length === 0) return <span className="quiet">{none}</span>;
  return names.map((each) => (
    <div key={each}>
      <TableLink name={each} isDynamic={dynamic.has(each)} short={false} />
    </div>
  ));
}
