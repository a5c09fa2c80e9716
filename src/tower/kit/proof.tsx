/**
 * Words with their marks, moments, and a rule's inputs as facts a person reads: reports by their day, windows by their days and counts,
 * thresholds by name.
 */

import { entryOf } from "../../base/contract.ts";
import { byteWords, capital, countWords as countOf, countText } from "../../base/text.ts";
import { formatInstant, parseInstant, parseUtcDay, type UtcDay } from "../../base/time.ts";
import type { RuleInputs } from "../../flags/flags.ts";
import { TOOLS_UPDATED } from "../../reports/codebase_rules.ts";
import { GLOSSARY, INPUT_WORDS, TERMS, type TermName } from "../../sites/glossary.ts";
import { issueTypeOf } from "../../sites/rule_catalogue.ts";
import {
  formatAge,
  formatClock,
  formatDate,
  formatDay,
  formatDays,
  formatFullClock,
  formatInZone,
  formatMoment,
  formatRatio,
} from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { paths } from "../paths.ts";
import { here } from "./here.ts";
import { NotMeasured, Told } from "./links.tsx";

/** Words of the rules with a mark that opens one plain sentence: a popover, which needs no script, by mouse, touch and keyboard. */

const idOf = (name: TermName): string => `term-${name}`;

/** A word with its mark. The sentence stands once on the page, in its `Glossary`. */
export function Term({ name, children }: { readonly name: TermName; readonly children: Child }) {
  const id = idOf(name);
  return (
    <button class="term" type="button" popovertarget={id} aria-describedby={id}>
      {children}
    </button>
  );
}

/** The sentences that the marks of a page open. */
export function Glossary() {
  return (
    <div class="glossary">
      {TERMS.map((name) => (
        <p id={idOf(name)} popover>
          <b>{GLOSSARY[name].name}</b> {GLOSSARY[name].sentence}
        </p>
      ))}
    </div>
  );
}

/** A text with a mark at the first place of each word. */
export function Marked({ children }: { readonly children: string }) {
  return <>{markTerms([children])}</>;
}

/** Texts that stand one after the other, with a mark at the first place of each word in all of them. */
export function markTerms(texts: readonly string[]): Child[] {
  const left = new Set<TermName>(TERMS);
  return texts.map((text) => marked(text, left));
}

/** Marks the words that are left, the first in the text first. */
function marked(text: string, left: Set<TermName>): Child {
  let found: { readonly name: TermName; readonly at: number; readonly words: string } | undefined;
  for (const name of left) {
    const match = GLOSSARY[name].says.exec(text);
    if (match === null) continue;
    const [words] = match;
    // Of words that begin at one place the longer says more: "expected by chance" before "expected".
    const isBefore =
      found === undefined ||
      match.index < found.at ||
      (match.index === found.at && words.length > found.words.length);
    if (isBefore) found = { name, at: match.index, words };
  }
  if (found === undefined) return text;
  const { name, at, words } = found;
  left.delete(name);
  return (
    <>
      {text.slice(0, at)}
      <Term name={name}>{words}</Term>
      {marked(text.slice(at + words.length), left)}
    </>
  );
}

/** One fact: a term and what it is. */

export type Fact = readonly [term: string, value: Child];

