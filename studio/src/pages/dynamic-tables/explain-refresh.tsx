/** EXPLAIN REFRESH: what the next refresh would do, drawn as a tree. */

import { Button, SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconRefresh } from "@tabler/icons-react";
import { useState } from "react";

import { answered, api, type Schemas } from "../../api/client";
import { pageSession } from "../../api/statements";
import { sqlName, type TableName } from "../../format/names";
import { Card, Pairs } from "../../parts/card";
import { capital, ErrorNotice } from "../../parts/error-notice";
import { LoadingText } from "../../parts/loading";
import { PlanTree } from "../../parts/plan-tree";
import { SqlText } from "../../parts/sql-text";
import { ModeText } from "../../parts/state-text";

type Explained = Schemas["Explained"];

async function explain(statement: string): Promise<Explained> {
  const { job_id } = await pageSession.execute(statement);
  return await answered(api.GET("/api/v1/statements/{job_id}/explained", { params: { path: { job_id } } }));
}

export function ExplainRefresh({ name }: { name: TableName }) {
  const [kind, setKind] = useState("next");
  const statement = `EXPLAIN REFRESH DYNAMIC TABLE ${sqlName(name)}${kind === "full" ? " FULL" : ""}`;
  const query = useQuery({
    queryKey: ["explain", statement],
    queryFn: () => explain(statement),
    staleTime: 60_000,
  });
  return (
    <div className="stack">
      <div style={{ display: "flex", gap: 10, alignItems: "center" }}>
        <SegmentedControl
          size="xs"
          value={kind}
          onChange={setKind}
          data={[
            { value: "next", label: "Next refresh" },
            { value: "full", label: "A FULL refresh" },
          ]}
        />
        <Button
          variant="default"
          leftSection={<IconRefresh size={14} />}
          onClick={() => void query.refetch()}
        >
          Explain again
        </Button>
        {query.isFetching && <LoadingText what="Planning the refresh; this may start a cluster" />}
      </div>
      {query.error !== null && <ErrorNotice error={query.error} retry={() => void query.refetch()} />}
      {query.data !== undefined && <ExplainedView plan={query.data} />}
    </div>
  );
}

export function ExplainedView({ plan }: { plan: Explained }) {
  return (
    <>
      <div className="columns-2">
        <Card title="Decision">
          <Pairs
            pairs={[
              ["Mode", <ModeText key="mode" mode={plan.mode as Schemas["RefreshMode"]} />],
              ["Reason", capital(plan.reason ?? "–")],
              ...plan.facts.map(({ item, detail }): [string, string] => [capital(item), detail ?? "–"]),
            ]}
          />
        </Card>
        <Card title="Change of the query, operator by operator">
          {plan.plan.nodes.length === 0 ? (
            <span className="quiet">
              {plan.mode === "NO_DATA" ? "Nothing changes." : "All rows are computed."}
            </span>
          ) : (
            <PlanTree label="Change of the query" plan={plan.plan} />
          )}
        </Card>
      </div>
      {plan.stages.length > 0 && (
        <Card title="Stages, in the order in which they run">
          <div className="stack">
            {plan.stages.map((stage) => (
              <div key={stage.number}>
                <div style={{ fontWeight: 600, marginBottom: 4 }}>
                  {stage.number}. {capital(stage.kind)}:{" "}
                  <span style={{ fontWeight: 400 }}>{stage.detail}</span>
                </div>
                {stage.otherwise.map((text) => (
                  <div key={text} className="quiet">
                    Otherwise: {text}
                  </div>
                ))}
                {stage.sql !== "" && <SqlText text={stage.sql} maxHeight={320} />}
              </div>
            ))}
          </div>
        </Card>
      )}
    </>
  );
}
