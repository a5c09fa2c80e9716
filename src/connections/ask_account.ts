/** Asking an account, as a run of its own with an attempt for each provider. It is evidence of the account alone: of no site's figures. */
import {
  type Credentials,
  findConnection,
  findCredential,
  listProperties,
  replaceProperties,
} from "../credentials/mod.ts";
import type { Store, Tx, Writer } from "../db/mod.ts";
import type { AskedBy, Jobs, RunHandle } from "../jobs/mod.ts";
import type { Config } from "../platform/config.ts";
import { discover, testConnection } from "../provider/ask.ts";
import { type ClientGround, type ProviderClient, providerClient } from "../provider/client.ts";
import {
  type AccountProvider,
  type DiscoveredProperty,
  type Fault,
  isLimit,
  isProvider,
  type Provider,
} from "../provider/contract.ts";
import { faultOf } from "../provider/fault.ts";
import { testSerp } from "../provider/serp.ts";
import type { PullOutcome } from "../signals/contract.ts";
import { findConnectionHold, nextRetryAt, type Pulls, recordAttempt } from "../signals/mod.ts";
import { tellCheck } from "./check_health.ts";
import type { AccountAnswer, ConnectionJob, ProviderAnswer } from "./contract.ts";

/** What asking takes. */
export interface ConnectionDeps extends ClientGround {
  readonly config: ClientGround["config"] & Pick<Config, "workspace">;
  readonly store: Store;
  readonly writer: Writer;
  readonly jobs: Jobs;
  readonly credentials: Credentials;
  readonly pulls: Pulls;
}

