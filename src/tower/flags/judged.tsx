/** How something was judged: in sentences, then the rule with its inputs. A flag shows it, and the page of a metric of its newest day. */

import { capital, countText, countWords, expectedText, percentText } from "../../base/text.ts";
import {
  daysBetween,
  dayTextAt,
  momentText,
  parseInstant,
  parseUtcDay,
  type UtcDay,
} from "../../base/time.ts";
import type { FlagRow, RuleInputs } from "../../flags/flags.ts";
import { logAdvice } from "../../integrations/machine_watch.ts";
import { probabilityText, weekdayText } from "../../rules/verdict.ts";
import { ruleOf } from "../../sites/rule_catalogue.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { here } from "../kit/here.ts";
import { Block } from "../kit/list.tsx";
import { type Fact, Facts, inputFacts, markTerms, secondFacts } from "../kit/proof.tsx";

export function JudgedProof(props: {
  readonly sentences: readonly string[];
  readonly rule: Child;
  readonly inputs: RuleInputs | null;
  /** What the rule is about. */
  readonly about?: readonly Fact[];
  readonly note?: string | undefined;
}) {
  const { sentences, inputs, about = [] } = props;
  const { now } = here();
  const second = inputs === null ? [] : secondFacts(inputs, now);
  return (
    <>
      {sentences.length === 0 ? null : (
        <div class="stack tight">
          {markTerms(sentences).map((sentence) => (
            <p>{sentence}</p>
          ))}
        </div>
      )}
      <div class="halves quarters">
        <Block heading="Rule and inputs" note={props.note}>
          <Facts
            facts={[["Rule", props.rule], ...about, ...(inputs === null ? [] : inputFacts(inputs, now))]}
            marked
          />
        </Block>
        {second.length === 0 ? null : (
          <Block heading="Second condition" note="can only clear the flag, never raise it">
            <Facts facts={second} marked />
          </Block>
        )}
      </div>
    </>
  );
}

// How a flag was judged, in plain sentences made of its inputs: what was seen, what it was held against, and by which measure. Pure.

class Inputs {
  readonly #inputs: RuleInputs;
  readonly #now: number;

  constructor(inputs: RuleInputs, now: number) {
    this.#inputs = inputs;
    this.#now = now;
  }

  number(name: string): number | undefined {
    const value = this.#inputs[name];
    return typeof value === "number" && Number.isFinite(value) ? value : undefined;
  }

  isTrue(name: string): boolean {
    return this.#inputs[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.#inputs[name];
    return typeof value === "string" ? value : undefined;
  }

  day(name: string): UtcDay | undefined {
    return parseUtcDay(this.text(name) ?? "");
  }

