/**
 * Every rule that raises flags by itself: its id, what it speaks of, what it is raised as, the thresholds it reads, and
 * below what its flags say, stand here once. How a rule judges is the matter of the folder that judges it.
 */

import { byteWords, capital, countText, countWords, expectedText } from "../base/text.ts";
import { daysBetween, dayTextAt, momentText, parseInstant, parseUtcDay, type UtcDay } from "../base/time.ts";
import { isProvider, NO_COUNTS, PROVIDER_NAMES } from "../providers/adapter.ts";
import type { ThresholdKey, ThresholdTable } from "./thresholds.ts";

// The issues that webmaster tools report of a site's pages: our own stable id of each, its bit in the provider's mask,
// how bad it is and its words. A flag of the rule has the id as its subject.

/** One type of issue. `with` follows a count of URLs. */
interface IssueType {
  readonly id: string;
  /** Its bit in what the provider says of a URL; 0 for all that has none here. */
  readonly bit: number;
  readonly severity: "warn" | "info";
  readonly name: string;
  readonly with: string;
}

const type = (
  bit: number,
  id: string,
  severity: IssueType["severity"],
  name: string,
  words: string,
): IssueType => ({ id, bit, severity, name, with: words });

/** What a bit says that is not known here, and a URL that is reported without any. */
const OTHER_ISSUE = "other";

export const ISSUE_TYPES: readonly IssueType[] = [
  type(1, "http_301", "info", "Permanent redirect (301)", "with a permanent redirect (301)"),
  type(2, "http_302", "info", "Temporary redirect (302)", "with a temporary redirect (302)"),
  type(4, "http_4xx", "info", "Not served (4xx)", "answered with a 4xx status"),
  type(8, "http_5xx", "warn", "Server error (5xx)", "answered with a server error (5xx)"),
  type(16, "blocked_by_robots_txt", "info", "Blocked by robots.txt", "blocked by robots.txt"),
  type(32, "malware", "warn", "Malware", "with malware"),
  type(64, "important_url_blocked", "info", "Important URL blocked", "important and blocked"),
  type(128, "dns_failure", "warn", "DNS failure", "with a DNS failure"),
  type(256, "connection_timeout", "info", "Connection timeout", "with a connection timeout"),
  type(0, OTHER_ISSUE, "info", "Another issue", "with another issue"),
];

const BY_ID = new Map(ISSUE_TYPES.map((one) => [one.id, one]));

/** What is known of a type by its id; undefined for one of another release. */
export const issueTypeOf = (id: string): IssueType | undefined => BY_ID.get(id);

const KNOWN = ISSUE_TYPES.filter(({ bit }) => bit > 0);
const KNOWN_BITS = KNOWN.reduce((bits, { bit }) => bits + bit, 0);

/** The ids of the types that a mask names, in their order; several bits are several types. */
export function issueTypesOf(mask: number | null): string[] {
  // Not `&`, which cuts off what lies beyond 32 bits.
  const whole = mask === null || !Number.isSafeInteger(mask) || mask < 0 ? 0 : mask;
  const named = KNOWN.filter(({ bit }) => Math.floor(whole / bit) % 2 === 1).map(({ id }) => id);
  return whole === 0 || whole > KNOWN_BITS ? [...named, OTHER_ISSUE] : named;
}

/** How a flag is raised: two separate fields (spec, Flag). */
export interface RaisedAs {
  readonly severity: "info" | "warn" | "error";
  readonly kind: "anomaly" | "opportunity" | "milestone";
}

/**
 * What a rule judges, and so what its flags are about: a site's codebase reports; the daily counts of one metric of a site, or its
 * total; what lasts of them over weeks; the silence of a site (on the service's own asset, the site as its subject); the machine
 * the service runs on; the results of pulls; or what a provider itself reports as an issue of a site.
 */
export type Judged = "codebase" | "flow" | "lasting" | "total" | "silence" | "machine" | "pull" | "issue";

/** A table of the constants document with the keys of it that a rule reads. */
type Reads = {
  readonly [T in ThresholdTable]: { readonly table: T; readonly keys: readonly ThresholdKey<T>[] };
}[ThresholdTable];