/** Who asks, and what of. */
export interface Asking {
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
      const answer = await deps.pulls.inTurn({ credential: credential.id, provider }, run.signal, () =>
        askProvider(deps, run, { job, credential: credential.id, provider }),
      );
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

interface Question {
  readonly job: ConnectionJob;
  readonly credential: string;
  readonly provider: AccountProvider;
}

/** Undefined where it was given up, which is nobody's failure. */
async function askProvider(
  deps: ConnectionDeps,
  run: RunHandle,
  { job, credential, provider }: Question,
): Promise<ProviderAnswer | undefined> {
  if (run.signal.aborted) return undefined;
  const of = { workspace: deps.config.workspace, job, credential, provider };
  const startedAt = deps.clock.now();
  // Read together with the secret: whatever is put in its place meanwhile is another connection.
  const connectionRevision = findConnection(deps.store.db, credential);
  const opened = deps.credentials.open(credential);
  if (connectionRevision === undefined || !opened.ok) {
    const fault = opened.ok ? faultOf("credential_removed") : opened.fault;
    return connectionRevision === undefined
      ? unanswered(provider, fault)
      : recorded(deps, run, { ...of, connectionRevision, startedAt }, noList(fault));
  }
  const held = heldBy(deps, { provider, connectionRevision }, startedAt);
  if (held !== undefined) {
    run.count("held");
    return { ...unanswered(provider, held.fault), nextRetryAt: held.until };
  }
  const { signal } = run;
  const client = providerClient(deps, { secret: opened.value, connectionRevision, signal });
  const seen = await ask(client, provider, job);
  if (seen.fault?.code === "stopped") return undefined;
  return recorded(deps, run, { ...of, connectionRevision, startedAt }, seen);
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

/** A limit that the provider named is kept, whoever asks; what only a person can put right may be looked at by one at any time. */
function heldBy(
  { store }: ConnectionDeps,
  connection: { readonly provider: AccountProvider; readonly connectionRevision: string },
  now: number,
): { readonly until: number; readonly fault: Fault } | undefined {
  const hold = findConnectionHold(store.db, connection, now);
  if (hold?.category === "rate_limit") return { until: hold.until, fault: faultOf("rate_limited") };
  if (hold?.category === "exhausted_budget") return { until: hold.until, fault: faultOf("account_quota") };
  return undefined;
}

/** What was seen of an account. */
interface Seen {
  readonly fault: Fault | undefined;
  readonly properties: readonly DiscoveredProperty[] | undefined;
  readonly requests: number;
}

function noList(fault: Fault): Seen {
  return { fault, properties: undefined, requests: 0 };
}

/**
 * The list of what the account may see; a test asks for a report, too, since reports are an API of their own. An account that may see
 * nothing is of no use, though its sign-in is taken.
 */
async function ask(client: ProviderClient, provider: AccountProvider, job: ConnectionJob): Promise<Seen> {
  if (provider === "serp") {
    // It has no list; to be let in is the whole test, and to look costs nothing.
    const { outcome, requests } = await testSerp(client);
    return {
      fault: outcome.ok ? undefined : outcome.fault,
      properties: undefined,
      requests,
    };
  }
  const listed = await discover(client, provider);
  const { requests } = listed;
  if (!listed.outcome.ok) return { ...noList(listed.outcome.fault), requests };
  const properties = listed.outcome.value;
  if (job === "site-discovery") return { fault: undefined, properties, requests };
  if (!properties.some(({ usable }) => usable)) {
    return { fault: faultOf("no_property"), properties, requests };
  }
  // The list is the whole test of the other two.
  if (provider !== "analytics") return { fault: undefined, properties, requests };
  const tested = await testConnection(client, provider);
  const fault = tested.outcome.ok ? undefined : tested.outcome.fault;
  return { fault, properties, requests: requests + tested.requests };
}

interface Begun {
  readonly workspace: string;
  readonly job: ConnectionJob;
  readonly credential: string;
  readonly provider: AccountProvider;
  readonly connectionRevision: string;
  readonly startedAt: number;
}

/** Writes the attempt, and what was listed where the connection is still the one that was asked over. */
async function recorded(
  deps: ConnectionDeps,
  run: RunHandle,
  begun: Begun,
  seen: Seen,
): Promise<ProviderAnswer> {
  const { provider } = begun;
  const finishedAt = Math.max(deps.clock.now(), begun.startedAt);
  const { outcome, isCurrent, retryAt, isMonitored } = await deps.writer.write((tx) =>
    record(tx, run, begun, seen, finishedAt),
  );
  run.count(outcome);
  if (!isMonitored) run.unmonitored();
  const fault = isCurrent ? seen.fault : faultOf("connection_changed");
  return {
    provider,
    fault,
    wasAsked: true,
    isMonitored,
    nextRetryAt: retryAt ?? undefined,
    properties: isCurrent ? seen.properties : undefined,
  };
}

function record(tx: Tx, run: RunHandle, begun: Begun, seen: Seen, now: number) {
  const { credential, provider, connectionRevision, startedAt } = begun;
  const { fault, properties, requests } = seen;
  const isCurrent = findConnection(tx, credential) === connectionRevision;
  const outcome = outcomeOf(seen);
  const retryAt = fault === undefined || outcome === "empty" ? null : holdOf(tx, begun, fault, now);
  const id = recordAttempt(tx, run.id, {
    target: { asset: "", provider, connectionRevision, property: "", timeZone: "" },
    startedAt,
    tookMs: now - startedAt,
    outcome,
    category: outcome === "failed" || outcome === "incomplete" ? (fault?.category ?? null) : null,
    nextRetryAt: retryAt,
    requests,
    changed: 0,
  });
  if (isCurrent && properties !== undefined && isProvider(provider))
    keepList(tx, { credential, provider }, properties, now);
  const attempt = { id, startedAt, observedAt: now };
  // What only a person can put right holds what is pulled, and no check: that may be asked for at any time.
  const nextRetryAt = fault !== undefined && isLimit(fault.category) ? retryAt : null;
  const isMonitored = tellCheck(tx, begun, attempt, { fault, nextRetryAt });
  return { outcome, isCurrent, retryAt, isMonitored };
}

function outcomeOf({ fault, properties }: Seen): PullOutcome {
  if (fault?.category === "incomplete_report") return "incomplete";
  if (fault !== undefined && fault.code !== "no_property") return "failed";
  if (properties === undefined) return "unchanged";
  return properties.some(({ usable }) => usable) ? "unchanged" : "empty";
}

/** Only what concerns the whole account holds everything that is asked over it; a failure of another kind ends no hold. */
function holdOf(tx: Tx, { provider, connectionRevision }: Begun, fault: Fault, now: number): number | null {
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
  const seen = properties.map((one) => ({ ...one, timeZone: one.timeZone ?? zones.get(one.property) }));
  replaceProperties(tx, of, seen, now);
}
