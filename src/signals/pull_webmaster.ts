/**
 * The job `webmaster-tools`: every night the daily figures of each site that is not retired and verified under an account's key, those
 * that are not live yet, too. Each account is asked for its verified addresses first, then for each of its sites; at the end the flag
 * `asset-pull-failed` is raised or resolved. A site that an operator attached keeps its address.
 */

import { formatInstant } from "../base/time.ts";
import { listOpenSubjects } from "../flags/queries.ts";
import { holdOpen, release } from "../flags/reconcile.ts";
import { type FailureCategory, faultOf } from "../providers/faults.ts";
import { listAttachments } from "../providers/properties.ts";
import { discover } from "../providers/providers.ts";
import { askInTurn, CircuitBreaker } from "../providers/queued_request.ts";
import { ASSET_PULL_FAILED, RULES, raisedTitle } from "../sites/rule_catalogue.ts";
import { listSites, type Site } from "../sites/sites.ts";
import type { RunHandle } from "../store/job_runs.ts";
import type { Db, Tx } from "../store/store.ts";
import { recordFault, recordListed } from "./answer_record.ts";
import { findConnectionHold, heldUntil } from "./attempts.ts";
import {
  type Account,
  isMatched,
  isTakenAway,
  lastAddress,
  listedAddresses,
  listMatched,
  webmasterAccounts,
} from "./matched_site.ts";
import {
  askerOf,
  isAttached,
  isPullPaused,
  type PullDeps,
  type Pulled,
  pullAll,
  pullOne,
  type Question,
  recordPulled,
} from "./pull.ts";

const PROVIDER = "webmaster-tools";

/** A site, or an account as a whole where the site is undefined, for which the pull came to nothing. */
interface FailedPull {
  readonly asset: string | undefined;
  /** `held` where it was not asked, since an earlier failure still holds it back. */
  readonly category: FailureCategory | "held";
}

/** What a nightly run comes to. */
interface Night {
  /** Sites that it asked for, or was held back from, without those that are paused and those of an account that could not be asked. */
  sites: number;
  readonly failed: FailedPull[];
}

/** Asks every account of webmaster tools, and raises or resolves the flag about a night that failed. */
export async function pullWebmaster(deps: PullDeps, run: RunHandle): Promise<void> {
  const startedAt = deps.clock.now();
  const accounts = webmasterAccounts(deps.store.db);
  const night: Night = { sites: 0, failed: [] };
  await deps.judge.during(async () => {
    for (const account of accounts) await pullAccount(deps, run, account, accounts.length === 1, night);
  });
  // A run that was stopped says nothing of the sites that it did not reach.
  if (!run.signal.aborted) await deps.writer.write((tx) => holdFlag(tx, deps, startedAt, night));
}

/** The sites that are attached nowhere and that an account was found to have, each by its address there. */
export const matchedQuestions = (db: Db, now: number): Question[] =>
  webmasterAccounts(db).flatMap((account) =>
    listMatched(db, account, now).map(({ asset, property }) =>
      questionOf(asset, account, property, isMatched),
    ),
  );

async function pullAccount(
  deps: PullDeps,
  run: RunHandle,
  account: Account,
  isOnly: boolean,
  night: Night,
): Promise<void> {
  if (isAllPaused(deps, account)) {
    for (const _ of nightlyQuestions(deps, account, { listed: [], isOnly })) run.count("paused");
    return;
  }
  const listed = await listVerified(deps, run, account, night);
  if (listed === undefined) return;
  const breaker = new CircuitBreaker();
  await pullAll(
    run,
    nightlyQuestions(deps, account, { listed, isOnly }),
    async ({ isListed, ...question }) => {
      const { asset } = question;
      const pulled = isListed
        ? await pullOne(deps, run, question, { breaker, priority: "sense" })
        : await recordUnlisted(deps, run, question);
      const { outcome } = pulled;
      if (outcome !== "paused") night.sites++;
      if ("fault" in pulled && pulled.fault !== undefined) {
        night.failed.push({ asset, category: pulled.fault.category });
      } else if (outcome === "held" || outcome === "given_up") {
        night.failed.push({ asset, category: "held" });
      }
      return pulled;
    },
  );
}

