/** The figure of a flag on code: the values a rule compared and the line it compared them with. */

import type { FlagRow, Severity } from "../../flags/flags.ts";
import { type Drawn, ruleOf } from "../../sites/rule_catalogue.ts";
import { formatDecimal, formatPercent } from "../format.ts";
import { Box, Level, Plot, Stretch, Words } from "../kit/plot.tsx";

/** One value; the one that was judged is drawn in the flag's colour. */
interface PictureBar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
  readonly judged: boolean;
}

/** Values side by side on one scale from 0, with the line of the threshold. */
export interface Picture {
  readonly words: string;
  readonly bars: readonly PictureBar[];
  readonly line: { readonly value: number; readonly text: string };
}

type Inputs = Readonly<Record<string, unknown>>;

/** The picture of a flag; undefined where its inputs hold nothing to draw. */
export function pictureOf({
  rule,
  rule_inputs: inputs,
}: Pick<FlagRow, "rule" | "rule_inputs">): Picture | undefined {
  const { drawn, reads } = ruleOf(rule) ?? {};
  if (inputs === null || drawn === undefined) return undefined;
  const thresholds = numbersAt(asObject(inputs["thresholds"]), reads?.keys ?? []);
  if (thresholds === undefined) return undefined;
  if (drawn.as === "month") return month(inputs, drawn.measure, thresholds);
  return level(inputs, drawn, thresholds);
}

/** The values at some keys; undefined where one of them is no number that can be drawn. */
function numbersAt(
  holder: Inputs | undefined,
  keys: readonly string[],
): [key: string, value: number][] | undefined {
  const found = keys.flatMap((key): [string, number][] => {
    const value = holder?.[key];
    return isNumber(value) ? [[key, value]] : [];
  });
  return found.length === keys.length ? found : undefined;
}

/** A measure a month before and now: it fires where every threshold is reached, those in percent of what was before. */
function month(
  inputs: Inputs,
  measure: string,
  thresholds: readonly (readonly [key: string, value: number])[],
): Picture | undefined {
  const [after, before] = [inputs[measure], inputs[`${measure}_before`]];
  if (!isNumber(after) || !isNumber(before)) return undefined;
  const fires = thresholds.map(([key, value]) =>
    key.endsWith("_percent") ? before * (1 + value / 100) : before + value,
  );
  return beforeAfter(before, after, Math.max(...fires));
}

function beforeAfter(before: number, after: number, fires: number): Picture {
  return {
    words: `Before ${formatDecimal(before)}, now ${formatDecimal(after)}; flagged from ${formatDecimal(fires)}.`,
    bars: [
      { label: "a month before", value: before, text: formatDecimal(before), judged: false },
      { label: "latest", value: after, text: formatDecimal(after), judged: true },
    ],
    line: { value: fires, text: `flagged from ${formatDecimal(fires)}` },
  };
}

/** The sum of what the latest report measured of some measures. */
function level(
  inputs: Inputs,
  { measures, unit }: Extract<Drawn, { as: "level" }>,
  thresholds: readonly (readonly [key: string, value: number])[],
): Picture | undefined {
  const measured = measures.map((measure) => inputs[measure]).filter(isNumber);
  const [fires] = thresholds.map(([, value]) => value);
  if (measured.length === 0 || fires === undefined) return undefined;
  const value = measured.reduce((total, one) => total + one, 0);
  const format = unit === "percent" ? formatPercent : formatDecimal;
  return {
    words: `${format(value)} in the latest report; flagged from ${format(fires)}.`,
    bars: [{ label: "latest", value, text: format(value), judged: true }],
    line: { value: fires, text: `flagged from ${format(fires)}` },
  };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function asObject(value: unknown): Inputs | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Inputs) : undefined;
}

const HEIGHT = 132;
/** Headroom for the words of the line, then for the values over the bars. */
const TOP = 34;
const FOOT = 112;

/** Bars on one scale from 0 with the threshold across: fluid width, text that keeps its size. */
export function PicturePlot({ picture, severity }: { picture: Picture; severity: Severity }) {
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
