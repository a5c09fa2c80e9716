/**
 * Words that many pages use: what every kind of monitoring failure is called, what it means and what to do about it; jobs, categories of
 * failure and providers; who did something.
 */

import type { FlagRow } from "../../flags/flags.ts";
import { failureWords } from "../../health/capability_words.ts";
import { capabilityOf } from "../../health/catalogue.ts";
import type { HealthState } from "../../health/health.ts";
import type { MonitoringFailure, MonitoringKind } from "../../health/monitoring.ts";
import type { AccountProvider } from "../../providers/adapter.ts";
import type { FailureCategory } from "../../providers/faults.ts";
import { seriesName, sourceName } from "../../sites/rule_catalogue.ts";
import type { AskedBy, RunFault } from "../../store/job_runs.ts";
import { formatCount, formatDecimal } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { paths } from "../paths.ts";
import { Told } from "./links.tsx";
import { Moment } from "./proof.tsx";

/** A failure as a page tells it, beside its own reason. */
interface MonitoringWords {
  /** What is not watched, as the subject of a line. Ids and names that others gave may stand in it. */
  readonly what: string;
  /** What is missing while it lasts, of a job what it does; "" where its reason says it. */
  readonly lacks: string;
  /** Who must act, in a sentence. */
  readonly action: string;
  readonly link: { readonly href: string; readonly words: string };
}

type Telling = (failure: MonitoringFailure, isRecorded: boolean) => MonitoringWords;

const ofSite = (asset: string) => (asset === "" ? "" : ` of ${asset}`);

const TOLD: Readonly<Record<MonitoringKind, Telling>> = {
  constants: () => ({
    what: "The constants document",
    lacks: "",
    action: "Correct the document, or save an earlier version again.",
    link: { href: paths.constants, words: "Constants" },
  }),
  rule: ({ asset, source, subject }) => ({
    what: `The rules on ${subject === "" ? `what ${sourceName(source)} told` : seriesName(subject, source)}${ofSite(asset)}`,
    lacks: "No flag can be raised of it.",
    action: "Clears after the next report that can be checked.",
    link: { href: asset === "" ? paths.portfolio : paths.site(asset), words: "Open the site" },
  }),
  recorder: ({ asset, subject }) => ({
    what: `The health of ${capabilityOf(subject)?.label ?? "an integration"}${ofSite(asset)}`,
    lacks: "What was asked and sent is stored, but what came of it is not recorded.",
    action: "Nothing is sent again. It ends with the next outcome that is recorded.",
    link: {
      href: asset === "" ? paths.integrations : paths.siteIntegrations(asset),
      words: "Integrations",
    },
  }),
  job: ({ subject }, isRecorded) => ({
    what: `The job “${jobTitle(subject)}”`,
    lacks: jobSentence(subject),
    action: isRecorded
      ? "Stop a run that hangs, or run it now; it ends with the next run that comes off."
      : "Clears after the next successful run. Restart Tower if it lasts; the log names the cause.",
    link: isRecorded
      ? { href: `${paths.runs}#job-${subject}`, words: "Runs" }
      : { href: `${paths.health}#scheduled`, words: "Scheduled work" },
  }),
  credentials: ({ subject }) => ({
    what: "A credential",
    lacks: "Nothing is asked with it.",
    action: "Put the installation's key back, or replace the secret.",
    link: { href: paths.credential(subject), words: "Open the credential" },
  }),
  archive: () => ({
    what: "The archive",
    lacks: "What they hold is not served.",
    action:
      "Put them back from a backup and run tower archive verify; a report that is fetched again is stored again.",
    link: { href: paths.archive, words: "Archive" },
  }),
};

/** Jobs whose runs are kept, which can be run and stopped by hand. */
const RECORDED = ["sense", "webmaster-tools", "analysis", "calendars", "panels"];

/** A failure in words. */
export function monitoringWords(failure: MonitoringFailure): MonitoringWords {
  return TOLD[failure.kind](failure, RECORDED.includes(failure.subject));
}

/** A passage that must not be missed. `alert` interrupts a screen reader, `status` waits for a pause. */

export function Callout(props: {
  readonly tone?: HealthState | undefined;
  readonly role?: "alert" | "status" | undefined;
  readonly id?: string | undefined;
  readonly children: Child;
}) {
  return (
    <div class="callout" data-state={props.tone} role={props.role} id={props.id}>
      {props.children}
    </div>
  );
}

/** Most failures named; System health has all of them. */

const MOST_NAMED = 5;

/** What should be watched on a page and is not; nothing while all of it is. */
export function MonitoringNotice(props: { readonly failures: readonly MonitoringFailure[] }) {
  const { failures } = props;
  const more = failures.length - MOST_NAMED;
  if (failures.length === 0) return null;
  return (
    <Callout tone="unknown" id="not-watched">
      <p>
        <b>Not everything here is watched.</b> This is not an all-clear.{" "}
        <a href={paths.health}>System health</a>
      </p>
      <ul>
        {failures.slice(0, MOST_NAMED).map((failure) => {
          const { what, lacks, action, link } = monitoringWords(failure);
          return (
            <li>
              <Told class="wrap">{what}</Told>, since <Moment at={failure.since} />:{" "}
              <Told class="wrap">{failure.reason}</Told> {lacks} {action} <a href={link.href}>{link.words}</a>
            </li>
          );
        })}
        {more > 0 ? <li>And {formatCount(more)} more.</li> : null}
      </ul>
    </Callout>
  );
}

// Why a provider gave no result, and what to do about it, where no more than its category is known.

export function Reason({ category }: { readonly category: FailureCategory }) {
  const { why, action } = failureWords({ category, code: null });
  return (
    <>
      {why} {action.text}
    </>
  );
}

// Jobs as a page calls them, and their times in words.

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

// Categories of failure, as headings and choices call them.

export const CATEGORY_WORDS: Readonly<Record<FailureCategory, string>> = {
  access: "Access",
  rate_limit: "Rate limit",
  exhausted_budget: "Exhausted budget",
  network: "Network",
  provider_error: "Provider error",
  invalid_report: "Invalid report",
  incomplete_report: "Incomplete report",
  configuration: "Configuration",
  monitoring_failure: "Monitoring failure",
};

/** The same inside a sentence. */
export const categoryInside = (category: FailureCategory): string => CATEGORY_WORDS[category].toLowerCase();

// What the pages say of providers.

/** What a site gets of each, once a property of it is attached. */
export const PROVIDER_GIVES: Readonly<Record<AccountProvider, string>> = {
  analytics: "visitors, sessions, page views and events of 97 days, every 15 minutes, and who is there now",
  "search-console": "clicks, impressions, click rate and position of 97 days, every 15 minutes",
  "webmaster-tools": "clicks and impressions of 97 days, each night at 02:30 UTC",
  serp: "its position for the keywords of its panels, as often as each panel says",
};

// What raises a flag anew: a later report of the site, or a later reading of what a provider tells.

/** "report", or "reading" where a provider tells the figures. */
export function readingWord({ source }: Pick<FlagRow, "source">): "report" | "reading" {
  return sourceName(source) === undefined ? "report" : "reading";
}

/** Who did something, as the audit names them, in words that follow "by". */
export function actorWords(actor: string): string {
  return actor === "command-line" ? "the command line" : actor.replace(/^operator:/, "");
}

/** "6 of 8 working"; of one data source its state says it. */
export function workingWords(health: { readonly working: number; readonly monitored: number }): string {
  if (health.monitored === 0) return "nothing is due";
  return health.monitored === 1
    ? ""
    : `${formatCount(health.working)} of ${formatCount(health.monitored)} working`;
}
