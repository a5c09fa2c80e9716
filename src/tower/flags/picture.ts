/** What the small picture of a test shows: the values a rule compared and the line it compared them with. */
import type { FlagRow } from "../../flags/mod.ts";
import { parseUtcDay } from "../../lib/utc_day.ts";
import { formatDay, formatDecimal, formatPercent, formatRatio } from "../format.ts";

/** One value; the one that was judged is drawn in the flag's colour. */
export interface PictureBar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
  readonly judged: boolean;
}

/** Values side by side on one scale from 0, with the line of the threshold or the expectation. */
export interface Picture {
  readonly words: string;
  readonly bars: readonly PictureBar[];
  readonly line: { readonly value: number; readonly text: string };
}

type Inputs = Readonly<Record<string, unknown>>;

/** The picture of a flag; undefined where its inputs hold nothing to draw. */
export function pictureOf(flag: Pick<FlagRow, "rule" | "rule_inputs">, now: number): Picture | undefined {
  const inputs = flag.rule_inputs;
  if (inputs === null) return undefined;
  switch (flag.rule) {
    case "flow-drop":
    case "flow-rise":
    case "percent-drop":
      return windows(inputs, now);
    case "codebase-growth":
      return growth(inputs);
    case "codebase-complexity":
      return complexity(inputs);
    case "codebase-duplication":
      return level(inputs, inputs["duplication_percent"], "duplication_percent", formatPercent);
    case "codebase-unused":
      return level(
        inputs,
        sum(inputs["unused_files"], inputs["unused_dependencies"]),
        "unused_items",
        formatDecimal,
      );
    case "codebase-vulnerabilities":
      return level(inputs, inputs["vulnerable_dependencies"], "vulnerable", formatDecimal);
    default:
      return undefined;
  }
}

interface Window {
  readonly to: string;
  readonly count: number;
}

function asWindow(value: unknown): Window | undefined {
  const window = asObject(value);
  const { to, count } = window ?? {};
  return typeof to === "string" && isNumber(count) ? { to, count } : undefined;
}

/** The four earlier windows, oldest first, and the observed one. */
function windows(inputs: Inputs, now: number): Picture | undefined {
  const observed = asWindow(inputs["observed"]);
  const cohort = Array.isArray(inputs["cohort"]) ? inputs["cohort"].map(asWindow) : [];
  const { expected } = inputs;
  if (observed === undefined || !isNumber(expected)) return undefined;
  const bar = (window: Window, judged: boolean): PictureBar => {
    const day = parseUtcDay(window.to);
    const label = day === undefined ? window.to : `to ${formatDay(day, now)}`;
    return { label, value: window.count, text: formatDecimal(window.count), judged };
  };
  const earlier = cohort.flatMap((window) => (window === undefined ? [] : [bar(window, false)])).reverse();
  const bars = [...earlier, bar(observed, true)];
  return {
    words: `Four earlier windows held ${earlier.map(({ text }) => text).join(", ")}. The one judged held ${formatDecimal(observed.count)}.`,
    bars,
    line: { value: expected, text: `expected ${formatRatio(expected)}` },
  };
}

function growth(inputs: Inputs): Picture | undefined {
  const thresholds = asObject(inputs["thresholds"]) ?? {};
  const { code_lines: after, code_lines_before: before } = inputs;
  const { growth_percent: percent, growth_lines: lines } = thresholds;
  if (!isNumber(after) || !isNumber(before) || !isNumber(percent) || !isNumber(lines)) return undefined;
  return beforeAfter(before, after, Math.max(before * (1 + percent / 100), before + lines));
}

function complexity(inputs: Inputs): Picture | undefined {
  const { complex_functions: after, complex_functions_before: before } = inputs;
  const more = asObject(inputs["thresholds"])?.["complex_functions"];
  if (!isNumber(after) || !isNumber(before) || !isNumber(more)) return undefined;
  return beforeAfter(before, after, before + more);
}

function beforeAfter(before: number, after: number, fires: number): Picture {
  return {
    words: `Before ${formatDecimal(before)}, now ${formatDecimal(after)}; the rule fires at ${formatDecimal(fires)}.`,
    bars: [
      { label: "a month before", value: before, text: formatDecimal(before), judged: false },
      { label: "latest", value: after, text: formatDecimal(after), judged: true },
    ],
    line: { value: fires, text: `fires at ${formatDecimal(fires)}` },
  };
}

function level(
  inputs: Inputs,
  value: unknown,
  threshold: string,
  format: (value: number) => string,
): Picture | undefined {
  const fires = asObject(inputs["thresholds"])?.[threshold];
  if (!isNumber(value) || !isNumber(fires)) return undefined;
  return {
    words: `${format(value)} in the latest report; the rule fires at ${format(fires)}.`,
    bars: [{ label: "latest", value, text: format(value), judged: true }],
    line: { value: fires, text: `fires at ${format(fires)}` },
  };
}

function sum(a: unknown, b: unknown): number | undefined {
  const measured = [a, b].filter(isNumber);
  return measured.length === 0 ? undefined : measured.reduce((total, value) => total + value, 0);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function asObject(value: unknown): Inputs | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Inputs) : undefined;
}