/** One rule. */
export interface Rule {
  readonly judges: Judged;
  readonly raised: RaisedAs;
  /** What its flags say, made of their inputs; absent where the specification fixes the words. */
  readonly title?: Title;
  /** What it is raised as for a metric where more is worse (errors, refunds); absent where that makes no difference. */
  readonly raisedIfNegative?: RaisedAs;
  readonly reads?: Reads;
  /** Whether an operator can tune its thresholds for one site or metric, starting from a flag. */
  readonly isTunable: boolean;
  /** Whether chance alone would raise some of its flags, which are held against those it was expected to raise. */
  readonly isTestOfChance?: boolean;
  /**
   * Which lasting thing its flag is about, where others are about the same or a pause does not end it: a metric that is down is one thing,
   * whichever rule says so. Without it only a flag that is resolved and raised in the same judging lasts.
   */
  readonly lasts?: { readonly thing: "down" | "up"; readonly pauseDays: number };
  /** Of a change over weeks: what the flags of single days are about that tell the same. */
  readonly sameAs?: "down" | "up";
  /** The chart of the codebase tab that its flags stand over. */
  readonly chart?: "lines" | "repeated" | "unused" | "complex";
}

const FLOW_READS = { table: "flow_rules", keys: ["alpha", "max_window_days", "dispersion"] } as const;
const LASTING_READS = { table: "flow_rules", keys: ["lasting_percent"] } as const;
const WARNS = { severity: "warn", kind: "anomaly" } as const;
const INFORMS = { severity: "info", kind: "opportunity" } as const;

/** The rules by their ids, those of one kind in the order they are judged and shown. */
export const RULES = {
  "codebase-growth": {
    judges: "codebase",
    raised: WARNS,
    reads: { table: "codebase_rules", keys: ["growth_percent", "growth_lines"] },
    isTunable: true,
    chart: "lines",
  },
  "codebase-duplication": {
    judges: "codebase",
    raised: { severity: "warn", kind: "opportunity" },
    reads: { table: "codebase_rules", keys: ["duplication_percent"] },
    isTunable: true,
    chart: "repeated",
  },
  "codebase-unused": {
    judges: "codebase",
    raised: INFORMS,
    reads: { table: "codebase_rules", keys: ["unused_items"] },
    isTunable: true,
    chart: "unused",
  },
  "codebase-complexity": {
    judges: "codebase",
    raised: INFORMS,
    reads: { table: "codebase_rules", keys: ["complex_functions"] },
    isTunable: true,
    chart: "complex",
  },
  "codebase-vulnerabilities": {
    judges: "codebase",
    raised: INFORMS,
    reads: { table: "codebase_rules", keys: ["vulnerable"] },
    isTunable: true,
  },
  "flow-drop": {
    judges: "flow",
    title: flowTitle,
    raised: WARNS,
    raisedIfNegative: INFORMS,
    reads: FLOW_READS,
    isTunable: true,
    isTestOfChance: true,
    lasts: { thing: "down", pauseDays: 7 },
  },
  "flow-rise": {
    judges: "flow",
    title: flowTitle,
    raised: INFORMS,
    raisedIfNegative: WARNS,
    reads: FLOW_READS,
    isTunable: true,
    isTestOfChance: true,
    lasts: { thing: "up", pauseDays: 7 },
  },
  "percent-drop": {
    judges: "flow",
    title: percentDropTitle,
    raised: WARNS,
    raisedIfNegative: INFORMS,
    reads: { table: "percent_drop", keys: ["percent", "minimum_count"] },
    isTunable: true,
    lasts: { thing: "down", pauseDays: 7 },
  },
  "flow-decline": {
    judges: "lasting",
    title: lastingTitle,
    raised: WARNS,
    raisedIfNegative: INFORMS,
    reads: LASTING_READS,
    isTunable: true,
    sameAs: "down",
  },
  "flow-growth": {
    judges: "lasting",
    title: lastingTitle,
    raised: INFORMS,
    raisedIfNegative: WARNS,
    reads: LASTING_READS,
    isTunable: true,
    sameAs: "up",
  },
  "milestone-total": {
    judges: "total",
    title: milestoneTitle,
    raised: { severity: "info", kind: "milestone" },
    isTunable: false,
  },
  "stale-ingest": {
    judges: "silence",
    title: silenceTitle,
    raised: { severity: "error", kind: "anomaly" },
    reads: { table: "freshness", keys: ["silent_hours"] },
    isTunable: false,
  },
  "disk-space": { judges: "machine", title: diskTitle, raised: WARNS, isTunable: false },
  "wal-size": { judges: "machine", title: logTitle, raised: WARNS, isTunable: false },
  "asset-pull-failed": { judges: "pull", title: pullFailedTitle, raised: WARNS, isTunable: false },
  "source-silent": { judges: "pull", title: sourceSilentTitle, raised: WARNS, isTunable: false },
  // How bad each type is stands with the types.
  "provider-issue": { judges: "issue", title: issueTitle, raised: INFORMS, isTunable: false },
} as const satisfies Readonly<Record<string, Rule>>;