/** Terms with their values, one line each; an absent value leaves its term out. `marked` explains the words of the rules in the terms. */
export function Facts({
  facts,
  loose = false,
  marked = false,
}: {
  readonly facts: readonly Fact[];
  readonly loose?: boolean;
  readonly marked?: boolean;
}) {
  const shown = facts.filter(([, value]) => value !== null && value !== undefined);
  const names = shown.map(([term]) => term);
  const terms = marked ? markTerms(names) : names;
  return (
    <dl class={loose ? "facts loose" : "facts"}>
      {shown.map(([, value], place) => (
        <>
          <dt>{terms[place]}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}

/** A probability in three digits, or as many as keep it on its own side of alpha; below one in a million only that. */
function formatChance(probability: number, alpha?: number): string {
  if (probability < 1e-6) return "less than 0.000001";
  // No rule makes one; rounded, the largest numbers would be said to be endless.
  if (probability > 1) return "more than 1";
  for (let digits = 3; ; digits++) {
    const rounded = Number(probability.toPrecision(digits));
    if (alpha === undefined || rounded < alpha === probability < alpha) return String(rounded);
  }
}

/** A value of a record, as it was stored, in words: never as a machine writes it. Pure. */

const DEEPEST = 4;

const number = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 4 });

/** A nested value in words, such as `page /a, count 3`. What lies deeper than a reader would follow is left out, and said to be. */
export function plainWords(value: unknown, now: number, depth = 0): string {
  if (value === null || value === undefined) return "not measured";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return number.format(value);
  if (typeof value !== "object") return textWords(String(value), now);
  if (depth >= DEEPEST) return "…";
  if (Array.isArray(value)) return value.map((item) => plainWords(item, now, depth + 1)).join(", ");
  return Object.entries(value)
    .map(([name, part]) => `${name.replaceAll("_", " ")} ${plainWords(part, now, depth + 1)}`)
    .join(", ");
}

/** A text; a day or a moment as people write it. */
function textWords(text: string, now: number): string {
  const day = parseUtcDay(text);
  if (day !== undefined) return formatDay(day, now);
  const instant = parseInstant(text);
  return instant === undefined ? text : formatMoment(instant, now);
}

/** The second of an instant, for a title: "2026-11-18 06:12:04 UTC", after the operator's own time where the browser told its zone. */
export function exact(ms: number): string {
  const utc = `${formatInstant(ms).slice(0, 19).replace("T", " ")} UTC`;
  const { zone } = here().shell;
  return zone === undefined ? utc : `${formatInZone(ms, zone)} (${utc})`;
}

function Time({ at, words }: { readonly at: number; readonly words: string }) {
  return (
    <time datetime={formatInstant(at)} title={exact(at)}>
      {words}
    </time>
  );
}

/** A moment in UTC: "18 Nov 06:12". */
export const Moment = ({ at }: { readonly at: number }) => <Time at={at} words={formatMoment(at)} />;

/** How long ago: "9 h ago". */
export const Age = ({ at }: { readonly at: number }) => <Time at={at} words={formatAge(at)} />;

const WEEK_MS = 7 * 86_400_000;

/** When something happened: "9 h ago", and after a week its moment. Beside "since", "until" and "at" stands a `Moment`. */
export function When({ at }: { readonly at: number }) {
  return here().now - at < WEEK_MS ? <Age at={at} /> : <Moment at={at} />;
}

/** A time of day, with seconds when `seconds` is set. */
export const Clock = ({ at, seconds = false }: { readonly at: number; readonly seconds?: boolean }) => (
  <Time at={at} words={seconds ? formatFullClock(at) : formatClock(at)} />
);

/** The day of an instant: "14 Aug". */
export const DateOf = ({ at }: { readonly at: number }) => <Time at={at} words={formatDate(at)} />;

/** A calendar day: "18 Nov". */
export function Day({ day }: { readonly day: UtcDay }) {
  return <time datetime={day}>{formatDay(day)}</time>;
}

/** Longest list that is written out; the rest is counted. */
const MOST_ITEMS = 20;

const percent = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 2 });

/** What stands beside a flag whose numbers two versions of a tool made. */
export function toolsUpdatedWords(inputs: RuleInputs | null): string | null {
  const updated = inputs?.[TOOLS_UPDATED];
  return updated === undefined ? null : "Measuring tools updated between its two reports";
}

/** The inputs, one fact each; nested groups join their names. Nothing is shown as JSON. */
export function inputFacts({ second: _apart, usual: _told, ...inputs }: RuleInputs, now: number): Fact[] {
  return factsOf(inputs, "", readingOf(inputs, now), 0);
}

/** What the second condition of a flow flag read and said; empty where a flag has none. */
export function secondFacts(inputs: RuleInputs, now: number): Fact[] {
  const second = asObject(inputs["second"]);
  if (second === undefined) return [];
  if (second["state"] === "poisson_count") return [["Second test", "Not needed: the metric is steady"]];
  const { state: _judged, ...rest } = second;
  return factsOf(rest, "", readingOf(inputs, now), 0);
}

type JudgedBy = ReturnType<typeof readingOf>;

function readingOf({ alpha, direction, ...more }: RuleInputs, now: number) {
  return {
    now,
    /** Whether they tell of a disk. */
    isOfDisk: "free" in more || "free_below" in more,
    alpha: typeof alpha === "number" ? alpha : undefined,
    /** The tail that was judged; the other one says nothing about this flag. */
    tail: direction === "rise" ? ("at_least" as const) : ("at_most" as const),
  };
}

function factsOf(inputs: RuleInputs, group: string, reading: JudgedBy, depth: number): Fact[] {
  return Object.entries(inputs).flatMap(([name, value]): Fact[] => {
    const label = labelOf(name, group);
    const object = asObject(value);
    if (object === undefined) return [[label, scalar(name, value, reading)]];
    const tail = object[reading.tail];
    if ("at_most" in object && typeof tail === "number") {
      return [
        [
          label,
          `${formatChance(tail, reading.alpha)} for this ${reading.tail === "at_most" ? "few" : "many"}`,
        ],
      ];
    }
    const known =
      reportOf(object) ??
      windowOf(object, reading.now) ??
      levelOf(object, reading.now) ??
      sharesOf(object, reading.now);
    if (known !== undefined) return [[label, known]];
    if (depth >= DEEPEST) return [[label, "more than is shown here"]];
    return factsOf(object, name === "thresholds" ? "Fires at" : label, reading, depth + 1);
  });
}