/** Whether every site that the account could be asked about is paused: then its addresses are not asked for either. */
function isAllPaused({ store: { db }, clock, config }: PullDeps, account: Account): boolean {
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

/** The addresses that are verified under the account's key, asked as an attempt of its own; undefined where they could not be had. */
async function listVerified(
  { config, writer, ...deps }: PullDeps,
  run: RunHandle,
  { id: credential, connectionRevision }: Account,
  { failed }: Night,
): Promise<readonly string[] | undefined> {
  const connection = { credential, provider: PROVIDER, connectionRevision } as const;
  const target = { asset: "", provider: PROVIDER, connectionRevision, property: "", timeZone: "" } as const;
  const turn = await askInTurn({ ...deps, config }, connection, {
    priority: "sense",
    signal: run.signal,
    hold: (now) =>
      findConnectionHold(deps.store.db, connection, now, askerOf(run)) === undefined ? undefined : "held",
    ask: (client) => discover(client, PROVIDER),
    record: async ({ outcome, ...times }) => {
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
      if (outcome.ok) return usable.map(({ property }) => property);
      failed.push({ asset: undefined, category: outcome.fault.category });
      return undefined;
    },
  });
  if ("recorded" in turn) return turn.recorded;
  if (turn.skip === "held") {
    run.count("held");
    failed.push({ asset: undefined, category: "held" });
  }
  return undefined;
}

/** What is asked about the sites of an account: those attached to it, and those that are attached nowhere and have, or had, a listed address. */
function nightlyQuestions(
  { store: { db }, clock }: PullDeps,
  account: Account,
  { listed, isOnly }: { readonly listed: readonly string[]; readonly isOnly: boolean },
): readonly (Question & { readonly isListed: boolean })[] {
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
      return [{ ...question, isListed: listed.includes(own.property) }];
    }
    if (isTakenAway(db, site.id, account)) return [];
    const address = addressOf(site);
    const property = address ?? lastAddress(db, site, { of: account, isOnly, now: clock.now() });
    if (property === undefined) return [];
    return [{ ...questionOf(site.id, account, property, isMatched), isListed: address !== undefined }];
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
async function recordUnlisted(deps: PullDeps, run: RunHandle, question: Question): Promise<Pulled> {
  const { asset, provider, connectionRevision, property } = question;
  const startedAt = deps.clock.now();
  if (run.signal.aborted) return { outcome: "given_up" };
  if (isPullPaused(deps.store.db, question, startedAt)) return { outcome: "paused" };
  if (heldUntil(deps.store.db, question, startedAt, askerOf(run)) !== undefined) return { outcome: "held" };
  const target = { asset, provider, connectionRevision, property, timeZone: "" };
  const attempt = { run: run.id, target, startedAt, requests: 0 };
  return recordPulled(deps, run, question, attempt, { ok: false, fault: faultOf("property_denied") });
}

/** Sites named in the inputs at most. */
const MOST_NAMED = 50;

/** The inputs of asset-pull-failed (decisions, Flags): undefined where nothing failed. Pure. */
function inputsOf(startedAt: number, sites: number, failed: readonly FailedPull[]) {
  if (failed.length === 0) return undefined;
  const ofSites = failed
    .flatMap(({ asset, category }) => (asset === undefined ? [] : [{ asset, category }]))
    .sort((a, b) => (a.asset < b.asset ? -1 : 1));
  const categories = Map.groupBy(failed, ({ category }) => category);
  return {
    run_started_at: formatInstant(startedAt),
    provider: PROVIDER,
    sites,
    failed: ofSites.length,
    list_failed: ofSites.length < failed.length,
    categories: Object.fromEntries([...categories].map(([category, all]) => [category, all.length])),
    failed_sites: ofSites.slice(0, MOST_NAMED),
  };
}

/**
 * One open flag for as long as a nightly run fails for a site; each run's own reading goes to its evidence. A site that is paused by now
 * is left out, though it failed before it was: nobody waits for it. Where the flag was about such a site, it is no recovery that ends it.
 */
function holdFlag(tx: Tx, { config, ids, clock }: PullDeps, startedAt: number, night: Night): void {
  const now = clock.now();
  const on = { rule: ASSET_PULL_FAILED, asset: config.serviceAsset, subject: "", now, actor: "rule" };
  const isLeftOut = (asset: string) => isPullPaused(tx, { asset, provider: PROVIDER }, now);
  const failed = night.failed.filter(({ asset }) => asset === undefined || !isLeftOut(asset));
  const inputs = inputsOf(startedAt, night.sites, failed);
  if (inputs === undefined) {
    const [open] = listOpenSubjects(tx, ASSET_PULL_FAILED, config.serviceAsset);
    const { failed_sites: named = [] } = (open?.inputs ?? {}) as Partial<NonNullable<typeof inputs>>;
    const wasPaused = named.some(({ asset }) => isLeftOut(asset));
    release(tx, { ...on, resolution: wasPaused ? "paused" : "pulled_again" });
    return;
  }
  const message = raisedTitle(ASSET_PULL_FAILED, "", inputs, startedAt);
  const raised = { ...RULES[ASSET_PULL_FAILED].raised, message, inputs, reading: inputs };
  holdOpen(tx, { ...on, ...raised, newId: () => ids.uuid() });
}
