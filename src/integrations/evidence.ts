/** What is known of each target: what was recorded of it, or what is stored of the reports that it sent. Pure. */

import type { Capability } from "../health/catalogue.ts";
import { type Evidence, type HealthState, type Observation, opaqueId, type Scope } from "../health/health.ts";
import { listLasting, listMonitoringFailures, type Monitored, noteRecovery } from "../health/monitoring.ts";
import { after, joined, recorderOf } from "../health/record.ts";
import { REPORT_ROUTES, refusalCategory, type StreakEnd } from "../health/refusals.ts";
import { isSound, type KnownState } from "../health/state_store.ts";
import type { Core } from "../store/core.ts";
import type { HealthView, TargetView } from "./integrations.ts";
import type { KnownParts, SiteRows } from "./inventory.ts";
import { type MonitoredTarget, reportOf } from "./monitored_targets.ts";

/** Which recorders a target's outcomes are written down by, as monitoring names them. Pure. */

/** One text for what a recorder records. */
const recorderKey = ({ asset, source, subject }: Omit<Monitored, "kind">): string =>
  [subject, source, asset].join("\n");

/** Its own, and of figures that are asked for over a connection that of the connection. */
function recordersOf(
  { id, provider, kind }: Pick<Capability, "id" | "provider" | "kind">,
  { asset, target, connectionRevision }: Pick<TargetView, "asset" | "target" | "connectionRevision">,
): readonly string[] {
  const named = { capability: id, provider };
  const own = recorderKey(recorderOf({ ...named, asset, target }));
  if (kind !== "production_read" || asset === "") return [own];
  return [own, recorderKey(recorderOf({ ...named, asset: "", target: opaqueId(connectionRevision) }))];
}

/** What is known of a target. */
export interface Known {
  readonly evidence: Evidence | "unreadable" | undefined;
  /**
   * When the latest attempt began that somebody else knows of: the source's own record, or a recorder that failed. Milliseconds since the
   * epoch; undefined where there is none.
   */
  readonly sourceAttemptAt: number | undefined;
  /** What is known of the whole account, where it fails; of archive reports alone, since it stands for those that are due. */
  readonly account?: Evidence;
}

/** What was recorded and received of a target, by the rows of its site. */
type EvidenceOf = (target: MonitoredTarget, rows: SiteRows) => Known;

/** An attempt that nobody knows the moment of: whatever is green may be older. */
export const ANY_MOMENT = Number.MAX_SAFE_INTEGER;

const UNOBSERVED: Known = { evidence: undefined, sourceAttemptAt: undefined };
const UNREADABLE: Known = { evidence: "unreadable", sourceAttemptAt: undefined };

/** Makes the look-up of what is stored; `ofAccounts` are the rows of no site. */
export function evidenceIn(parts: KnownParts, ofAccounts: SiteRows, workspace: string): EvidenceOf {
  const unrecorded = unrecordedSince(parts);
  return (target, rows) => {
    const { capability, asset, connectionRevision } = target;
    const { states } = rows;
    if (capability.observedBy === null) return UNOBSERVED;
    const own =
      capability.observedBy === "manifest"
        ? undefined
        : states && evidenceFor(states, (scope) => isOf(scope, target), workspace);
    if (capability.observedBy === "reports") {
      const received = receivedOf(reportOf(capability), rows);
      return received === "unreadable"
        ? UNREADABLE
        : { evidence: together(own, received), sourceAttemptAt: undefined };
    }
    const missed = unrecorded(target);
    if (states === undefined) return { evidence: "unreadable", sourceAttemptAt: missed };
    if (capability.kind !== "production_read" || asset === "")
      return { evidence: own, sourceAttemptAt: missed };
    const isOfAccount = (scope: Scope) =>
      scope.capability === capability.id && scope.connectionRevision === connectionRevision;
    const account = evidenceFor(ofAccounts.states ?? [], isOfAccount, workspace);
    // Of reports the manifest is the evidence. The source's own record is of the daily figures: of reports it says nothing.
    if (capability.observedBy === "manifest") return ofReports(parts, account, missed);
    return {
      evidence: underAccount(own, account),
      sourceAttemptAt: latest(lastAttempt(target, rows), missed),
    };
  };
}

type Readable = Evidence | "unreadable";

function ofReports(
  { archive }: KnownParts,
  account: Readable | undefined,
  missed: number | undefined,
): Known {
  if (archive === undefined || account === "unreadable")
    return { evidence: "unreadable", sourceAttemptAt: missed };
  const known = { evidence: undefined, sourceAttemptAt: missed };
  return account === undefined || account.latest.category === null ? known : { ...known, account };
}

/** What is known of the first scope that is meant. */
function evidenceFor(
  states: readonly KnownState[],
  isMeant: (scope: Scope) => boolean,
  workspace: string,
): Readable | undefined {
  const evidence = states.find(({ scope }) => isMeant(scope) && scope.workspace === workspace)?.evidence;
  return evidence === undefined || evidence === "unreadable" || isSound(evidence) ? evidence : "unreadable";
}

