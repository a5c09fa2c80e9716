/**
 * What a flag says in a list: one short sentence, made of the inputs it was raised with. Stored flags of every release are read
 * with it, so inputs that it cannot read give no title, and the flag keeps the words that were stored. Its proof stands on its page.
 */

import { byteWords, capital, countText, countWords, expectedText, percentText } from "../base/text.ts";
import { daysBetween, dayTextAt, momentText, parseInstant, parseUtcDay, type UtcDay } from "../base/time.ts";
import { isProvider, PROVIDER_NAMES } from "../providers/adapter.ts";
import { issueTypeOf } from "./issue_types.ts";

/** The inputs of a rule as they are stored. */
export type TitleInputs = { readonly [key: string]: unknown };

/** Makes a title of what a flag is about (its metric, else its subject) and its inputs; undefined where they do not say it. */
export type Title = (about: string, inputs: TitleInputs, now: number) => string | undefined;

/**
 * `Bookings down 75% (19 on 21 Nov, normally about 75)`; where it lasts: `Bookings down 74% (29, normally about 112), third day in a
 * row`. Where the level moved among the days that it was compared with, their mean is none that the metric ever had: `Bookings down
 * 67% since 2 Nov (19 on 21 Nov, now about 25 a day, before about 75)`.
 */
export const flowTitle: Title = (metric, inputs, now) => {
  const figures = figuresOf(inputs, now);
  if (figures === undefined) return undefined;
  const { count, expected, when } = figures;
  const change = objectAt(inputs, "moved");
  // A count on the other side of the level that it moved to is news about that level, not about the move.
  const isDown = (numberAt(change, "level") ?? 0) < (numberAt(change, "level_before") ?? 0);
  const moved = isDown === (inputs["direction"] !== "rise") ? levelOf(change, now) : undefined;
  const name = named(metric);
  if (moved !== undefined) {
    return `${name} ${changeWords(moved.level, moved.before)} ${moved.since} (${countText(count)} ${when}, now ${moved.words})`;
  }
  // A day that the provider left out counts as 0, and yet nobody saw a 0.
  if (count === 0 && numberAt(inputs, "omitted_days") !== undefined) {
    return `${name}: no data ${when} (normally about ${expectedText(expected)})`;
  }
  const run = numberAt(inputs, "days_in_a_row") ?? 1;
  const lasts = run > 1 ? `, ${ordinal(run)} day in a row` : sinceWords(inputs, now);
  const usual = `normally about ${expectedText(expected)}`;
  const on = run > 1 ? "" : ` ${when}`;
  return count === 0
    ? `${name} down to 0${on} (${usual})${lasts}`
    : `${name} ${changeWords(count, expected)} (${countText(count)}${on}, ${usual})${lasts}`;
};

/** `Bookings down 52% since 2 Nov (about 250 a day, before about 520)`, and whether it may be a season. */
export const lastingTitle: Title = (metric, inputs, now) => {
  const moved = levelOf(inputs, now);
  if (moved === undefined) return undefined;
  const season = inputs["year_ago"] === null ? ", may be seasonal" : "";
  return `${named(metric)} ${changeWords(moved.level, moved.before)} ${moved.since} (${moved.words})${season}`;
};

/** `Bookings down 45% (2,310 in the 7 days to 21 Nov, normally about 4,200)`. */
export const percentDropTitle: Title = (metric, inputs, now) => {
  const figures = figuresOf(inputs, now);
  const percent = numberAt(inputs, "drop_percent");
  if (figures === undefined || percent === undefined) return undefined;
  const { count, expected, when } = figures;
  return `${named(metric)} down ${percentText(percent)}% (${countText(count)} ${when}, normally about ${expectedText(expected)})${sinceWords(inputs, now)}`;
};

/** `Bookings passed 20,000 in total by 21 Nov`. */
export const milestoneTitle: Title = (metric, inputs, now) => {
  const milestone = numberAt(inputs, "milestone");
  const day = dayAt(objectAt(inputs, "report"), "date");
  if (milestone === undefined || day === undefined) return undefined;
  return `${named(metric)} passed ${countText(milestone)} in total by ${dayTextAt(day, now)}`;
};

/** `No report from harbor for 26 hours, last on 20 Nov 03:12 UTC`, and what else has to be known before it is judged. */
export const silenceTitle: Title = (site, inputs, now) => {
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
};

