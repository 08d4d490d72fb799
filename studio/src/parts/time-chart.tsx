/** Values over time. uPlot is loaded when a chart is first shown. */

import { useComputedColorScheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { lazy, Suspense } from "react";

import { LoadingText } from "./loading";

const Plot = lazy(() => import("./plot"));

export interface ChartSeries {
  label: string;
  /** The name of a CSS variable. */
  color: string;
  values: (number | null)[];
  kind: "points" | "line" | "bars" | "area";
  size?: number;
}

export interface TimeChartProps {
  label: string;
  /** Seconds since 1970, ascending. */
  times: number[];
  series: ChartSeries[];
  format: (value: number) => string;
  height?: number;
}

export function TimeChart(props: TimeChartProps) {
  const { ref, width } = useElementSize();
  const scheme = useComputedColorScheme();
  return (
    <figure ref={ref} style={{ margin: 0, minHeight: props.height ?? 180 }} aria-label={props.label}>
      <Legend series={props.series} />
      <Suspense fallback={<LoadingText what="Loading the chart" />}>
        {width > 0 && <Plot {...props} width={width} scheme={scheme} />}
      </Suspense>
    </figure>
  );
}

function Legend({ series }: { series: ChartSeries[] }) {
  return (
    <figcaption style={{ display: "flex", gap: 14, fontSize: "0.75rem" }} className="quiet">
      {series.map((each) => (
        <span key={each.label} className="state" style={{ fontWeight: 500 }}>
          <span className="swatch" style={{ background: `var(${each.color})` }} />
          {each.label}
        </span>
      ))}
    </figcaption>
  );
}
