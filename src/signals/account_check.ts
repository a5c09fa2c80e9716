/** Asking an account, as a run of its own with an attempt for each provider. It is evidence of the account alone: of no site's figures. */

import { type Check, checkScope } from "../health/health.ts";
import { recordResult, resultOf } from "../health/record.ts";
import { findEvidence } from "../health/state_store.ts";
import {
  type AccountProvider,
  type DiscoveredProperty,
  isProvider,
  type Provider,
} from "../providers/adapter.ts";
import { testReports } from "../providers/analytics.ts";
import type { Asked, ProviderClient } from "../providers/client.ts";
import { type Credential, findConnection, findCredential } from "../providers/credentials.ts";
import {
  type FailureCategory,
  type Fault,
  faultOf,
  isLimit,
  nextRetryAt,
  type Outcome,
} from "../providers/faults.ts";
import { listProperties, replaceProperties } from "../providers/properties.ts";
import { discover } from "../providers/providers.ts";
import { type Answered, type AskGround, askInTurn, type Connection } from "../providers/queued_request.ts";
import type { Credentials } from "../providers/sealing.ts";
import { testSerp } from "../providers/serp.ts";
import type { Core } from "../store/core.ts";
import type { AskedBy, RunHandle } from "../store/job_runs.ts";
import type { Jobs } from "../store/jobs.ts";
import type { Db, Tx } from "../store/store.ts";
import { failedOutcome, findConnectionHold, noteAttempt, type PullOutcome } from "./attempts.ts";
import type { Pulls } from "./signals.ts";

/** Names of the two jobs whose runs these are. */
const CONNECTION_JOBS = ["site-discovery", "connection-test"] as const;
export type ConnectionJob = (typeof CONNECTION_JOBS)[number];

/** What one provider answered. */
export interface ProviderAnswer {
  readonly provider: AccountProvider;
  /** Why there is no answer, or why it is of no use; undefined where all is well. */
  readonly fault: Fault | undefined;
  /** Whether it was asked: within a limit it named itself it is not. */
  readonly wasAsked: boolean;
  /** False where what came of it is stored, but could not be recorded as health. */
  readonly isMonitored: boolean;
  /** When it may be asked again, in milliseconds since the epoch; undefined for any time. */
  readonly nextRetryAt: number | undefined;
  /** What it listed; undefined where no list came. */
  readonly properties: readonly DiscoveredProperty[] | undefined;
}

/** What came of asking an account. */
export type AccountAnswer =
  | {
      readonly ok: true;
      /** As it was when it was asked. */
      readonly credential: Credential;
      readonly answers: readonly ProviderAnswer[];
    }
  /** There is no such credential; another run of the job is under way; the run was stopped or failed. */
  | { readonly ok: false; readonly why: "missing" | "busy" | "stopped" };

/** What asking takes. */
export interface ConnectionDeps extends Omit<AskGround, "queue">, Core {
  readonly jobs: Jobs;
  readonly credentials: Credentials;
  readonly pulls: Pulls;
}

/** Who asks, and what of. */
interface Asking {
  readonly job: ConnectionJob;
  /** The credential's id. */
  readonly credential: string;
  /** Which of its providers; all where none is named. */
  readonly providers?: readonly AccountProvider[];
  readonly by: AskedBy;
  /** Gives up what is under way. */
  readonly signal?: AbortSignal | undefined;
}

/** Asks each provider of an account in turn. */
export async function askAccount(deps: ConnectionDeps, asking: Asking): Promise<AccountAnswer> {
  const credential = findCredential(deps.store.db, asking.credential);
  if (credential === undefined) return { ok: false, why: "missing" };
  const { job, by, signal } = asking;
  // An account of search result pages has no properties to list.
  const providers = (asking.providers ?? credential.providers).filter(
    (provider) => job === "connection-test" || isProvider(provider),
  );
  const answers: ProviderAnswer[] = [];
  const work = async (run: RunHandle) => {
    for (const [done, provider] of providers.entries()) {
      run.progress(done, providers.length, provider);
      const answer = await askProvider(deps, run, { job, credential: credential.id, provider });
      if (answer === undefined) return;
      answers.push(answer);
    }
  };
  const report = await deps.jobs.runEntry({ name: job, at: "", recorded: true, work }, by, signal);
  if (report.outcome === "busy") return { ok: false, why: "busy" };
  return answers.length < providers.length
    ? { ok: false, why: "stopped" }
    : { ok: true, credential, answers };
}

