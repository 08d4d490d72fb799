/** A result as a chart; how it is drawn is remembered with the file. */

import { Group, MultiSelect, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import type { Chart, FileSettings } from "../../api/files";
import { rowsOf } from "../../api/statements";
import { count as countText } from "../../format/numbers";
import { Loaded } from "../../parts/loaded";
import { drawn, defaultChart, numericColumns } from "./chart-data";
import { SvgChart } from "./svg-chart";

const MOST_ROWS = 2000;
const KINDS: { value: Chart["kind"]; label: string }[] = [
  { value: "LINE", label: "Line" },
  { value: "BAR", label: "Bars" },
  { value: "AREA", label: "Area" },
  { value: "SCATTER", label: "Scatter" },
  { value: "VALUE", label: "Single value" },
];

interface ResultChartProps {
  job: string;
  count: number;
  chart: FileSettings["chart"];
  setChart: (chart: FileSettings["chart"]) => void;
}

export default function ResultChart({ job, count, chart, setChart }: ResultChartProps) {
  const rows = useQuery({
    queryKey: ["result", job, "chart"],
    queryFn: () => rowsOf(job, 0, MOST_ROWS),
    staleTime: Infinity,
  });
  return (
    <Loaded query={rows} what="rows">
      {(result) => {
        const current = chart ?? defaultChart(result);
        const set = (part: Partial<Chart>): void => setChart({ ...current, ...part });
        const names = result.columns.map((column) => column.name);
        return (
          <div style={{ padding: "0 14px 14px" }}>
            <Group gap="xs" mb="sm">
              <Select
                aria-label="Kind of chart"
                w={120}
                data={KINDS}
                value={current.kind}
                onChange={(value) => set({ kind: value ?? "LINE" })}
              />
              {current.kind !== "VALUE" && (
                <Select
                  aria-label="Horizontal axis"
                  w={170}
                  data={names}
                  value={current.x}
                  placeholder="horizontal axis"
                  onChange={(value) => set({ x: value })}
                />
              )}
              <MultiSelect
                aria-label="Values"
                size="xs"
                miw={200}
                data={numericColumns(result)}
                value={current.y}
                onChange={(y) => set({ y })}
              />
              {current.kind !== "VALUE" && (
                <Select
                  aria-label="A series for each"
                  w={170}
                  data={names.filter((name) => name !== current.x && !current.y.includes(name))}
                  value={current.group_by}
                  placeholder="a series for each"
                  clearable
                  onChange={(value) => set({ group_by: value })}
                />
              )}
              {count > MOST_ROWS && <span className="quiet">the first {countText(MOST_ROWS)} rows</span>}
            </Group>
            <ChartOf result={result} chart={current} />
          </div>
        );
      }}
    </Loaded>
  );
}

function ChartOf({ result, chart }: { result: Parameters<typeof drawn>[0]; chart: Chart }) {
  const data = useMemo(() => drawn(result, chart), [result, chart]);
  return <SvgChart data={data} />;
}
