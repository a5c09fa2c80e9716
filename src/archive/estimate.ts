/** How much a run would ask for, before it begins: from the plan, and from what the last runs needed. */

import { Slices } from "../base/concurrency.ts";
import { PROVIDERS, type Provider } from "../providers/adapter.ts";
import { type CredentialQueue, laneName } from "../providers/queued_request.ts";
import { leastRequests } from "../providers/report_families.ts";
import { findKnownProperty } from "../signals/observations.ts";
import { attachedQuestions, type Question } from "../signals/pull.ts";
import { matchedQuestions } from "../signals/pull_webmaster.ts";
import { type Db, statement } from "../store/store.ts";
import { knownFamily, listTargets, planProperty, providerDay, resumedFrom } from "./plan.ts";
import type { PlannedProperty } from "./property_run.ts";

// Which properties are archived, and what is asked of each: gathered from what is stored, a few at a time.

const anybody = statement<{ found: number }, []>(
  `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM credential WHERE kind = 'webmaster-tools-key')
     OR EXISTS (SELECT 1 FROM attachment a JOIN asset s ON s.id = a.asset WHERE s.lifecycle <> 'retired')`,
);

/** Whether there is anybody to ask, without gathering whom: a site with a property, or an account that may have sites of its own. */
export const asksAnybody = (db: Db): boolean => anybody(db).first() !== undefined;

/** When it is planned. */
interface Planning {
  readonly now: number;
  readonly startedAt: number;
  readonly resumes: number | undefined;
}

/** What is asked of each property. */
export async function planned(db: Db, { now, startedAt, resumes }: Planning): Promise<PlannedProperty[]> {
  const properties: PlannedProperty[] = [];
  const slices = new Slices();
  // Addresses that an account of webmaster tools was found to have of sites that are attached nowhere, too.
  for (const question of [...attachedQuestions(db, PROVIDERS), ...matchedQuestions(db, now)]) {
    const { provider } = question;
    const timeZone = timeZoneOf(db, question);
    const today = providerDay(provider, now, timeZone);
    const plan = planProperty(provider, { now, startedAt, timeZone }, (family) =>
      knownFamily(db, question, family, { today, resumes }),
    );
    properties.push({ question, timeZone, plan });
    await slices.next();
  }
  return properties;
}

/** The property's calendar as its provider last told it, or as it was discovered. */
function timeZoneOf(db: Db, question: Question): string | undefined {
  const known = findKnownProperty(db, question).last?.timeZone;
  return known !== undefined && known !== "" ? known : (question.discoveredZone ?? undefined);
}

/** What a report takes where none of its family was brought in yet, in milliseconds. */
const USUAL_MS = 600;
/** Questions beside its reports that a property is asked: its last final day, its registered parameters. */
const BESIDE: Readonly<Record<Provider, number>> = {
  analytics: 1,
  "search-console": 1,
  "webmaster-tools": 0,
};

const lastOf = statement<{ requests: number; took_ms: number }, [number]>(
  `SELECT r.requests, r.took_ms FROM archive_standing s JOIN archive_report r ON r.id = s.usable
   WHERE s.target = ? AND r.requests > 0`,
);

/**
 * What a run that began now would ask for; a few properties at a time. Requests at least: pages as the last reports had them, and a report
 * that grew needs more. About how long it takes in milliseconds: the longest lane, which is everything of a provider over one credential, by
 * how long the last reports took and by the pauses between two.
 */
export async function estimated(db: Db, queue: CredentialQueue, now: number) {
  const resumes = resumedFrom(db, Number.MAX_SAFE_INTEGER, now);
  const properties = await planned(db, { now, startedAt: now, resumes });
  const lanes = [];
  for (const ofLane of Map.groupBy(properties, ({ question }) => laneName(question)).values()) {
    const [first] = ofLane;
    if (first === undefined) continue;
    const { credential, provider } = first.question;
    const { atOnce, gapMs } = queue.paceOf(provider);
    let [reports, requests, ms] = [0, 0, 0];
    for (const property of ofLane) {
      const due = costOf(db, property);
      reports += property.plan.reports.length;
      requests += due.requests;
      ms += due.ms + gapMs * property.plan.reports.length;
      await new Promise(setImmediate);
    }
    // One property is asked one question at a time.
    const aboutMs = Math.round(ms / Math.min(atOnce, ofLane.length));
    lanes.push({ provider, credential, reports, requests, aboutMs });
  }
  return {
    sites: new Set(properties.map(({ question }) => question.asset)).size,
    properties: properties.length,
    reports: lanes.reduce((sum, { reports }) => sum + reports, 0),
    requests: lanes.reduce((sum, { requests }) => sum + requests, 0),
    lanes,
    aboutMs: Math.max(0, ...lanes.map(({ aboutMs }) => aboutMs)),
  };
}

export type Estimate = Awaited<ReturnType<typeof estimated>>;

function costOf(db: Db, { question, plan }: PlannedProperty) {
  const { asset, provider, property } = question;
  const beside = plan.reports.length === 0 ? 0 : BESIDE[provider];
  let [requests, ms] = [beside, beside * USUAL_MS];
  for (const [family, reports] of Map.groupBy(plan.reports, (report) => report.family)) {
    const least = leastRequests(family);
    const last = listTargets(db, { asset, provider, family: family.name })
      .filter((target) => target.property === property)
      .flatMap(({ id }) => lastOf(db).first(id) ?? [])
      .at(-1);
    requests += Math.max(least, last?.requests ?? 0) * reports.length;
    ms += (last?.took_ms ?? least * USUAL_MS) * reports.length;
  }
  return { requests, ms };
}