type Question = Check & Connection;

/** Undefined where it was given up, which is nobody's failure. */
async function askProvider(
  deps: ConnectionDeps,
  run: RunHandle,
  { job, credential, provider }: Pick<Question, "job" | "credential" | "provider">,
): Promise<ProviderAnswer | undefined> {
  const { db } = deps.store;
  const connectionRevision = findConnection(db, credential);
  if (connectionRevision === undefined) return unanswered(provider, faultOf("credential_removed"));
  const of = { workspace: deps.config.workspace, job, credential, provider, connectionRevision };
  let held: ProviderAnswer | undefined;
  const turn = await askInTurn({ ...deps, queue: deps.pulls.queue }, of, {
    priority: "person",
    signal: run.signal,
    hold: (now) => {
      held = heldBy(deps, of, now);
      return held && "held";
    },
    ask: (client) => ask(client, provider, job),
    record: (answered) => recorded(deps, run, of, answered),
  });
  if ("recorded" in turn) return turn.recorded;
  if (held?.nextRetryAt !== undefined) run.count("held");
  return held;
}

function unanswered(provider: AccountProvider, fault: Fault): ProviderAnswer {
  return {
    provider,
    fault,
    wasAsked: false,
    isMonitored: true,
    nextRetryAt: undefined,
    properties: undefined,
  };
}

/**
 * Why an account is not asked. A limit that the provider named is kept, whoever asks; what only a person can put right may be looked at by
 * one at any time. A credential that cannot be opened asks nobody, and its fault is recorded.
 */
function heldBy(
  { store: { db }, credentials }: ConnectionDeps,
  of: Question,
  now: number,
): ProviderAnswer | undefined {
  const { credential, provider, connectionRevision } = of;
  const current = findConnection(db, credential);
  // It was removed, or replaced, while it waited for its turn.
  if (current === undefined) return unanswered(provider, faultOf("credential_removed"));
  if (current !== connectionRevision) return unanswered(provider, faultOf("connection_changed"));
  const hold = credentials.canOpen(credential) ? findConnectionHold(db, of, now) : undefined;
  if (hold === undefined || !isLimit(hold.category)) return undefined;
  const fault = faultOf(hold.category === "rate_limit" ? "rate_limited" : "account_quota");
  return { ...unanswered(provider, fault), nextRetryAt: hold.until };
}

/** What was seen of an account: it may be listed, and of no use all the same. */
interface Seen {
  readonly properties: readonly DiscoveredProperty[] | undefined;
  readonly fault?: Fault;
}

/**
 * The list of what the account may see; a test asks for a report, too, since reports are an API of their own. An account that may see
 * nothing is of no use, though its sign-in is taken.
 */
async function ask(
  client: ProviderClient,
  provider: AccountProvider,
  job: ConnectionJob,
): Promise<Asked<Seen>> {
  if (provider === "serp") {
    // It has no list; to be let in is the whole test, and to look costs nothing.
    const { outcome, requests } = await testSerp(client);
    return { outcome: outcome.ok ? { ok: true, value: { properties: undefined } } : outcome, requests };
  }
  const { outcome, requests } = await discover(client, provider);
  if (!outcome.ok) return { outcome, requests };
  const properties = outcome.value;
  const seen = (fault?: Fault): Outcome<Seen> => ({
    ok: true,
    value: { properties, ...(fault && { fault }) },
  });
  if (job === "site-discovery") return { outcome: seen(), requests };
  if (!properties.some(({ usable }) => usable)) return { outcome: seen(faultOf("no_property")), requests };
  // The list is the whole test of the other two.
  if (provider !== "analytics") return { outcome: seen(), requests };
  const tested = await testReports(client);
  const fault = tested.outcome.ok ? undefined : tested.outcome.fault;
  const isStopped = fault?.code === "stopped";
  return {
    outcome: isStopped ? { ok: false, fault } : seen(fault),
    requests: requests + tested.requests,
  };
}

