/** Jobs as a page calls them, and their times in words. */

import type { AskedBy, RunFault } from "../../store/job_runs.ts";
import { formatCount, formatDecimal } from "../format.ts";

interface JobWords {
  readonly title: string;
  readonly what: string;
  /** What is missing while it does not run. */
  readonly lacks?: string;
}

const JOBS: Readonly<Record<string, JobWords>> = {
  constants: {
    title: "Constants document",
    what: "Applies changes of constants.toml.",
    lacks: "Changes of constants.toml have no effect.",
  },
  heartbeat: {
    title: "Heartbeat",
    what: "Records that Tower is up, so its own downtime is not counted as silence of a site.",
    lacks: "How long Tower was down will not be known.",
  },
  refusals: {
    title: "Refused reports",
    what: "Stores which reports were refused.",
    lacks: "A restart loses which reports were refused.",
  },
  freshness: {
    title: "Freshness",
    what: "Checks which sites stopped reporting.",
    lacks: "A site that stops reporting raises no flag.",
  },
  notices: {
    title: "Notices",
    what: "Sends notices to the channels.",
    lacks: "No notices are sent.",
  },
  bodies: {
    title: "Packing of reports",
    what: "Compresses checked reports.",
    lacks: "Nothing is lost; reports take more space.",
  },
  attempts: {
    title: "Packing of attempts",
    what: "Compresses old attempts and their figures.",
    lacks: "Nothing is lost; attempts take more space.",
  },
  growth: {
    title: "Growth of storage",
    what: "Measures what is stored, by kind.",
    lacks: "How fast storage grows is not known.",
  },
  "token-uses": {
    title: "Uses of tokens",
    what: "Stores when each token was last used.",
    lacks: "The last use of tokens is not known.",
  },
  scrub: {
    title: "Archive integrity check",
    what: "Verifies every stored report once a week, a few each hour.",
    lacks: "A damaged report is found only when it is read.",
  },
  "own-pulse": {
    title: "Tower's own report",
    what: "Tower's nightly report on itself.",
    lacks: "Tower's own nightly report is missing.",
  },
  backup: {
    title: "Backup",
    what: "A backup that somebody asked for.",
    lacks: "No sound backup was made.",
  },
  restore: {
    title: "Restore",
    what: "A backup that somebody restores into a new folder.",
    lacks: "The new folder was not filled; the data that Tower works with is untouched.",
  },
  "setup-link": {
    title: "Set-up link",
    what: "Renews the set-up link when it expires unused.",
    lacks: "An expired set-up link is not renewed.",
  },
  sense: {
    title: "Analytics and search console",
    what: "Daily figures of every attached property, last 97 days.",
    lacks: "No new figures of Analytics and Search console arrive, so no rule checks them.",
  },
  "webmaster-tools": {
    title: "Webmaster tools",
    what: "Daily clicks and impressions of every site verified under the key.",
    lacks: "No new figures of Webmaster tools arrive, so no rule checks them.",
  },
  panels: {
    title: "Search result panels",
    what: "Positions of sites in search results, for the panels that are due.",
    lacks: "Panels are not updated.",
  },
  "connection-test": { title: "Connection test", what: "Checks by hand whether an account has access." },
  "site-discovery": { title: "Site discovery", what: "Lists by hand which properties an account can see." },
  calendars: {
    title: "Calendars",
    what: "Reads each calendar once an hour: past events, and those of the next 60 days.",
    lacks: "Calendar events do not reach the timeline.",
  },
  analysis: {
    title: "Archive",
    what: "Full reports of the last four completed days, stored unchanged.",
    lacks: "No reports are archived, and the figures read from them grow old.",
  },
};

/** What a job is called. */
export function jobTitle(job: string): string {
  return JOBS[job]?.title ?? job;
}

/** What a job asks for, in a sentence; "" where that is not known. */
export function jobSentence(job: string): string {
  return JOBS[job]?.what ?? "";
}

/** What is missing while a job does not run, in a sentence; "" where that is not known. */
export function jobLacks(job: string): string {
  return JOBS[job]?.lacks ?? "";
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
