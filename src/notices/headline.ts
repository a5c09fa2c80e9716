/** The news of a flag in a few words, how much and against what: made of the inputs that its rule used. Pure. */
import { type ChainedFlag, titleOf } from "../flags/mod.ts";
import { capital } from "../lib/capital.ts";
import { dayTextAt } from "../lib/day_text.ts";
import { countText, expectedText } from "../lib/number_text.ts";
import { daysBetween, parseUtcDay } from "../lib/utc_day.ts";
import { LASTING_RULES, STALE_INGEST, sourceName } from "../rules/mod.ts";

/** "Bookings down 74%" and " (29 on 22 Nov, normally about 112), since 20 Nov". */
export interface Headline {
  readonly news: string;
  readonly detail: string;
}

type Told = Pick<ChainedFlag, "rule" | "source" | "metric" | "subject" | "message" | "rule_inputs">;
type Inputs = Readonly<Record<string, unknown>>;

/** What a flag says. Where its inputs say no figures, it is the flag's own message. */
export function headlineOf(flag: Told, now: number): Headline {
  const inputs = flag.rule_inputs ?? {};
  const isLasting = LASTING_RULES.some((rule) => rule === flag.rule);
  const level = isLasting ? inputs : objectIn(inputs["moved"]);
  const figures = level === undefined ? countFigures(flag, inputs, now) : levelFigures(flag, level, now);
  return figures ?? { news: messageOf(flag, now), detail: "" };
}

/** "Bookings as expected again", "Nightly reports come again"; of other flags what no longer holds. */
export function endedWords(flag: Told, now: number): string {
  if (flag.rule === STALE_INGEST) return "Nightly reports come again";
  const isSeries = typeof flag.rule_inputs?.["expected"] === "number";
  return isSeries ? `${metricName(flag)} as expected again` : `No longer: ${messageOf(flag, now)}`;
}

function messageOf(flag: Told, now: number): string {
  const text = titleOf(flag, now);
  const site = `${flag.subject}: `;
  return capital(flag.rule === STALE_INGEST && text.startsWith(site) ? text.slice(site.length) : text);
}

const objectIn = (value: unknown): Inputs | undefined =>
  typeof value === "object" && value !== null ? (value as Inputs) : undefined;
const dayIn = (value: unknown) => (typeof value === "string" ? parseUtcDay(value) : undefined);

function countFigures(flag: Told, inputs: Inputs, now: number): Headline | undefined {
  const observed = objectIn(inputs["observed"]) ?? {};
  const { count } = observed;
  const { expected, omitted_days } = inputs;
  const [from, to, since] = [dayIn(observed["from"]), dayIn(observed["to"]), dayIn(inputs["since"])];
  if (typeof count !== "number" || typeof expected !== "number") return undefined;
  // A day that was left out is not a 0 that somebody counted.
  if (from === undefined || to === undefined || expected <= 0 || (count === 0 && omitted_days !== undefined))
    return undefined;
  const days = daysBetween(from, to) + 1;
  const when = `${days === 1 ? "on" : `in the ${days} days to`} ${dayTextAt(to, now)}`;
  const lasts = since === undefined || since === to ? "" : `, since ${dayTextAt(since, now)}`;
  return {
    news: `${metricName(flag)} ${changeWords(count, expected)}`,
    detail: ` (${countText(count)} ${when}, normally about ${expectedText(expected)})${lasts}`,
  };
}

/** Where a level moved, the mean of the days before says nothing. */
function levelFigures(flag: Told, { level, level_before, since, year_ago }: Inputs, now: number) {
  const day = dayIn(since);
  if (typeof level !== "number" || typeof level_before !== "number") return undefined;
  if (level_before <= 0 || day === undefined) return undefined;
  return {
    news: `${metricName(flag)} ${changeWords(level, level_before)} since ${dayTextAt(day, now)}`,
    detail: ` (about ${expectedText(level)} a day, before about ${expectedText(level_before)})${year_ago === null ? "; may be a season" : ""}`,
  };
}

function changeWords(count: number, expected: number): string {
  if (count === 0) return "down to 0";
  const ratio = count / expected;
  if (ratio >= 2) return `${countText(Math.round(ratio * 10) / 10)} times usual`;
  const percent = Math.round(Math.abs(ratio - 1) * 100);
  return `${ratio < 1 ? "down" : "up"} ${percent === 0 ? "less than 1" : percent}%`;
}

/** "Bookings", "Search console clicks"; a name that is no plain word stays as it was sent. */
function metricName({ metric, subject, source }: Told): string {
  const name = (metric ?? subject).replaceAll("_", " ");
  const of = sourceName(source);
  if (of !== undefined) return `${capital(of)} ${name}`;
  return /^[a-z ]+$/.test(name) ? capital(name) : name;
}
