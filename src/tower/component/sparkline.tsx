import { type ChartPoint, extentOf, heightOf, linePath, lonePoints, placeOf } from "./chart_scale.ts";

const WIDTH = 112;
const HEIGHT = 22;

/** A figure over time, small, on a scale of its own. Nothing when no report of the days measured it. */
export function Sparkline({
  points,
  label,
}: {
  readonly points: readonly ChartPoint[];
  readonly label: string;
}) {
  const extent = extentOf(points);
  const first = points[0];
  const last = points.at(-1);
  if (extent === undefined || first === undefined || last === undefined) return null;
  const place = placeOf({ from: first.date, to: last.date });
  const x = (day: ChartPoint["date"]): number => (place(day) * WIDTH) / 100;
  const y = heightOf(extent, 2, HEIGHT - 2);
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <path class="l" d={linePath(points, x, y)} />
      {lonePoints(points).map((point) => (
        <circle class="d" cx={x(point.date).toFixed(2)} cy={y(point.value ?? 0)} r="1.5" />
      ))}
    </svg>
  );
}
