import "uplot/dist/uPlot.min.css";

import { useEffect, useRef } from "react";
import UPlot, { type AlignedData, type Options, type Series } from "uplot";

import { useZone } from "../app/context";
import type { ChartSeries, TimeChartProps } from "./time-chart";

interface PlotProps extends TimeChartProps {
  width: number;
  scheme: string;
}

export default function Plot({ times, series, format, width, height = 180, scheme }: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const zone = useZone();
  useEffect(() => {
    if (host.current === null) return;
    const data: AlignedData = [times, ...series.map((each) => each.values)];
    const plot = new UPlot(options(series, format, zone, width, height), data, host.current);
    return () => plot.destroy();
  }, [times, series, format, zone, width, height, scheme]);
  return <div ref={host} />;
}

function options(
  series: ChartSeries[],
  format: (value: number) => string,
  zone: string,
  width: number,
  height: number,
): Options {
  const quiet = colour("--text-quiet");
  const grid = { stroke: colour("--line"), width: 1 };
  const axis = { stroke: quiet, grid, ticks: { ...grid, size: 4 }, font: "11px Inter Variable, sans-serif" };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false },
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), zone),
    scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] } },
    axes: [
      { ...axis, values: TIME_LABELS },
      { ...axis, size: 62, values: (_, splits) => splits.map(format) },
    ],
    series: [{}, ...series.map(seriesOptions)],
  };
}

const TIME_LABELS: UPlot.Axis.Values = [
  [86400, "{YYYY}-{MM}-{DD}", null, null, null, null, null, null, 1],
  [3600, "{HH}:{mm}", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}", null, null, null, 1],
  [60, "{HH}:{mm}", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}", null, null, null, 1],
  [1, "{HH}:{mm}:{ss}", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}", null, null, null, 1],
];

function seriesOptions(series: ChartSeries): Series {
  const stroke = colour(series.color);
  const points = { show: true, size: series.size ?? 5, fill: stroke, stroke };
  switch (series.kind) {
    case "points":
      return { label: series.label, stroke, paths: () => null, points };
    case "bars":
      return {
        label: series.label,
        stroke,
        fill: stroke,
        paths: UPlot.paths.bars?.({ size: [0.6, 40] }),
        points: { show: false },
      };
    case "area":
      return { label: series.label, stroke, fill: `${stroke}33`, width: 1.5, spanGaps: true };
    case "line":
      return { label: series.label, stroke, width: 1.5, spanGaps: true };
  }
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
