/**
 * The job `webmaster-tools`: every night the daily figures of each site that is not retired and verified under an account's key, those
 * that are not live yet, too. Each account is asked for its verified addresses first, then for each of its sites; at the end the flag
 * `asset-pull-failed` is raised or resolved. A site that an operator attached keeps its address.
 */

import type { Ids } from "../base/base.ts";
import { formatInstant } from "../base/time.ts";
import { holdOpen, release } from "../flags/lasting.ts";
import { listOpenSubjects } from "../flags/queries.ts";
import type { DiscoveredProperty } from "../providers/adapter.ts";
import { listAttachments } from "../providers/attachments.ts";
import { type FailureCategory, faultOf } from "../providers/faults.ts";
import { discover } from "../providers/providers.ts";
import { type Answered, askInTurn, CircuitBreaker } from "../providers/queued_request.ts";
import { ASSET_PULL_FAILED, RULES, raisedTitle } from "../sites/rule_catalogue.ts";
import { listSites, type Site } from "../sites/sites.ts";
import type { RunHandle } from "../store/job_runs.ts";
import type { Db, Tx } from "../store/store.ts";
import { recordFault, recordListed } from "./answer_record.ts";
import { connectionHeldUntil, heldUntil } from "./attempts.ts";
import {
  type Account,
  isMatched,
  isTakenAway,
  lastAddress,
  listedAddresses,
  listMatched,
} from "./matched_site.ts";
import {
  allPulled,
  askerOf,
  isAttached,
  isPullPaused,
  type PullDeps,
  type Pulled,
  pullOne,
  type Question,
  recordPulled,
} from "./pull.ts";

/** asset-pull-failed: the nightly pull came to nothing for at least one site (decisions, Flags). Pure. */

/** A site, or an account as a whole where the site is undefined, for which the pull came to nothing. */
interface FailedPull {
  readonly asset: string | undefined;
  /** Null where it was not asked, since an earlier failure still holds it back. */
  readonly category: FailureCategory | null;
}

/** What a nightly run came to. */
interface NightlyRun {
  /** When it began, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Sites that it asked for, or was held back from. */
  readonly sites: number;
  readonly failed: readonly FailedPull[];
}

/** Sites named in the inputs at most. */
const MOST_NAMED = 50;

/** A run with failures, as its flag says them. */
interface PullFailure {
  readonly message: string;
  readonly inputs: {
    readonly run_started_at: string;
    readonly provider: "webmaster-tools";
    /** Sites the pull was for; 0 where the account itself could not be asked. */
    readonly sites: number;
    readonly failed: number;
    /** Whether the list of sites itself could not be had. */
    readonly list_failed: boolean;
    readonly categories: Readonly<Record<string, number>>;
    readonly failed_sites: readonly { readonly asset: string; readonly category: string }[];
  };
}

/** The failure of a run; undefined where nothing failed. */
function failureOf(run: NightlyRun): PullFailure | undefined {
  if (run.failed.length === 0) return undefined;
  const ofSites = run.failed.flatMap(({ asset, category }) =>
    asset === undefined ? [] : [{ asset, category: category ?? "held" }],
  );
  const categories: Record<string, number> = {};
  for (const { category } of run.failed) {
    const name = category ?? "held";
    categories[name] = (categories[name] ?? 0) + 1;
  }
  const inputs = {
    run_started_at: formatInstant(run.startedAt),
    provider: "webmaster-tools",
    sites: run.sites,
    failed: ofSites.length,
    list_failed: run.failed.some(({ asset }) => asset === undefined),
    categories,
    failed_sites: ofSites.slice(0, MOST_NAMED),
  } as const;
  return { message: raisedTitle(ASSET_PULL_FAILED, "", inputs, run.startedAt), inputs };
}

/** The sites that a flag names as failed, from the inputs it was last judged by. */
function failedSitesIn(inputs: { readonly [key: string]: unknown }): string[] {
  const { failed_sites: failed = [] } = inputs as Partial<PullFailure["inputs"]>;
  return failed.map(({ asset }) => asset);
}

/** The accounts that there are. */
interface AccountList {
  list(): readonly { readonly id: string; readonly kind: string; readonly connectionRevision: string }[];
}

/** What the nightly pull needs. */
export interface NightlyDeps extends PullDeps {
  readonly ids: Ids;
  readonly config: PullDeps["config"] & { readonly serviceAsset: string };
  readonly credentials: PullDeps["credentials"] & AccountList;
}

const PROVIDER = "webmaster-tools";

/** The outcome of one account's part of a run: its sites but for those that are paused, and the failures. */
type Share = Pick<NightlyRun, "sites" | "failed">;