/** The id of a rule. */
export type RuleId = keyof typeof RULES;

/** The ids of the rules that judge one thing. */
type Judging<J extends Judged> = {
  [Id in RuleId]: (typeof RULES)[Id]["judges"] extends J ? Id : never;
}[RuleId];

export type CodebaseRuleId = Judging<"codebase">;
export type FlowRuleId = Judging<"flow">;
export type LastingRuleId = Judging<"lasting">;

/** The rule that speaks of a site on the service's own asset, the site as its subject. */
export const STALE_INGEST = "stale-ingest" satisfies RuleId;
export const FLOW_DROP = "flow-drop" satisfies RuleId;
export const FLOW_RISE = "flow-rise" satisfies RuleId;
export const PERCENT_DROP = "percent-drop" satisfies RuleId;
export const MILESTONE_TOTAL = "milestone-total" satisfies RuleId;
export const DISK_SPACE = "disk-space" satisfies RuleId;
export const WAL_SIZE = "wal-size" satisfies RuleId;
export const ASSET_PULL_FAILED = "asset-pull-failed" satisfies RuleId;
export const SOURCE_SILENT = "source-silent" satisfies RuleId;
export const PROVIDER_ISSUE = "provider-issue" satisfies RuleId;

const IDS = Object.keys(RULES) as RuleId[];

/** The codebase rules, in the order of the specification. */
export const CODEBASE_RULES = IDS.filter((id): id is CodebaseRuleId => RULES[id].judges === "codebase");

/** The flow rules: a metric holds at most one open flag of them. */
export const FLOW_RULES = IDS.filter((id): id is FlowRuleId => RULES[id].judges === "flow");

/** The rules of lasting change: one open flag of a metric, beside those of its days. */
export const LASTING_RULES = IDS.filter((id): id is LastingRuleId => RULES[id].judges === "lasting");

/** All rules that judge a metric's daily counts, and so those that are tuned together. */
export const METRIC_RULES: readonly RuleId[] = [...FLOW_RULES, ...LASTING_RULES];

/** What is known of a rule by the id a flag carries; undefined for what a site sent, and for a rule of another release. */
export function ruleOf(id: string | null): Rule | undefined {
  return id !== null && Object.hasOwn(RULES, id) ? RULES[id as RuleId] : undefined;
}

/**
 * What a flag says, made of what it is about and the inputs it was raised with; undefined where its rule has no words of its own, or
 * the inputs (of another release) do not say it.
 */
export function titleFrom(
  id: string | null,
  about: string,
  inputs: TitleInputs | null,
  now: number,
): string | undefined {
  return inputs === null ? undefined : ruleOf(id)?.title?.(about, inputs, now);
}

/** What a rule says as it raises its flag; of inputs that do not say it, its name. */
export function raisedTitle(id: RuleId, about: string, inputs: TitleInputs, now: number): string {
  return titleFrom(id, about, inputs, now) ?? id;
}

/** What its flags are called in a table of them: "drop", "percent drop". */
export const shortName = (id: string): string => id.replace(/^flow-/, "").replaceAll("-", " ");

/** The rules about the same lasting thing as one of them, itself among them. */
export function rulesOfThing(id: string): readonly string[] {
  const thing = ruleOf(id)?.lasts?.thing;
  return thing === undefined ? [id] : IDS.filter((other) => ruleOf(other)?.lasts?.thing === thing);
}

/** Whether a flag's rule is one of the codebase rules. */
export function isCodebaseRule(id: string | null): id is CodebaseRuleId {
  return ruleOf(id)?.judges === "codebase";
}

/** Whether a flag's rule is one of the flow rules. */
export function isFlowRule(id: string | null): id is FlowRuleId {
  return ruleOf(id)?.judges === "flow";
}

/** The rule of the flow test that says in which direction a count went. */
export function flowRuleId(direction: "drop" | "rise"): FlowRuleId {
  return direction === "drop" ? FLOW_DROP : FLOW_RISE;
}

/** The rule of lasting change that says in which direction a level went. */
export function lastingRuleId(trend: "decline" | "growth"): LastingRuleId {
  return trend === "decline" ? "flow-decline" : "flow-growth";
}

