import { useElementSize } from "@mantine/hooks";

import { shortCount } from "../../format/numbers";
import { ticks, type ChartData, type DrawnSeries } from "./chart-data";

const COLORS = [
  "var(--mode-incremental)",
  "var(--mode-full)",
  "var(--info)",
  "var(--good)",
  "var(--warn)",
  "var(--bad)",
];
const HEIGHT = 250;
const LEFT = 58;
const BOTTOM = 26;
const TOP = 10;
const LABELS = 8;

/** Lines, bars, areas, points, or one figure. */
export function SvgChart({ data }: { data: ChartData }) {
  const { ref, width } = useElementSize();
  if (data.kind === "VALUE") return <SingleValue data={data} />;
  if (data.series.length === 0) return <div className="quiet">Choose a column with numbers.</div>;
  return (
    <figure ref={ref} style={{ margin: 0 }}>
      <figcaption className="quiet" style={{ display: "flex", gap: 14 }}>
        {data.series.map((series, index) => (
          <span key={series.name} className="state" style={{ fontWeight: 500 }}>
            <span className="swatch" style={{ background: colour(index) }} />
            {series.name}
          </span>
        ))}
      </figcaption>
      {width > 0 && <Drawing data={data} width={width} />}
    </figure>
  );
}

function SingleValue({ data }: { data: ChartData }) {
  const [first] = data.series;
  const value = first?.values.at(-1) ?? null;
  return (
    <div>
      <div style={{ fontSize: "2.5rem", fontWeight: 650 }} className="number">
        {value === null ? "–" : value.toLocaleString("en-US")}
      </div>
      <div className="quiet">{first?.name ?? "Choose a column with numbers."}</div>
    </div>
  );
}

function Drawing({ data, width }: { data: ChartData; width: number }) {
  const values = data.series.flatMap((series) => series.values.filter((value) => value !== null));
  const least = Math.min(0, ...values);
  const most = Math.max(0, ...values) || 1;
  const first = data.isCategorical ? -0.5 : Math.min(...data.positions);
  const last = data.isCategorical ? data.positions.length - 0.5 : Math.max(...data.positions);
  const x = (position: number): number =>
    LEFT + ((width - LEFT - 8) * (position - first)) / (last - first || 1);
  const y = (value: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - least) / (most - least));
  const every = Math.max(1, Math.ceil(data.labels.length / LABELS));
  return (
    <svg
      width={width}
      height={HEIGHT}
      role="img"
      aria-label={data.series.map((series) => series.name).join(", ")}
    >
      {ticks(least, most).map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={width - 8} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
          <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end" fontSize={11} fill="var(--text-quiet)">
            {shortCount(tick)}
          </text>
        </g>
      ))}
      {data.labels.map((label, index) =>
        index % every === 0 ? (
          <text
            key={index}
            x={x(data.positions[index] ?? 0)}
            y={HEIGHT - 8}
            textAnchor="middle"
            fontSize={11}
            fill="var(--text-quiet)"
          >
            {label.length > 18 ? `${label.slice(0, 17)}…` : label}
          </text>
        ) : null,
      )}
      {data.series.map((series, index) => (
        <Series key={series.name} series={series} index={index} data={data} x={x} y={y} width={width} />
      ))}
    </svg>
  );
}

interface SeriesProps {
  series: DrawnSeries;
  index: number;
  data: ChartData;
  x: (position: number) => number;
  y: (value: number) => number;
  width: number;
}

function Series({ series, index, data, x, y, width }: SeriesProps) {
  const color = colour(index);
  const points = series.values.flatMap((value, place) =>
    value === null
      ? []
      : [{ x: x(data.positions[place] ?? 0), y: y(value), label: data.labels[place] ?? "", value }],
  );
  if (data.kind === "BAR") {
    const room = (0.8 * (width - LEFT - 8)) / Math.max(1, data.positions.length);
    const size = room / data.series.length;
    return points.map((point, place) => (
      <rect
        key={place}
        x={point.x - room / 2 + index * size}
        y={Math.min(point.y, y(0))}
        width={Math.max(1, size - 1)}
        height={Math.abs(point.y - y(0))}
        fill={color}
        rx={1}
      >
        <title>{`${point.label}: ${point.value}`}</title>
      </rect>
    ));
  }
  const line = points.map((point, place) => `${place === 0 ? "M" : "L"}${point.x} ${point.y}`).join("");
  const [start] = points;
  const end = points.at(-1);
  return (
    <>
      {data.kind === "AREA" && start !== undefined && end !== undefined && (
        <path d={`${line}L${end.x} ${y(0)}L${start.x} ${y(0)}Z`} fill={color} opacity={0.2} />
      )}
      {data.kind !== "SCATTER" && <path d={line} fill="none" stroke={color} strokeWidth={1.8} />}
      {(data.kind === "SCATTER" || points.length < 60) &&
        points.map((point, place) => (
          <circle key={place} cx={point.x} cy={point.y} r={3} fill={color}>
            <title>{`${point.label}: ${point.value}`}</title>
          </circle>
        ))}
    </>
  );
}

function colour(index: number): string {
  return COLORS[index % COLORS.length] ?? "var(--text)";
}