/** Writes the attempt, and what was listed where the connection is still the one that was asked over. */
async function recorded(
  deps: ConnectionDeps,
  run: RunHandle,
  question: Question,
  { outcome: answer, startedAt, finishedAt, requests }: Answered<Seen>,
): Promise<ProviderAnswer> {
  const { credential, provider, connectionRevision } = question;
  const { fault, properties }: Seen = answer.ok
    ? answer.value
    : { properties: undefined, fault: answer.fault };
  const outcome = outcomeOf(fault, properties);
  const target = { asset: "", provider, connectionRevision, property: "", timeZone: "" };
  const went = { run: run.id, target, startedAt, finishedAt, requests };
  const isFailed = outcome === "failed" || outcome === "incomplete";
  const written = await deps.writer.write((tx) => {
    const isCurrent = findConnection(tx, credential) === connectionRevision;
    const retryAt =
      fault === undefined || outcome === "empty" ? null : holdOf(tx, question, fault, finishedAt);
    const category = isFailed ? (fault?.category ?? null) : null;
    const { id: _, ...attempt } = noteAttempt(tx, went, { outcome, category, nextRetryAt: retryAt });
    if (isCurrent && properties !== undefined && isProvider(provider)) {
      keepList(tx, { credential, provider }, properties, finishedAt);
    }
    // What only a person can put right holds what is pulled, and no check: that may be asked for at any time.
    const nextRetryAt = fault !== undefined && isLimit(fault.category) ? retryAt : null;
    const isMonitored = recordResult(tx, checkScope(question), attempt, resultOf(fault, { nextRetryAt }));
    return { isCurrent, retryAt, isMonitored };
  });
  const { isCurrent, retryAt, isMonitored } = written;
  run.count(outcome);
  if (!isMonitored) run.unmonitored();
  return {
    provider,
    fault: isCurrent ? fault : faultOf("connection_changed"),
    wasAsked: true,
    isMonitored,
    nextRetryAt: retryAt ?? undefined,
    properties: isCurrent ? properties : undefined,
  };
}

function outcomeOf(fault: Fault | undefined, properties: Seen["properties"]): PullOutcome {
  if (fault !== undefined && fault.code !== "no_property") return failedOutcome(fault.category);
  if (properties === undefined) return "unchanged";
  return properties.some(({ usable }) => usable) ? "unchanged" : "empty";
}

/** Only what concerns the whole account holds everything that is asked over it; a failure of another kind ends no hold. */
function holdOf(tx: Tx, { provider, connectionRevision }: Question, fault: Fault, now: number) {
  const earlier = findConnectionHold(tx, { provider, connectionRevision }, now)?.until ?? null;
  return fault.scope === "credential" ? (nextRetryAt(fault, now) ?? earlier) : earlier;
}

/** The list in the place of the one before. Time zones are told apart from the list: one that was known stays known. */
function keepList(
  tx: Tx,
  of: { readonly credential: string; readonly provider: Provider },
  properties: readonly DiscoveredProperty[],
  now: number,
): void {
  const zones = new Map(
    listProperties(tx, of.credential)
      .filter(({ provider }) => provider === of.provider)
      .map(({ property, timeZone }) => [property, timeZone]),
  );
  const seen = properties.map((one) => ({
    ...one,
    timeZone: one.timeZone ?? zones.get(one.property) ?? undefined,
  }));
  replaceProperties(tx, of, seen, now);
}

export interface LastCheck {
  readonly provider: AccountProvider;
  readonly job: ConnectionJob;
  readonly at: number;
  /** Why nothing came of it, with the reviewed code where one says more than the category; undefined where something did. */
  readonly failure: { readonly category: FailureCategory; readonly code: string | null } | undefined;
  /** Before this moment it is not asked again; null where nothing holds it. */
  readonly nextRetryAt: number | null;
}

/** The last check of each provider over a connection, of those that were checked. It is stored, and outlives a restart. */
export function lastChecks(
  db: Db,
  of: {
    readonly workspace: string;
    readonly connectionRevision: string;
    readonly providers: readonly AccountProvider[];
  },
): LastCheck[] {
  const { workspace, connectionRevision, providers } = of;
  return providers.flatMap((provider) =>
    CONNECTION_JOBS.flatMap((job): LastCheck[] => {
      const latest = findEvidence(db, checkScope({ workspace, job, provider, connectionRevision }))?.latest;
      if (latest === undefined) return [];
      const { startedAt: at, category, code, nextRetryAt } = latest;
      return [
        { provider, job, at, failure: category === null ? undefined : { category, code }, nextRetryAt },
      ];
    })
      .sort((a, b) => b.at - a.at)
      .slice(0, 1),
  );
}