/** Severity and kind of a flow flag; where more is worse a rise warns and a drop informs. */
export function flowRaisedAs(id: FlowRuleId | LastingRuleId, negative: boolean): RaisedAs {
  return negative ? RULES[id].raisedIfNegative : RULES[id].raised;
}

// What a flag says in a list: one short sentence, made of the inputs it was raised with. Stored flags of every release are read
// with it, so inputs that it cannot read give no title, and the flag keeps the words that were stored. Its proof stands on its page.

/** The inputs of a rule as they are stored. */
type TitleInputs = { readonly [key: string]: unknown };

/** Makes a title of what a flag is about (its metric, else its subject) and its inputs; undefined where they do not say it. */
type Title = (about: string, inputs: TitleInputs, now: number) => string | undefined;

/**
 * `Bookings down 75% (19 on 21 Nov, normally about 75)`; where it lasts: `Bookings down 74% (29, normally about 112), third day in a
 * row`. Where the level moved among the days that it was compared with, their mean is none that the metric ever had: `Bookings down
 * 67% since 2 Nov (19 on 21 Nov, now about 25 a day, before about 75)`.
 */
function flowTitle(metric: string, inputs: TitleInputs, now: number): string | undefined {
  const figures = figuresOf(inputs, now);
  if (figures === undefined) return undefined;
  const { count, expected, when, days } = figures;
  const change = objectAt(inputs, "moved");
  // A count on the other side of the level that it moved to is news about that level, not about the move.
  const isDown = (numberAt(change, "level") ?? 0) < (numberAt(change, "level_before") ?? 0);
  const moved = isDown === (inputs["direction"] !== "rise") ? levelOf(change, now) : undefined;
  const name = named(metric);
  // A move by 2% is not what makes a day 11% low.
  if (moved !== undefined && 2 * farFrom(moved.level, moved.before) >= farFrom(count, expected)) {
    return `${name} ${changeWords(moved.level, moved.before)} ${moved.since} (${countText(count)} ${when}, ${moved.words})`;
  }
  // A day that the provider left out counts as 0, and yet nobody saw a 0.
  if (count === 0 && numberAt(inputs, "omitted_days") !== undefined) {
    return `${name}: no data ${when} (normally about ${expectedText(expected)})`;
  }
  const run = numberAt(inputs, "days_in_a_row") ?? 1;
  const lasts = run > 1 ? `, ${ordinal(run)} day in a row` : sinceWords(inputs, now);
  const usual = `normally about ${expectedText(expected)}`;
  // Without its window a sum of several days would read as that of the last one.
  const on = run > 1 && days === 1 ? "" : ` ${when}`;
  return count === 0
    ? `${name} down to 0${on} (${usual})${lasts}`
    : `${name} ${changeWords(count, expected)} (${countText(count)}${on}, ${usual})${lasts}`;
}

/** `Bookings down 52% since 2 Nov (now about 250 a day, before about 520)`, and whether it may be a season. */
function lastingTitle(metric: string, inputs: TitleInputs, now: number): string | undefined {
  const moved = levelOf(inputs, now);
  if (moved === undefined) return undefined;
  const season = inputs["year_ago"] === null ? ", may be seasonal" : "";
  return `${named(metric)} ${changeWords(moved.level, moved.before)} ${moved.since} (${moved.words})${season}`;
}

/** `Bookings down 45% (2,310 in the 7 days to 21 Nov, normally about 4,200)`. */
function percentDropTitle(metric: string, inputs: TitleInputs, now: number): string | undefined {
  const figures = figuresOf(inputs, now);
  if (figures === undefined) return undefined;
  const { count, expected, when } = figures;
  return `${named(metric)} ${changeWords(count, expected)} (${countText(count)} ${when}, normally about ${expectedText(expected)})${sinceWords(inputs, now)}`;
}

/** `Bookings passed 20,000 in total by 21 Nov`. */
function milestoneTitle(metric: string, inputs: TitleInputs, now: number): string | undefined {
  const milestone = numberAt(inputs, "milestone");
  const day = dayAt(objectAt(inputs, "report"), "date");
  if (milestone === undefined || day === undefined) return undefined;
  return `${named(metric)} passed ${countText(milestone)} in total by ${dayTextAt(day, now)}`;
}

