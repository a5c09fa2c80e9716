import type { Severity } from "../../flags/mod.ts";
import type { Picture } from "./picture.ts";

const HEIGHT = 132;
/** Headroom for the words of the line, then for the values over the bars. */
const TOP = 34;
const FOOT = 112;

const percent = (value: number): string => `${Math.round(value * 100) / 100}%`;

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
  return (
    <figure>
      <svg class="plot" data-sev={severity} height={HEIGHT} role="img" aria-label={picture.words}>
        <line class="base" x1="0" x2="100%" y1={FOOT} y2={FOOT} />
        {bars.map((bar, index) => {
          const middle = step * (index + 0.5);
          const top = y(bar.value);
          return (
            <>
              {bar.value === 0 ? (
                <line
                  class="zero"
                  x1={percent(middle - width / 2)}
                  x2={percent(middle + width / 2)}
                  y1={FOOT - 1}
                  y2={FOOT - 1}
                />
              ) : (
                <rect
                  class={bar.judged ? "seen" : "pmf"}
                  x={percent(middle - width / 2)}
                  width={percent(width)}
                  y={top}
                  height={Math.max(1, FOOT - top)}
                >
                  <title>{`${bar.label}: ${bar.text}`}</title>
                </rect>
              )}
              <text class="mid" x={percent(middle)} y={FOOT + 15}>
                {bar.label}
              </text>
            </>
          );
        })}
        <line class="expect" x1="0" x2="100%" y1={lineY} y2={lineY} />
        {bars.map((bar, index) => (
          <text class="mid strong" x={percent(step * (index + 0.5))} y={y(bar.value) - 5}>
            {bar.text}
          </text>
        ))}
        <line class="expect" x1="0" x2="18" y1="7" y2="7" />
        <text class="strong" x="24" y="11">
          {line.text}
        </text>
      </svg>
    </figure>
  );
}