function labelOf(name: string, group: string): string {
  const words = entryOf(INPUT_WORDS, name) ?? name.replaceAll("_", " ");
  if (group !== "") return `${group}, ${words}`;
  return capital(words);
}

function scalar(name: string, value: unknown, { isOfDisk }: JudgedBy): Child {
  if (name === "comparison" && value === null) return "none: no report from a month before";
  if (value === null || value === undefined) return <NotMeasured />;
  if (typeof value === "boolean") return value ? "yes" : "no";
  // A row of the archive's manifest: it leads to the report.
  if (name === "manifest" && typeof value === "number")
    return <a href={paths.archiveReport(value)}>{value}</a>;
  if (typeof value === "number") return numberText(name, value, isOfDisk);
  if (Array.isArray(value)) return <ListOf items={value} />;
  const text = String(value);
  const day = parseUtcDay(text);
  if (day !== undefined) return <Day day={day} />;
  const instant = parseInstant(text);
  if (instant !== undefined) return <Moment at={instant} />;
  if (name === "issue_type") return issueTypeOf(text)?.name ?? <Told class="mono wrap">{text}</Told>;
  return name === "basis" ? <Marked>{text.replaceAll("_", " ")}</Marked> : <Told class="wrap">{text}</Told>;
}

/** Inputs that are counted in bytes; a total is, where it is that of a disk. */
const BYTES = new Set(["bytes", "free", "free_below", "above"]);

function numberText(name: string, value: number, isOfDisk: boolean): string {
  if (name.endsWith("percent")) return `${percent.format(value)}%`;
  if (name.endsWith("_days")) return `${number.format(value)} ${value === 1 ? "day" : "days"}`;
  if (name.endsWith("_hours")) return `${number.format(value)} h`;
  if (name === "expected") return countText(value);
  if (name === "share") return `${percent.format(value * 100)}%`;
  if (BYTES.has(name) || (name === "total" && isOfDisk)) return byteWords(value);
  return number.format(value);
}

function ListOf({ items }: { readonly items: readonly unknown[] }) {
  const { now } = here();
  if (items.length === 0) return <>none</>;
  const shown = items.slice(0, MOST_ITEMS);
  return (
    <ul>
      {shown.map((item) => {
        const object = asObject(item);
        const known = object === undefined ? undefined : (reportOf(object) ?? windowOf(object, now));
        const day = typeof item === "string" ? parseUtcDay(item) : undefined;
        return (
          <li>
            {known ??
              (day === undefined ? <Told class="wrap">{plainWords(item, now)}</Told> : <Day day={day} />)}
          </li>
        );
      })}
      {items.length > shown.length ? <li>and {items.length - shown.length} more</li> : null}
    </ul>
  );
}

function reportOf(object: RuleInputs): Child | undefined {
  const { date, revision } = object;
  const day = typeof date === "string" ? parseUtcDay(date) : undefined;
  if (day === undefined || typeof revision !== "number") return undefined;
  return (
    <>
      <Day day={day} />
      {revision === 1 ? null : `, revision ${revision}`}
    </>
  );
}

function windowOf(object: RuleInputs, now: number): Child | undefined {
  const { count, stands_out } = object;
  const span = spanOf(object, now);
  if (span === undefined || typeof count !== "number") return undefined;
  return `${number.format(count)} (${span})${stands_out === true ? ", stood out itself" : ""}`;
}

/** The days of an object that has both ends of a span. */
function spanOf({ from, to }: RuleInputs, now: number): string | undefined {
  const first = typeof from === "string" ? parseUtcDay(from) : undefined;
  const last = typeof to === "string" ? parseUtcDay(to) : undefined;
  return first === undefined || last === undefined ? undefined : formatDays(first, last, now);
}

/** The level that the second condition of a flow flag holds a window against. */
function levelOf(object: RuleInputs, now: number): Child | undefined {
  const { value, events, days } = object;
  const span = spanOf(object, now);
  if (span === undefined || typeof value !== "number" || typeof events !== "number") return undefined;
  const of = typeof days === "number" ? ` on ${countOf(days, "day")}` : "";
  return `${formatRatio(value)} a day (${span}: ${number.format(events)}${of}, odd ones left out)`;
}

/** The shape of the week that goes with it. */
function sharesOf(object: RuleInputs, now: number): Child | undefined {
  const span = spanOf(object, now);
  const weekdays = asObject(object["by_weekday"]);
  if (span === undefined || weekdays === undefined) return undefined;
  const shares = Object.entries(weekdays).flatMap(([weekday, share]) =>
    typeof share === "number" ? [`${capital(weekday)} ${formatRatio(share)}`] : [],
  );
  return `${shares.join(", ")} (${span})`;
}

function asObject(value: unknown): RuleInputs | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as RuleInputs)
    : undefined;
}