  /** A day in words. */
  dayWords(name: string): string | undefined {
    const day = this.day(name);
    return day === undefined ? undefined : dayTextAt(day, this.#now);
  }

  /** A moment in words. */
  momentWords(name: string): string | undefined {
    const at = parseInstant(this.text(name) ?? "");
    return at === undefined ? undefined : momentText(at, this.#now);
  }

  in(name: string): Inputs {
    const value = this.#inputs[name];
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return new Inputs(isObject ? (value as RuleInputs) : {}, this.#now);
  }

  each(name: string): Inputs[] {
    const value = this.#inputs[name];
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    return items.map((item) => new Inputs({ item }, this.#now).in("item"));
  }

  texts(name: string): string[] {
    const value = this.#inputs[name];
    return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
  }
}

/** The sentences of a flag; none where its inputs say it as well. */
export function judgedWords(flag: Pick<FlagRow, "rule" | "rule_inputs">, now: number): readonly string[] {
  const { rule, rule_inputs: inputs } = flag;
  const known = ruleOf(rule);
  if (known === undefined || inputs === null) return [];
  const of = new Inputs(inputs, now);
  const keys: readonly string[] = known.reads?.keys ?? [];
  switch (known.judges) {
    case "flow":
      return [...flowWords(of), ...dropWords(of, keys), ...testWords(of), ...oddWords(of), ...sinceWords(of)];
    case "lasting":
      return lastingWords(of, keys);
    case "silence":
      return silenceWords(of, keys);
    case "machine":
      return of.number("above") === undefined ? [] : [logAdvice(of.texts("held_by"))];
    default:
      return [];
  }
}

type Tail = "at_most" | "at_least";

/** The flow test and percent-drop: both hold a window against four earlier ones. */
function flowWords(inputs: Inputs): string[] {
  const observed = inputs.in("observed");
  const [count, expected] = [observed.number("count"), inputs.number("expected")];
  const when = whenWords(observed);
  if (count === undefined || expected === undefined || when === undefined) return [];
  const cohort = inputs.each("cohort").map((window) => countText(window.number("count") ?? 0));
  const isOmitted = count === 0 && inputs.number("omitted_days") !== undefined;
  const seen = `${capital(when)}, ${isOmitted ? "no data came" : `${countText(count)} ${wereWords(count)} seen`}`;
  const four = `the mean of the four ${earlierWords(observed)} (${cohort.join(", ")})`;
  const moved = levelWords(inputs.in("moved"));
  return moved === undefined
    ? [`${seen}. ${expectedText(expected)} ${wereWords(expected)} expected: ${four}.`]
    : [`${seen}. It is compared with ${expectedText(expected)}, ${four}.`, `${capital(moved)}.`];
}

/** "since 2 Nov, about 250 a day were seen instead of 520" */
function levelWords(moved: Inputs): string | undefined {
  const [since, level] = [moved.dayWords("since"), moved.number("level")];
  const before = moved.number("level_before");
  if (since === undefined || level === undefined || before === undefined) return undefined;
  return `since ${since}, about ${expectedText(level)} a day were seen instead of ${expectedText(before)}`;
}

/** Two levels of four weeks, how far apart they are and what the same weeks did a year ago. */
function lastingWords(inputs: Inputs, [least = ""]: readonly string[]): string[] {
  const months = monthsWords(inputs);
  const [distance, needed, percent] = [
    inputs.number("distance"),
    inputs.number("needed"),
    inputs.number(least),
  ];
  if (months === undefined || distance === undefined || needed === undefined) return [];
  const dispersion = inputs.in("dispersion");
  const phi = countText(dispersion.number("phi") ?? 1);
  const year = monthsWords(inputs.in("year_ago"));
  const name = inputs.text("direction") ?? "change";
  return [
    `${capital(months)}.`,
    `They are ${countText(Math.abs(distance))} standard errors apart, with a dispersion of ${phi}${basisWords(dispersion)}. A new flag needs ${countText(needed)}${percent === undefined ? "" : ` and more than ${percentText(percent)}%`}.`,
    year === undefined
      ? `Before a year of data is known, a season cannot be told from a ${name}.`
      : `A year ago, ${year}. This change goes ${countText(inputs.in("year_ago").number("distance") ?? 0)} standard errors beyond that.`,
    "Clears when the last four weeks are no longer apart from the four before.",
  ];
}

/** "in the 28 days to 21 Nov, about 250 a day were seen; in the 28 days to 24 Oct, about 520" */
function monthsWords(inputs: Inputs): string | undefined {
  const [now, before] = [inputs.in("observed"), inputs.in("earlier")];
  const [when, earlier] = [whenWords(now), whenWords(before)];
  const [level, other] = [now.number("value"), before.number("value")];
  if (when === undefined || earlier === undefined || level === undefined || other === undefined)
    return undefined;
  return `${when}, about ${expectedText(level)} a day were seen; ${earlier}, about ${expectedText(other)}`;
}

/** What percent-drop fires at: its two thresholds, the fall and the least that has to be expected. */
function dropWords(inputs: Inputs, [fall = "", least = ""]: readonly string[]): string[] {
  const [drop, fires, from] = [inputs.number("drop_percent"), inputs.number(fall), inputs.number(least)];
  if (drop === undefined || fires === undefined) return [];
  const where = from === undefined ? "" : `, where at least ${countText(from)} are expected`;
  return [`That is ${percentText(drop)}% fewer. Percent-drop fires at ${percentText(fires)}% fewer${where}.`];
}

function testWords(inputs: Inputs): string[] {
  const alpha = inputs.number("alpha");
  const tail: Tail = inputs.text("direction") === "rise" ? "at_least" : "at_most";
  const probability = inputs.in("poisson").number(tail);
  if (alpha === undefined || probability === undefined) return [];
  const chance = `${probabilityText(probability, alpha)}, ${sideWords(probability, alpha)}`;
  return [
    `If nothing had changed, the probability of so ${fewWords(tail)} would be ${chance} alpha ${alpha}, for a Poisson count.`,
    ...(inputs.in("second").text("state") === "poisson_count"
      ? ["This metric is normally steady, so one test was enough."]
      : []),
  ];
}

function basisWords(dispersion: Inputs): string {
  const days = dispersion.number("days");
  switch (dispersion.text("basis")) {
    case "fixed":
      return ", which is set for it";
    case "measured":
      return days === undefined ? "" : `, measured on ${countWords(days, "day")}`;
    case "too_few_days":
      return ", assumed until 28 days are measured";
    default:
      return "";
  }
}

function oddWords(inputs: Inputs): string[] {
  const odd = inputs
    .each("cohort")
    .filter((window) => window.isTrue("stands_out"))
    .flatMap((window) => window.dayWords("to") ?? []);
  if (odd.length === 0) return [];
  const [windows, itself] = odd.length === 1 ? ["window", "itself"] : ["windows", "themselves"];
  return [`The earlier ${windows} to ${odd.join(", ")} stood out ${itself}.`];
}

function sinceWords(inputs: Inputs): string[] {
  const since = inputs.dayWords("since");
  if (since === undefined || since === inputs.in("observed").dayWords("to")) return [];
  return [`Every judged day since ${since} was flagged in the same direction.`];
}

function silenceWords(inputs: Inputs, [key = ""]: readonly string[]): string[] {
  const received = inputs.momentWords("last_received_at");
  if (received === undefined) return [];
  const allowed = inputs.in("thresholds").number(key);
  const live = inputs.momentWords("live_since");
  const refused = inputs.in("refused");
  const [count, latest] = [refused.number("count") ?? 0, refused.text("latest")];
  const down = inputs.number("tower_down_hours") ?? 0;
  return [
    `Last nightly report: ${received}.`,
    ...(live === undefined ? [] : [`Counted from ${live}, when the site went live.`]),
    ...(allowed === undefined
      ? []
      : [
          `Raised after ${allowed < 1 ? "less than an hour" : countWords(allowed, "hour")} without a report.`,
        ]),
    ...(count === 0
      ? []
      : [
          `${countWords(count, "report was", "reports were")} refused since${latest === undefined ? "" : `, the latest with ${latest}`}.`,
        ]),
    ...(down === 0
      ? []
      : [`Tower itself was down for ${countText(down)} h of that time, so a report may have been refused.`]),
  ];
}

/** "on 21 Nov", "in the 4 days to 21 Nov". */
function whenWords(window: Inputs): string | undefined {
  const [from, to, words] = [window.day("from"), window.day("to"), window.dayWords("to")];
  if (from === undefined || to === undefined || words === undefined) return undefined;
  const days = daysBetween(from, to) + 1;
  return days === 1 ? `on ${words}` : `in the ${countText(days)} days to ${words}`;
}

/** "earlier Saturdays" where a window is one day, "earlier windows" where it is more. */
function earlierWords(window: Inputs): string {
  const [from, to] = [window.day("from"), window.day("to")];
  return from !== undefined && from === to ? `earlier ${weekdayText(from)}s` : "earlier windows";
}

const sideWords = (probability: number, alpha: number): string =>
  probability < alpha ? "below" : "not below";
const fewWords = (tail: Tail): string => (tail === "at_most" ? "few" : "many");
const wereWords = (count: number): string => (count === 1 ? "was" : "were");