/** `The disk of the data folder is nearly full: less than 128 MiB of 2 GiB is free`. */
export const diskTitle: Title = (_about, inputs) => {
  const [below, total] = [numberAt(inputs, "free_below"), numberAt(inputs, "total")];
  if (below === undefined || total === undefined) return undefined;
  return `The disk of the data folder is nearly full: less than ${byteWords(below)} of ${byteWords(total)} is free`;
};

/** `The database's log has grown past 64 MiB; python3 (process 12) keeps it from shrinking`. */
export const logTitle: Title = (_about, inputs) => {
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
};

/** `The nightly webmaster-tools pull failed for 2 of 31 sites`; `…: its list of sites could not be had` where none was asked for. */
export const pullFailedTitle: Title = (_about, inputs) => {
  const [failed, sites] = [numberAt(inputs, "failed"), numberAt(inputs, "sites")];
  if (failed === undefined || sites === undefined) return undefined;
  const pull = "The nightly webmaster-tools pull failed";
  const list = inputs["list_failed"] === true ? ": the list of sites could not be had" : "";
  return failed === 0
    ? `${pull}${list}`
    : `${pull} for ${countText(failed)} of ${countWords(sites, "site")}${list}`;
};

/** `Analytics is late: no data since 20 Nov for 24 properties of tower@example`. */
export const sourceSilentTitle: Title = (_about, inputs, now) => {
  const [from, properties] = [dayAt(inputs, "from"), numberAt(inputs, "properties")];
  const { account } = inputs;
  if (from === undefined || properties === undefined || typeof account !== "string") return undefined;
  const of = `${countWords(properties, "property", "properties")} of ${account}`;
  return `Analytics is late: no data since ${dayTextAt(from, now)} for ${of}`;
};

/** `Webmaster tools reports 12 URLs answered with a server error (5xx)`. */
export const issueTitle: Title = (type, inputs) => {
  const [known, count] = [issueTypeOf(type), numberAt(inputs, "url_count")];
  if (known === undefined || count === undefined) return undefined;
  return `Webmaster tools reports ${countWords(count, "URL")} ${known.with}`;
};

/** A level that moved: "since 2 Nov", and "about 250 a day, before about 520". */
function levelOf(moved: TitleInputs, now: number) {
  const since = dayAt(moved, "since");
  const [level, before] = [numberAt(moved, "level"), numberAt(moved, "level_before")];
  if (since === undefined || level === undefined || before === undefined) return undefined;
  const words = `about ${expectedText(level)} a day, before about ${expectedText(before)}`;
  return { level, before, since: `since ${dayTextAt(since, now)}`, words };
}

/** A count with what was expected, and "on 21 Nov"; "in the 4 days to 21 Nov" for a window of more than a day. */
function figuresOf(inputs: TitleInputs, now: number) {
  const observed = objectAt(inputs, "observed");
  const [from, to] = [dayAt(observed, "from"), dayAt(observed, "to")];
  const [count, expected] = [numberAt(observed, "count"), numberAt(inputs, "expected")];
  if (from === undefined || to === undefined || count === undefined || expected === undefined)
    return undefined;
  const days = daysBetween(from, to) + 1;
  return { count, expected, when: `${days === 1 ? "on" : `in the ${days} days to`} ${dayTextAt(to, now)}` };
}

/** How far a count lies from what is usual: of it less than half again is told in percent, more in times. */
export function changeWords(count: number, expected: number): string {
  if (count === 0) return "down to 0";
  if (expected <= 0) return "up from 0";
  const ratio = count / expected;
  if (ratio >= 2) return `${countText(Math.round(ratio * 10) / 10)} times usual`;
  const percent = Math.round(Math.abs(ratio - 1) * 100);
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
const ordinal = (place: number): string => ORDINALS[place] ?? `${countText(place)}th`;

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

/** `search console`; undefined of what a site sends, and of no series. */
export function sourceName(source: string | null): string | undefined {
  return isProvider(source) ? PROVIDER_NAMES[source].toLowerCase() : undefined;
}

/** `clicks (search console)`; of what a site sends the name alone. */
export function seriesName(metric: string, source: string | null): string {
  const words = sourceName(source);
  return words === undefined ? metric : `${metric} (${words})`;
}