/** `No report from harbor for 26 hours, last on 20 Nov 03:12 UTC`, and what else has to be known before it is judged. */
function silenceTitle(site: string, inputs: TitleInputs, now: number): string | undefined {
  const hours = numberAt(inputs, "silent_hours");
  const received = instantAt(inputs, "last_received_at");
  if (hours === undefined || received === undefined) return undefined;
  const refused = numberAt(objectAt(inputs, "refused"), "count") ?? 0;
  const down = numberAt(inputs, "tower_down_hours") ?? 0;
  return [
    `No report${site === "" ? "" : ` from ${site}`} ${silenceWords(hours, instantAt(inputs, "live_since") !== undefined, momentText(received, now))}`,
    ...(refused === 0 ? [] : [`${countWords(refused, "report")} refused since`]),
    ...(down === 0 ? [] : [`Tower itself was down for ${downWords(down)} of that time`]),
  ].join("; ");
}

/** `The disk of the data folder is nearly full: less than 128 MiB of 2 GiB is free`. */
function diskTitle(_about: string, inputs: TitleInputs): string | undefined {
  const [below, total] = [numberAt(inputs, "free_below"), numberAt(inputs, "total")];
  if (below === undefined || total === undefined) return undefined;
  return `The disk of the data folder is nearly full: less than ${byteWords(below)} of ${byteWords(total)} is free`;
}

/** `The database's log has grown past 64 MiB; python3 (process 12) keeps it from shrinking`. */
function logTitle(_about: string, inputs: TitleInputs): string | undefined {
  const above = numberAt(inputs, "above");
  if (above === undefined) return undefined;
  const holders = inputs["held_by"];
  const by = Array.isArray(holders) ? holders.filter((one) => typeof one === "string") : [];
  const [first, ...others] = by;
  const who =
    others.length === 0
      ? first
      : `${first} and ${countWords(others.length, "other process", "other processes")}`;
  const held =
    first === undefined ? "" : `; ${who} ${others.length === 0 ? "keeps" : "keep"} it from shrinking`;
  return `The database's log has grown past ${byteWords(above)}${held}`;
}

/** `The nightly webmaster-tools pull failed for 2 of 31 sites`; `…: its list of sites could not be read` where none was asked for. */
function pullFailedTitle(_about: string, inputs: TitleInputs): string | undefined {
  const [failed, sites] = [numberAt(inputs, "failed"), numberAt(inputs, "sites")];
  if (failed === undefined || sites === undefined) return undefined;
  const pull = "The nightly webmaster-tools pull failed";
  const list = inputs["list_failed"] === true ? ": the list of sites could not be read" : "";
  return failed === 0
    ? `${pull}${list}`
    : `${pull} for ${countText(failed)} of ${countWords(sites, "site")}${list}`;
}

/** `Analytics is late: no data since 20 Nov for 24 properties of tower@example`. */
function sourceSilentTitle(_about: string, inputs: TitleInputs, now: number): string | undefined {
  const [from, properties] = [dayAt(inputs, "from"), numberAt(inputs, "properties")];
  const { account } = inputs;
  if (from === undefined || properties === undefined || typeof account !== "string") return undefined;
  const of = `${countWords(properties, "property", "properties")} of ${account}`;
  return `Analytics is late: no data since ${dayTextAt(from, now)} for ${of}`;
}

/** `Webmaster tools reports 12 URLs answered with a server error (5xx)`. */
function issueTitle(type: string, inputs: TitleInputs): string | undefined {
  const [known, count] = [issueTypeOf(type), numberAt(inputs, "url_count")];
  if (known === undefined || count === undefined) return undefined;
  return `Webmaster tools reports ${countWords(count, "URL")} ${known.with}`;
}

/** A level that moved: "since 2 Nov", and "now about 250 a day, before about 520"; it may have moved on since then. */
function levelOf(moved: TitleInputs, now: number) {
  const since = dayAt(moved, "since");
  const [level, before] = [numberAt(moved, "level"), numberAt(moved, "level_before")];
  if (since === undefined || level === undefined || before === undefined) return undefined;
  const words = `now about ${expectedText(level)} a day, before about ${expectedText(before)}`;
  return { level, before, since: `since ${dayTextAt(since, now)}`, words };
}

/** A count with what was expected, and "on 21 Nov"; "in the 4 days to 21 Nov" for a window of more than a day. */
function figuresOf(inputs: TitleInputs, now: number) {
  const { observed, expected } = toldBy(inputs);
  const [from, to] = [dayAt(observed, "from"), dayAt(observed, "to")];
  const count = numberAt(observed, "count");
  if (from === undefined || to === undefined || count === undefined || expected === undefined)
    return undefined;
  const days = daysBetween(from, to) + 1;
  return {
    count,
    expected,
    days,
    when: `${days === 1 ? "on" : `in the ${days} days to`} ${dayTextAt(to, now)}`,
  };
}

