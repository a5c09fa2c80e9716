import type { Severity } from "../../flags/mod.ts";
import { Box, Level, Plot, Stretch, Words } from "../component/plot.tsx";
import type { Picture } from "./picture.ts";

const HEIGHT = 132;
/** Headroom for the words of the line, then for the values over the bars. */
const TOP = 34;
const FOOT = 112;

/** Bars on one scale from 0 with the threshold or the expectation across: fluid width, text that keeps its size. */
export function PicturePlot({
  picture,
  severity,
}: {
  readonly picture: Picture;
  readonly severity: Severity;
}) {
  const { bars, line } = picture;
  const most = Math.max(line.value, ...bars.map((bar) => bar.value), 1e-9);
  const y = (value: number) => Math.round((FOOT - (value / most) * (FOOT - TOP)) * 10) / 10;
  const step = 100 / bars.length;
  const width = Math.min(step * 0.6, 18);
  const lineY = y(line.value);
  // A number that the line would run through stands above it.
  const above = (top: number) => (lineY > top - 18 && lineY < top ? lineY : top) - 5;
  return (
    <figure>
      <Plot severity={severity} height={HEIGHT} label={picture.words}>
        <Level class="base" y={FOOT} />
        {bars.map(({ label, value, text, judged }, index) => {
          const middle = step * (index + 0.5);
          const left = middle - width / 2;
          const top = y(value);
          return (
            <>
              {value === 0 ? (
                <Stretch class="zero" from={left} to={middle + width / 2} y={FOOT - 1} />
              ) : (
                <Box
                  class={judged ? "seen" : "pmf"}
                  x={left}
                  width={width}
                  y={top}
                  height={Math.max(1, FOOT - top)}
                  title={`${label}: ${text}`}
                />
              )}
              <Words class="mid" x={middle} y={FOOT + 15}>
                {label}
              </Words>
            </>
          );
        })}
        <Level class="expect" y={lineY} />
        {bars.map(({ value, text }, index) => (
          <Words class="mid strong" x={step * (index + 0.5)} y={above(y(value))}>
            {text}
          </Words>
        ))}
        <line class="expect" x1="0" x2="18" y1="7" y2="7" />
        <text class="strong" x="24" y="11">
          {line.text}
        </text>
      </Plot>
    </figure>
  );
}