const isOf = (scope: Scope, { capability, target, connectionRevision, family }: MonitoredTarget): boolean =>
  scope.capability === capability.id &&
  scope.target === target &&
  scope.connectionRevision === connectionRevision &&
  scope.family === family;

/**
 * What fails for a whole account fails for each of its sites, which are not asked meanwhile. That the account is let in says nothing of a
 * site's figures.
 */
export function underAccount(own: Readable | undefined, account: Readable | undefined): Readable | undefined {
  if (own === "unreadable" || account === "unreadable") return "unreadable";
  if (account === undefined || account.latest.category === null) return own;
  const failure: Evidence = { ...account, success: undefined };
  return own === undefined ? failure : joined(own, failure);
}

/** A report that ended refusals is known by what was recorded, and its day by what was received. */
function together(known: Readable | undefined, received: Evidence | undefined): Readable | undefined {
  if (known === "unreadable" || received === undefined) return known;
  if (known === undefined) return received;
  const both = joined(known, received);
  const coveredDate = both.success?.coveredDate ?? received.success?.coveredDate ?? null;
  return both.success === undefined ? both : { ...both, success: { ...both.success, coveredDate } };
}

/** What was received of a kind of report, and what was refused since. */
function receivedOf(
  kind: keyof typeof REPORT_ROUTES,
  { nights, codebase, refused }: SiteRows,
): Readable | undefined {
  const received =
    kind === "nightly"
      ? nights
      : codebase?.map(({ asset, receivedAt, date }) => ({ asset, at: receivedAt, date }));
  if (received === undefined || refused === undefined) return "unreadable";
  const outcomes = [
    ...received.map(({ at, date }) => outcome(`received:${at}`, at, { ok: true, coveredDate: date })),
    ...refused.flatMap(({ route, code, lastAt }) =>
      route === REPORT_ROUTES[kind] ? refusal(code, lastAt) : [],
    ),
  ];
  return outcomes.reduce<Evidence | undefined>(after, undefined);
}

const refusal = (code: StreakEnd["code"], at: number): Observation =>
  outcome(`refused:${at}:${code}`, at, {
    ok: false,
    category: refusalCategory(code),
    code: null,
    nextRetryAt: null,
  });

const outcome = (attempt: string, at: number, result: Observation["result"]): Observation => ({
  attempt,
  startedAt: at,
  observedAt: at,
  result,
});

/** When the site was last asked about; where that cannot be read, at any moment. */
function lastAttempt(
  { capability, connectionRevision, property }: MonitoredTarget,
  { attempts }: SiteRows,
): number | undefined {
  if (attempts === undefined) return ANY_MOMENT;
  return attempts.reduce<number | undefined>(
    (newest, one) =>
      one.provider === capability.provider &&
      one.connectionRevision === connectionRevision &&
      one.property === property
        ? latest(newest, one.startedAt)
        : newest,
    undefined,
  );
}

/** Since when what a capability came to could not be recorded: of a site, or of everything over its connection. */
function unrecordedSince({ monitoring = [] }: KnownParts): (target: MonitoredTarget) => number | undefined {
  const since = new Map(
    monitoring.filter(({ kind }) => kind === "recorder").map((one) => [recorderKey(one), one.since] as const),
  );
  if (since.size === 0) return () => undefined;
  return (target) =>
    recordersOf(target.capability, target)
      .map((key) => since.get(key))
      .reduce(latest, undefined);
}

const latest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);

/**
 * Recorders that failed end with the next outcome that they record. Of what is watched no more, such as a connection that was taken away or
 * a token that was revoked, none comes: its failure would be told for ever.
 */

/** Ends the failures of recorders of which no outcome can come. Where what is set up cannot be read, all of them stay. */
export async function endUnwatched(
  { store, writer, health }: Core & { readonly health: { read(now: number): HealthView } },
  now: number,
): Promise<void> {
  if (listMonitoringFailures(store.db, { kind: "recorder" }, 1).length === 0) return;
  const { coverage, capabilities } = health.read(now);
  if (coverage.state === "unknown") return;
  const watched = new Set(
    capabilities.flatMap(({ capability, provider, kind, targets }) =>
      targets
        .filter(({ state }) => isRecorded(provider, state))
        .flatMap((target) => recordersOf({ id: capability, provider, kind }, target)),
    ),
  );
  await writer.write((tx) => {
    for (const failure of listLasting(tx)) {
      // One without a name is of a fault in Tower itself.
      if (failure.kind !== "recorder" || failure.subject === "") continue;
      if (!watched.has(recorderKey(failure))) noteRecovery(tx, failure, now);
    }
  });
}

/** Whether an outcome can come: not of what was taken away. A good report is recorded only where it ends refusals in a row. */
const isRecorded = (provider: string, state: HealthState): boolean =>
  provider === "ingest" ? ["failing", "paused", "unknown"].includes(state) : state !== "disconnected";
