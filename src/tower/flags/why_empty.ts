/** Why a list of flags is empty: an empty list is an all-clear only for what rules could test. */
import { listAllAssets } from "../../assets/mod.ts";
import { hasCodebaseReport } from "../../codebase/mod.ts";
import type { Db } from "../../db/mod.ts";
import { countOutcomes } from "../../flow/mod.ts";
import type { MonitoringFailure } from "../../monitoring/mod.ts";
import { findBacklog, hasNightlyReport } from "../../pulse/mod.ts";
import { countOf } from "../format.ts";
import { backlogWords } from "../nightly/unjudged.tsx";

/** How the service stands when no flag is there. */
export type WhyEmpty =
  /** No site is monitored. */
  | { readonly state: "no_sites" }
  /** No report has come yet. */
  | { readonly state: "waiting" }
  /** The site is silent: there is no report to check, and the flag about it is snoozed. */
  | { readonly state: "silent" }
  /** Rules ran and found nothing. `notTested` says in a sentence what they could not test. */
  | { readonly state: "quiet"; readonly notTested?: string | undefined }
  /** Reports came, but no rule could run yet, with the reason. */
  | { readonly state: "not_tested"; readonly reason: string }
  /** Rules should have run and did not: none of them, or `some`. What keeps them stands above the list; `reason` says what else. */
  | { readonly state: "failing"; readonly some: boolean; readonly reason?: string | undefined };

/** Jobs that judge, or bring what is judged. */
const JUDGING_JOBS = ["freshness", "sense", "webmaster-tools", "analysis"];

/** Whether a failure keeps rules from judging, or from judging as they are set. */
export const concernsRules = ({ kind, subject }: MonitoringFailure): boolean =>
  kind === "constants" || keepsFromJudging({ kind, subject });

/** With a broken constants document the rules run all the same, by the last good one. */
const keepsFromJudging = ({ kind, subject }: Pick<MonitoringFailure, "kind" | "subject">): boolean =>
  kind === "rule" || (kind === "job" && JUDGING_JOBS.includes(subject));

/** Reports that wait longer than this were not judged when they should have been, in milliseconds. */
const BEHIND_MS = 5 * 60_000;

/** How a site or the whole portfolio stands. `unwatched`: the failures that concern it. */
export function readWhyEmpty(
  db: Db,
  of: { readonly site: string | undefined; readonly except: string },
  unwatched: readonly MonitoringFailure[],
  now: number,
): WhyEmpty {
  const { site, except } = of;
  if (listAllAssets(db).every(({ id }) => id === except)) return { state: "no_sites" };
  const measured = hasCodebaseReport(db, of);
  const reported = hasNightlyReport(db, of);
  const { tested, notTested } = countOutcomes(db, of);
  const isJudged = measured || tested > 0;
  const backlog = findBacklog(db, site);
  const waiting = backlogWords(backlog, now);
  const isBehind = backlog.since !== undefined && now - backlog.since >= BEHIND_MS;
  const told = waiting === undefined ? [] : [`${waiting}.`];
  if (isBehind || unwatched.some(keepsFromJudging)) {
    return { state: "failing", some: isJudged, reason: told[0] };
  }
  // What providers tell is judged where a site sends nothing, too.
  if (!measured && !reported && tested + notTested === 0) return { state: "waiting" };
  const untested = `${countOf(notTested, "metric")} could not be tested when last judged.`;
  if (isJudged) {
    const rest = [
      ...(notTested === 0
        ? []
        : [`${untested} This is not an all-clear for ${notTested === 1 ? "it" : "them"}.`]),
      ...told,
    ];
    return { state: "quiet", notTested: rest.length === 0 ? undefined : rest.join(" ") };
  }
  return {
    state: "not_tested",
    reason: notTested === 0 ? "No metric has a daily count yet." : untested,
  };
}