/** Asks every account of webmaster tools, and raises or resolves the flag about a night that failed. */
export async function pullWebmaster(deps: NightlyDeps, run: RunHandle): Promise<void> {
  const startedAt = deps.clock.now();
  const accounts = webmasterAccounts(deps);
  const shares: Share[] = [];
  await deps.judge.during(async () => {
    for (const account of accounts) shares.push(await pullAccount(deps, run, account, accounts.length === 1));
  });
  // A run that was stopped says nothing of the sites that it did not reach.
  if (run.signal.aborted) return;
  const sites = shares.reduce((sum, share) => sum + share.sites, 0);
  const failed = shares.flatMap((share) => share.failed);
  await deps.writer.write((tx) => holdFlag(tx, deps, { startedAt, sites, failed }));
}

/** The accounts of webmaster tools. */
export const webmasterAccounts = (deps: { readonly credentials: AccountList }): readonly Account[] =>
  deps.credentials.list().filter(({ kind }) => kind === "webmaster-tools-key");

/** The sites that are attached nowhere and that an account was found to have, each by its address there. */
export function matchedQuestions(
  deps: Pick<NightlyDeps, "clock" | "store"> & { readonly credentials: AccountList },
): Question[] {
  const accounts = webmasterAccounts(deps);
  const of = { isOnly: accounts.length === 1, now: deps.clock.now() };
  return accounts.flatMap((account) =>
    listMatched(deps.store.db, account, of).map(({ asset, property }) =>
      questionOf(asset, account, property, isMatched),
    ),
  );
}

async function pullAccount(
  deps: NightlyDeps,
  run: RunHandle,
  account: Account,
  isOnly: boolean,
): Promise<Share> {
  if (isAllPaused(deps, account)) {
    for (const _ of nightlyQuestions(deps, account, { listed: [], isOnly })) run.count("paused");
    return { sites: 0, failed: [] };
  }
  const listed = await listVerified(deps, run, account);
  if (!listed.ok) return { sites: 0, failed: listed.failed };
  const questions = nightlyQuestions(deps, account, { listed: listed.addresses, isOnly });
  const breaker = new CircuitBreaker();
  const failed: (FailedPull & { readonly asset: string })[] = [];
  let [done, paused] = [0, 0];
  run.progress(done, questions.length, "");
  await allPulled(
    questions.map(async ({ question, isListed }) => {
      const { asset } = question;
      const pulled = isListed
        ? await pullOne(deps, run, question, { breaker, priority: "sense" })
        : await recordUnlisted(deps, run, question);
      run.count(pulled.outcome);
      run.progress(++done, questions.length, `${asset}: ${PROVIDER}`);
      if (pulled.outcome === "paused") paused++;
      const isLeft = pulled.outcome === "held" || (pulled.outcome === "given_up" && !run.signal.aborted);
      if ("fault" in pulled && pulled.fault !== undefined) {
        failed.push({ asset, category: pulled.fault.category });
      } else if (isLeft) failed.push({ asset, category: null });
    }),
  );
  failed.sort((a, b) => (a.asset < b.asset ? -1 : 1));
  return { sites: questions.length - paused, failed };
}

/** Whether every site that the account could be asked about is paused: then its addresses are not asked for either. */
function isAllPaused({ store: { db }, clock, config }: NightlyDeps, account: Account): boolean {
  const elsewhere = new Set([config.serviceAsset]);
  for (const { asset, provider, credential } of listAttachments(db)) {
    if (provider === PROVIDER && credential !== account.id) elsewhere.add(asset);
  }
  const sites = listSites(db).filter(({ id, lifecycle }) => lifecycle !== "retired" && !elsewhere.has(id));
  const now = clock.now();
  return (
    sites.length > 0 && sites.every(({ id: asset }) => isPullPaused(db, { asset, provider: PROVIDER }, now))
  );
}

type Listed =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly failed: readonly FailedPull[] };

/** The addresses that are verified under the account's key, asked as an attempt of its own. */
async function listVerified(deps: NightlyDeps, run: RunHandle, account: Account): Promise<Listed> {
  const { id: credential, connectionRevision } = account;
  const turn = await askInTurn(
    deps,
    { credential, provider: PROVIDER, connectionRevision },
    {
      priority: "sense",
      signal: run.signal,
      hold: (now) => {
        const of = { provider: PROVIDER, connectionRevision } as const;
        return connectionHeldUntil(deps.store.db, of, now, askerOf(run)) === undefined ? undefined : "held";
      },
      ask: (client) => discover(client, PROVIDER),
      record: (answered) => recordAddresses(deps, run, connectionRevision, answered),
    },
  );
  if ("recorded" in turn) return turn.recorded;
  if (turn.skip !== "held") return { ok: false, failed: [] };
  run.count("held");
  return { ok: false, failed: [{ asset: undefined, category: null }] };
}

