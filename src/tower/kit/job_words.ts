/** Jobs as a page calls them, and their times in words. */

import type { AskedBy, RunFault } from "../../store/job_runs.ts";
import { formatCount, formatDecimal } from "../format.ts";

const JOBS: Readonly<Record<string, readonly [title: string, what: string]>> = {
  constants: ["Constants document", "Applies changes of constants.toml."],
  heartbeat: [
    "Heartbeat",
    "Records that Tower is up, so its own downtime is not counted as silence of a site.",
  ],
  refusals: ["Refused reports", "Stores which reports were refused."],
  freshness: ["Freshness", "Checks which sites stopped reporting."],
  notices: ["Notices", "Sends notices to the channels."],
  bodies: ["Packing of reports", "Compresses checked reports."],
  attempts: ["Packing of attempts", "Compresses old attempts and their figures."],
  growth: ["Growth of storage", "Measures what is stored, by kind."],
  "token-uses": ["Uses of tokens", "Stores when each token was last used."],
  scrub: ["Archive integrity check", "Verifies every stored report once a week, a few each hour."],
  "own-pulse": ["Tower's own report", "Tower's nightly report on itself."],
  backup: ["Backup", "A backup that somebody asked for."],
  restore: ["Restore", "Fills a new folder from a backup. The data in use is untouched."],
  "setup-link": ["Set-up link", "Renews the set-up link when it expires unused."],
  sense: ["Analytics and search console", "Daily figures of every attached property, last 97 days."],
  "webmaster-tools": [
    "Webmaster tools",
    "Daily clicks and impressions of every site verified under the key.",
  ],
  panels: ["Search result panels", "Positions of sites in search results, for the panels that are due."],
  "connection-test": ["Connection test", "Checks by hand whether an account has access."],
  "site-discovery": ["Site discovery", "Lists by hand which properties an account can see."],
  calendars: ["Calendars", "Reads each calendar once an hour: past events, and those of the next 60 days."],
  analysis: ["Archive", "Full reports of the last four completed days, stored unchanged."],
};

/** What a job is called. */
export function jobTitle(job: string): string {
  return JOBS[job]?.[0] ?? job;
}

/** What a job asks for, in a sentence; "" where that is not known. */
export function jobSentence(job: string): string {
  return JOBS[job]?.[1] ?? "";
}

/** When a cron expression comes, in words; the expression itself where it has none. */
export function timesInWords(at: string): string {
  const [, seconds] = /^\*\/(\d+) \* \* \* \* \*$/.exec(at) ?? [];
  if (seconds !== undefined) return `every ${seconds} seconds`;
  if (/^\d+ \* \* \* \* \*$/.test(at)) return "every minute";
  const [, minutes] = /^(?:\d+ )?\*\/(\d+) \* \* \* \*$/.exec(at) ?? [];
  if (minutes !== undefined) return `every ${minutes} minutes`;
  const [, ofHour] = /^(\d{1,2}) \* \* \* \*$/.exec(at) ?? [];
  if (ofHour !== undefined) return `every hour at ${ofHour} minutes past`;
  const [, minute, hour] = /^(\d{1,2}) (\d{1,2}) \* \* \*$/.exec(at) ?? [];
  if (minute === undefined || hour === undefined) return at;
  return `every day at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")} UTC`;
}

/** Who asked for a run. */
export function askedByWords(askedBy: AskedBy | null): string {
  if (askedBy === null) return "not recorded";
  if (askedBy === "schedule") return "the schedule";
  if (askedBy === "start") return "Tower's start, for a missed run";
  if (askedBy === "command") return "the command line";
  return askedBy.replace(/^operator:/, "");
}

/** Why a run ended before its work was done. */
export const FAULT_WORDS: Readonly<Record<RunFault, string>> = {
  error: "It broke off with an error in Tower. Results until then are kept; the log has details.",
  stopped: "It was stopped. Results until then are kept.",
  cut_off: "Tower ended while it was running. Results until then are kept.",
};

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** How long something took: "340 ms", "2.4 s", "3 min 20 s". */
export function tookWords(ms: number): string {
  if (ms < SECOND_MS) return `${ms} ms`;
  if (ms < MINUTE_MS) return `${formatDecimal(ms / SECOND_MS)} s`;
  const [minutes, seconds] = [Math.floor(ms / MINUTE_MS), Math.floor((ms % MINUTE_MS) / SECOND_MS)];
  return seconds === 0 ? `${formatCount(minutes)} min` : `${formatCount(minutes)} min ${seconds} s`;
}
