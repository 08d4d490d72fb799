/** VERIFY: the rows of the table compared with those that its query returns. */

import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { IconShieldCheck } from "@tabler/icons-react";
import { useState } from "react";

import { StatementSession, type StatementView } from "../../api/statements";
import { count } from "../../format/numbers";
import { sqlName, type TableName } from "../../format/names";
import { Card, Pairs } from "../../parts/card";
import { ErrorNotice } from "../../parts/error-notice";
import { LoadingText } from "../../parts/loading";
import { waitText } from "../../parts/statement-action";
import { StateText } from "../../parts/state-text";
import { JobLink } from "../../parts/table-link";

const verifying = new StatementSession();

export function Verify({ name }: { name: TableName }) {
  const [view, setView] = useState<StatementView | null>(null);
  const run = useMutation({
    mutationFn: async () => {
      const { columns, rows } = await verifying.run(`VERIFY DYNAMIC TABLE ${sqlName(name)}`, {
        onState: setView,
      });
      return new Map(columns.map((column, index) => [column.name, rows[0]?.[index]]));
    },
  });
  return (
    <Card
      title="Compare with the query"
      actions={
        <Button
          leftSection={<IconShieldCheck size={14} />}
          disabled={run.isPending}
          onClick={() => run.mutate()}
        >
          Verify
        </Button>
      }
    >
      <p className="quiet" style={{ marginTop: 0 }}>
        Runs the query itself at the source versions that the last refresh recorded, and reports rows that are
        missing from the table or should not be in it.
      </p>
      {run.isPending && <LoadingText what={waitText(view)} />}
      {run.error !== null && <ErrorNotice error={run.error} retry={() => run.mutate()} />}
      {run.data !== undefined && <Outcome found={run.data} />}
    </Card>
  );
}

function Outcome({ found }: { found: Map<string, unknown> }) {
  const isExact = found.get("result") === "exact";
  return (
    <Pairs
      pairs={[
        [
          "Result",
          <StateText
            key="result"
            shown={
              isExact
                ? { tone: "good", icon: "check", label: "exact" }
                : { tone: "bad", icon: "cross", label: "different" }
            }
          />,
        ],
        ["Missing rows", count(found.get("missing_rows") as number)],
        ["Extra rows", count(found.get("extra_rows") as number)],
        ["Rows of the table", count(found.get("table_rows") as number)],
        ["Job", <JobLink key="job" job={String(found.get("job_id"))} />],
      ]}
    />
  );
}
