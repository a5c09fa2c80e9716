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
    what: "Takes up what changed in constants.toml.",
    lacks: "What is changed in constants.toml has no effect.",
  },
  heartbeat: {
    title: "Heartbeat",
    what: "Notes that Tower is up, so that a silent site is told from a Tower that was down.",
    lacks: "For how long Tower itself was down is not known afterwards.",
  },
  refusals: {
    title: "Refused reports",
    what: "Stores which reports were refused.",
    lacks: "Which reports were refused is lost with a restart.",
  },
  freshness: {
    title: "Freshness",
    what: "Judges which sites are silent.",
    lacks: "A site that falls silent raises no flag.",
  },
  notices: {
    title: "Notices",
    what: "Sends what happened to the channels.",
    lacks: "Nobody is notified of anything.",
  },
  bodies: {
    title: "Packing of reports",
    what: "Packs judged reports, so that they take less room.",
    lacks: "Nothing is lost; reports take more room.",
  },
  attempts: {
    title: "Packing of attempts",
    what: "Packs settled attempts, so that they take less room.",
    lacks: "Nothing is lost; attempts take more room.",
  },
  "token-uses": {
    title: "Uses of tokens",
    what: "Stores when each token was last used.",
    lacks: "When a token was last used is not known.",
  },
  scrub: {
    title: "Archive integrity check",
    what: "Reads every stored report anew once a week, a few each hour.",
    lacks: "A stored report that is damaged is found only when it is read.",
  },
  "own-pulse": {
    title: "Tower's own report",
    what: "Tower's nightly report on itself.",
    lacks: "Tower's own nightly report is missing.",
  },
  "setup-link": {
    title: "Set-up link",
    what: "Makes a new set-up link where the last one expired unused.",
    lacks: "A set-up link that expired is not made anew.",
  },
  sense: {
    title: "Analytics and search console",
    what: "Daily figures of every attached property, the last 97 days of them.",
    lacks: "No new figures of analytics and search console are collected, and no rule judges them.",
  },
  "webmaster-tools": {
    title: "Webmaster tools",
    what: "Daily clicks and impressions of every site that is verified under the key.",
    lacks: "No new figures of webmaster tools are collected, and no rule judges them.",
  },
  panels: {
    title: "Search result panels",
    what: "Looks for sites in the results of a search engine, for the panels that are due.",
    lacks: "Panels are not asked for, and their results grow old.",
  },
  "connection-test": { title: "Connection test", what: "Whether an account is let in, asked by hand." },
  "site-discovery": { title: "Site discovery", what: "Which properties an account may see, asked by hand." },
  calendars: {
    title: "Calendars",
    what: "Events of the calendars that were added: those that came, and those of the next 60 days.",
    lacks: "Events do not come onto the timeline.",
  },
  analysis: {
    title: "Archive",
    what: "Whole reports of the last four completed days, kept as they came.",
    lacks: "No reports are archived, and what they teach of a site grows old.",
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
  if (askedBy === "start") return "the start of Tower: a missed run is made up";
  if (askedBy === "command") return "the command line";
  return askedBy.replace(/^operator:/, "");
}

/** Why a run ended before its work was done. */
export const FAULT_WORDS: Readonly<Record<RunFault, string>> = {
  error: "It broke off with an error of Tower's own. What came before stays; the log names the place.",
  stopped: "It was stopped. Results until then are kept.",
  cut_off: "Tower ended while it was under way. What came before stays.",
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