/** The count that a flag is told by, and what is usual for it: after a burst not those of the test itself. */
export function toldBy(inputs: TitleInputs) {
  const of = inputs["usual"] === undefined ? inputs : objectAt(inputs, "usual");
  return { observed: objectAt(of, "observed"), expected: numberAt(of, "expected") };
}

/** How far a count lies from what is usual, as a part of that. */
const farFrom = (count: number, usual: number): number => Math.abs(count - usual) / usual;

/** How far a count lies from what is usual: of it less than half again is told in percent, more in times. */
export function changeWords(count: number, expected: number): string {
  if (count === 0) return "down to 0";
  if (expected <= 0) return "up from 0";
  const ratio = count / expected;
  if (ratio >= 2) return `${countText(Math.round(ratio * 10) / 10)} times usual`;
  const percent = Math.round(Math.abs(ratio - 1) * 100);
  // Rounded, a count that is left would read as none.
  if (ratio < 1 && percent === 100) return "down more than 99%";
  return `${ratio < 1 ? "down" : "up"} ${percent === 0 ? "less than 1" : percent}%`;
}

const OF_SOURCE = new RegExp(`^(.+) \\((${Object.values(PROVIDER_NAMES).join("|")})\\)$`, "i");

/** "Bookings", "Search console clicks"; a name that is no plain word stays as it was sent. */
export function named(about: string): string {
  const [, metric = about, source] = OF_SOURCE.exec(about) ?? [];
  const words = metric.replaceAll("_", " ");
  if (source !== undefined) return `${capital(source)} ${words}`;
  return /^[a-z0-9 ]+$/.test(words) ? capital(words) : metric;
}

const ORDINALS = ["", "first", "second", "third", "fourth", "fifth", "sixth", "seventh"];
const ENDINGS: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd" };
const endings = new Intl.PluralRules("en", { type: "ordinal" });
const ordinal = (place: number): string =>
  ORDINALS[place] ?? `${countText(place)}${ENDINGS[endings.select(place)] ?? "th"}`;

function sinceWords(inputs: TitleInputs, now: number): string {
  const since = dayAt(inputs, "since");
  // A later report of the very day that was flagged first goes on with it, too.
  return since === undefined || since === dayAt(objectAt(inputs, "observed"), "to")
    ? ""
    : `, since ${dayTextAt(since, now)}`;
}

/** Hours as people say them: from three days on in days, and not at all below one, where only a site with a bound of its own is silent. */
function silenceWords(hours: number, isSinceLive: boolean, last: string): string {
  if (hours < 1) return isSinceLive ? `since it went live, last on ${last}` : `since ${last}`;
  const silent = hours < 72 ? countWords(hours, "hour") : countWords(Math.floor(hours / 24), "day");
  return `${isSinceLive ? `in ${silent} since it went live` : `for ${silent}`}, last on ${last}`;
}

function downWords(hours: number): string {
  return hours < 1 ? "less than an hour" : `${countText(hours)} h`;
}

function objectAt(inputs: TitleInputs, name: string): TitleInputs {
  const value = inputs[name];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as TitleInputs) : {};
}

function numberAt(inputs: TitleInputs, name: string): number | undefined {
  const value = inputs[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function dayAt(inputs: TitleInputs, name: string): UtcDay | undefined {
  const value = inputs[name];
  return typeof value === "string" ? parseUtcDay(value) : undefined;
}

function instantAt(inputs: TitleInputs, name: string): number | undefined {
  const value = inputs[name];
  return typeof value === "string" ? parseInstant(value) : undefined;
}

// A provider's figure and what a site sends under the same name differ by the provider behind the metric.

/** The source of what a site sends itself. */
export const SENT = "pulse";

/** Whether the rules on counts test a metric; a ratio or a position is none. */
export const isCount = (source: string, metric: string): boolean =>
  !isProvider(source) || !NO_COUNTS.includes(metric);

/** `search console`; undefined of what a site sends, and of no series. */
export function sourceName(source: string | null): string | undefined {
  return isProvider(source) ? PROVIDER_NAMES[source].toLowerCase() : undefined;
}

/** `clicks (search console)`; of what a site sends the name alone. */
export function seriesName(metric: string, source: string | null): string {
  const words = sourceName(source);
  return words === undefined ? metric : `${metric} (${words})`;
}
