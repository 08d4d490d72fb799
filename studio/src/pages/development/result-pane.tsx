/** Results of the statements that ran: rows, notices, errors, a chart. */

import { Button, Group, SegmentedControl, Tabs } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconCopy } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";

import type { FileSettings } from "../../api/files";
import { rowsOf } from "../../api/statements";
import { useProgress } from "../../app/context";
import { plainText } from "../../format/cells";
import { counted } from "../../format/durations";
import { count } from "../../format/numbers";
import { capital, ErrorNotice } from "../../parts/error-notice";
import { LoadingText } from "../../parts/loading";
import { waitText } from "../../parts/statement-action";
import { StateText } from "../../parts/state-text";
import { JobLink } from "../../parts/table-link";
import { PagedRows } from "./paged-rows";
import type { RunResult, ScriptRun } from "./script-run";
import { title } from "./statements";

const ResultChart = lazy(() => import("./result-chart"));
const MOST_COPIED = 10_000;
const FORMATS = ["csv", "parquet"] as const;

interface ResultPaneProps {
  run: ScriptRun;
  chart: FileSettings["chart"];
  setChart: (chart: FileSettings["chart"]) => void;
}

export function ResultPane({ run, chart, setChart }: ResultPaneProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const last = run.results.at(-1);
  const value = run.results.some((each) => String(each.number) === chosen)
    ? chosen
    : String(last?.number ?? "");
  return (
    <section className="dev-results" aria-label="Results" tabIndex={0}>
      <Tabs value={value} onChange={setChosen}>
        <Tabs.List>
          {run.results.map((result, index) => (
            <Tabs.Tab key={result.number} value={String(result.number)}>
              <StateText shown={shownOutcome(result, index + 1)} />
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {run.results.map((result) => (
          <Tabs.Panel key={result.number} value={String(result.number)}>
            <OneResult result={result} chart={chart} setChart={setChart} />
          </Tabs.Panel>
        ))}
      </Tabs>
      {run.results.length === 0 && (
        <div className="card-body">
          <LoadingText what={run.preparation === null ? "Submitting" : waitText(run.preparation)} />
        </div>
      )}
    </section>
  );
}

function shownOutcome(result: RunResult, number: number) {
  const label = `${number}. ${title(result.piece)}`;
  if (result.error !== null) return { tone: "bad" as const, icon: "cross" as const, label };
  return result.view?.ended === true
    ? { tone: "good" as const, icon: "check" as const, label }
    : { tone: "info" as const, icon: "running" as const, label };
}

interface OneResultProps {
  result: RunResult;
  chart: FileSettings["chart"];
  setChart: (chart: FileSettings["chart"]) => void;
}

function OneResult({ result, chart, setChart }: OneResultProps) {
  const { view, error } = result;
  const progress = useProgress(view?.job_id ?? null);
  const [shape, setShape] = useState<string>(chart === null ? "rows" : "chart");
  if (error !== null) {
    return (
      <div className="card-body">
        <ErrorNotice error={error} />
      </div>
    );
  }
  if (view?.ended !== true) {
    return (
      <div className="card-body">
        <LoadingText what={progress ?? waitText(view)} />
      </div>
    );
  }
  const rows = view.row_count ?? 0;
  return (
    <>
      <Group gap="sm" px={14} py={8}>
        <span className="quiet">
          {view.types.length === 0 ? "Done" : counted(rows, "row")} · <JobLink job={view.job_id} short />
        </span>
        {view.notices.map((notice) => (
          <span key={notice}>{capital(notice)}</span>
        ))}
        {rows > 0 && (
          <Group gap={6} ml="auto">
            <SegmentedControl
              size="xs"
              value={shape}
              onChange={setShape}
              data={[
                { value: "rows", label: "Rows" },
                { value: "chart", label: "Chart" },
              ]}
            />
            <Button
              variant="default"
              leftSection={<IconCopy size={13} />}
              onClick={() => void copy(view.job_id, rows)}
            >
              Copy
            </Button>
            {FORMATS.map((format) => (
              <Button
                key={format}
                variant="default"
                component="a"
                href={`/api/v1/statements/${encodeURIComponent(view.job_id)}/download?format=${format}`}
                download
              >
                {format === "csv" ? "CSV" : "Parquet"}
              </Button>
            ))}
          </Group>
        )}
      </Group>
      {rows > 0 &&
        (shape === "rows" ? (
          <PagedRows job={view.job_id} count={rows} />
        ) : (
          <Suspense fallback={<LoadingText what="Loading the chart" />}>
            <ResultChart job={view.job_id} count={rows} chart={chart} setChart={setChart} />
          </Suspense>
        ))}
    </>
  );
}

/** As a table that spreadsheets accept. */
async function copy(job: string, rows: number): Promise<void> {
  const result = await rowsOf(job, 0, Math.min(rows, MOST_COPIED));
  const lines = [
    result.columns.map((column) => column.name),
    ...result.rows.map((row) => row.map(plainText)),
  ];
  await navigator.clipboard.writeText(lines.map((line) => line.join("\t")).join("\n"));
  notifications.show({ message: `${count(result.rows.length)} rows were copied.` });
}