async function recordAddresses(
  { config, writer }: NightlyDeps,
  run: RunHandle,
  connectionRevision: string,
  { outcome, ...times }: Answered<readonly DiscoveredProperty[]>,
): Promise<Listed> {
  const target = { asset: "", provider: PROVIDER, connectionRevision, property: "", timeZone: "" } as const;
  const attempted = { workspace: config.workspace, run: run.id, target, ...times };
  const usable = outcome.ok ? outcome.value.filter((one) => one.usable) : [];
  const recorded = await writer.write(
    (tx) =>
      outcome.ok
        ? recordListed(tx, attempted, usable.length === 0 ? "empty" : "unchanged")
        : recordFault(tx, attempted, outcome.fault),
    { lowPriority: true, isRepeatable: true },
  );
  run.count(recorded.outcome);
  if (!recorded.isMonitored) run.unmonitored();
  if (outcome.ok) return { ok: true, addresses: usable.map(({ property }) => property) };
  return { ok: false, failed: [{ asset: undefined, category: outcome.fault.category }] };
}

/** What is asked about the sites of an account: those attached to it, and those that are attached nowhere and have, or had, a listed address. */
function nightlyQuestions(
  { store: { db }, clock }: NightlyDeps,
  account: Account,
  { listed, isOnly }: { readonly listed: readonly string[]; readonly isOnly: boolean },
): readonly { readonly question: Question; readonly isListed: boolean }[] {
  const attached = new Map(
    listAttachments(db).flatMap((one) => (one.provider === PROVIDER ? [[one.asset, one] as const] : [])),
  );
  const addressOf = listedAddresses(listed);
  return listSites(db).flatMap((site) => {
    if (site.lifecycle === "retired") return [];
    const own = attached.get(site.id);
    if (own !== undefined) {
      if (own.credential !== account.id) return [];
      const question = questionOf(site.id, account, own.property, isAttached);
      return [{ question, isListed: listed.includes(own.property) }];
    }
    if (isTakenAway(db, site.id, account)) return [];
    const address = addressOf(site);
    const property = address ?? lastAddress(db, site, { of: account, isOnly, now: clock.now() });
    if (property === undefined) return [];
    return [{ question: questionOf(site.id, account, property, isMatched), isListed: address !== undefined }];
  });
}

function questionOf(
  asset: Site["id"],
  { id: credential, connectionRevision }: Account,
  property: string,
  isCurrent: (db: Db, of: Omit<Question, "isCurrent">) => boolean,
): Question {
  const of = { asset, provider: PROVIDER, credential, connectionRevision, property } as const;
  return { ...of, isCurrent: (db) => isCurrent(db, of) };
}

/** An attached address that is not verified under the key would be refused: that is recorded without asking. */
async function recordUnlisted(deps: NightlyDeps, run: RunHandle, question: Question): Promise<Pulled> {
  const { asset, provider, connectionRevision, property } = question;
  const startedAt = deps.clock.now();
  if (run.signal.aborted) return { outcome: "given_up" };
  if (isPullPaused(deps.store.db, question, startedAt)) return { outcome: "paused" };
  if (heldUntil(deps.store.db, question, startedAt, askerOf(run)) !== undefined) return { outcome: "held" };
  const target = { asset, provider, connectionRevision, property, timeZone: "" };
  const attempt = { run: run.id, target, startedAt, requests: 0 };
  return recordPulled(deps, run, question, attempt, { ok: false, fault: faultOf("property_denied") });
}

/**
 * One open flag for as long as a nightly run fails for a site; each run's own reading goes to its evidence. A site that is paused by now
 * is left out, though it failed before it was: nobody waits for it. Where the flag was about such a site, it is no recovery that ends it.
 */
function holdFlag(tx: Tx, { config, ids, clock }: NightlyDeps, run: NightlyRun): void {
  const now = clock.now();
  const on = { rule: ASSET_PULL_FAILED, asset: config.serviceAsset, subject: "", now, actor: "rule" };
  const isLeftOut = (asset: string) => isPullPaused(tx, { asset, provider: PROVIDER }, now);
  const failed = run.failed.filter(({ asset }) => asset === undefined || !isLeftOut(asset));
  const failure = failureOf({ ...run, failed });
  if (failure === undefined) {
    const [open] = listOpenSubjects(tx, ASSET_PULL_FAILED, config.serviceAsset);
    const wasPaused = open !== undefined && failedSitesIn(open.inputs).some(isLeftOut);
    release(tx, { ...on, resolution: wasPaused ? "paused" : "pulled_again" });
    return;
  }
  const { message, inputs } = failure;
  const raised = { ...RULES[ASSET_PULL_FAILED].raised, message, inputs, reading: inputs };
  holdOpen(tx, { ...on, ...raised, newId: () => ids.uuid() });
}
