/**
 * The job `webmaster-tools`: every night the daily figures of each site that is not retired and verified under the account's key, those
 * that are not live yet, too. Which sites are verified is asked first; a site that an operator attached keeps its address.
 */
import { listSites, type Site } from "../assets/mod.ts";
import { listAttachments } from "../credentials/mod.ts";
import type { Db, Tx } from "../db/mod.ts";
import { holdOpen, listOpenSubjects, release } from "../flags/mod.ts";
import type { RunHandle } from "../jobs/mod.ts";
import type { Ids } from "../platform/ids.ts";
import { discover } from "../provider/ask.ts";
import { openClient } from "../provider/client.ts";
import type { Fault } from "../provider/contract.ts";
import { faultOf } from "../provider/fault.ts";
import { ASSET_PULL_FAILED, RULES } from "../rules/mod.ts";
import { connectionHeldUntil, heldUntil, recordAttempt } from "./attempt_store.ts";
import type { PullTarget } from "./contract.ts";
import { tellSuccess } from "./daily_health.ts";
import { listedAddresses } from "./match_listed.ts";
import { type Account, isMatched, isTakenAway, lastAddress, listMatched } from "./matched_site.ts";
import { isPullPaused } from "./paused_pull.ts";
import { type FailedPull, failedSitesIn, judgeNightly } from "./pull_failed_rule.ts";
import {
  allPulled,
  askerOf,
  Lanes,
  type PullDeps,
  type Pulled,
  pullOne,
  type Question,
  recordPulled,
} from "./pull_one.ts";
import { isAttached } from "./pull_sense.ts";
import { recordFault } from "./record_answer.ts";

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

/** What one account's share of a run came to. */
interface Share {
  /** Sites that it was for, but for those that are paused. */
  readonly sites: number;
  readonly failed: readonly FailedPull[];
}

/** Asks every account of webmaster tools, and holds the flag that tells of a night that failed. */
export async function pullWebmaster(deps: NightlyDeps, run: RunHandle): Promise<void> {
  const startedAt = deps.clock.now();
  const accounts = webmasterAccounts(deps);
  const shares: Share[] = [];
  await deps.judge.during(async () => {
    for (const account of accounts) shares.push(await pullAccount(deps, run, account, accounts.length === 1));
  });
  // A run that was stopped says nothing of the sites that it did not come to.
  if (run.signal.aborted) return;
  await deps.writer.write((tx) =>
    holdFlag(tx, deps, {
      startedAt,
      sites: shares.reduce((sum, { sites }) => sum + sites, 0),
      failed: shares.flatMap(({ failed }) => failed),
    }),
  );
}

/** The accounts of webmaster tools. */
export function webmasterAccounts({
  credentials,
}: {
  readonly credentials: AccountList;
}): readonly Account[] {
  return credentials.list().filter(({ kind }) => kind === "webmaster-tools-key");
}

/** The sites that are attached nowhere and that an account was found to have, each by its address there. */
export function matchedQuestions(
  deps: Pick<NightlyDeps, "clock" | "store"> & { readonly credentials: AccountList },
): Question[] {
  const { db } = deps.store;
  const accounts = webmasterAccounts(deps);
  const now = deps.clock.now();
  return accounts.flatMap((account) =>
    listMatched(db, account, { isOnly: accounts.length === 1, now }).map(({ asset, property }) =>
      questionOf({ id: asset }, account, property, isMatched),
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
  if (!listed.ok) {
    const category = listed.fault?.category ?? null;
    return { sites: 0, failed: listed.isGivenUp ? [] : [{ asset: undefined, category }] };
  }
  const questions = nightlyQuestions(deps, account, { listed: listed.addresses, isOnly });
  const lanes = new Lanes();
  const failed: FailedPull[] = [];
  let [done, paused] = [0, 0];
  run.progress(done, questions.length, "");
  await allPulled(
    questions.map(async ({ question, isListed }) => {
      const pulled = isListed
        ? await pullOne(deps, run, question, { lanes, priority: "sense" })
        : await recordUnlisted(deps, run, question);
      run.count(pulled.outcome);
      if (pulled.outcome === "paused") paused += 1;
      run.progress(++done, questions.length, `${question.asset}: ${PROVIDER}`);
      if ("fault" in pulled && pulled.fault !== undefined) {
        failed.push({ asset: question.asset, category: pulled.fault.category });
      } else if (pulled.outcome === "held" || (pulled.outcome === "given_up" && !run.signal.aborted)) {
        failed.push({ asset: question.asset, category: null });
      }
    }),
  );
  return {
    sites: questions.length - paused,
    failed: failed.sort((a, b) => ((a.asset ?? "") < (b.asset ?? "") ? -1 : 1)),
  };
}

/** Whether every site that the account could be asked about is paused: then neither is it asked which ones there are. */
function isAllPaused({ store: { db }, clock, config }: NightlyDeps, account: Account): boolean {
  const others = listAttachments(db).flatMap(({ asset, provider, credential }) =>
    provider === PROVIDER && credential !== account.id ? [asset] : [],
  );
  const elsewhere = new Set([...others, config.serviceAsset]);
  const sites = listSites(db).filter(({ id, lifecycle }) => lifecycle !== "retired" && !elsewhere.has(id));
  const now = clock.now();
  return (
    sites.length > 0 && sites.every(({ id: asset }) => isPullPaused(db, { asset, provider: PROVIDER }, now))
  );
}

type Listed =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly fault?: Fault; readonly isGivenUp: boolean };

/** The addresses that are verified under the account's key, asked as an attempt of its own. */
async function listVerified(deps: NightlyDeps, run: RunHandle, account: Account): Promise<Listed> {
  const { connectionRevision } = account;
  const lane = { credential: account.id, provider: PROVIDER } as const;
  const target: PullTarget = {
    asset: "",
    provider: PROVIDER,
    connectionRevision,
    property: "",
    timeZone: "",
  };
  return deps.queue.run(lane, { priority: "sense", signal: run.signal }, async () => {
    if (run.signal.aborted) return { ok: false, isGivenUp: true };
    const startedAt = deps.clock.now();
    if (connectionHeldUntil(deps.store.db, target, startedAt, askerOf(run)) !== undefined) {
      run.count("held");
      return { ok: false, isGivenUp: false };
    }
    const client = openClient(deps, { credential: account.id, connectionRevision }, run.signal);
    const { outcome, requests } = client.ok
      ? await discover(client.value, PROVIDER)
      : { outcome: client, requests: 0 };
    if (!outcome.ok && outcome.fault.code === "stopped") return { ok: false, isGivenUp: true };
    const finishedAt = Math.max(deps.clock.now(), startedAt);
    const { workspace } = deps.config;
    const attempted = { workspace, run: run.id, target, startedAt, finishedAt, requests };
    if (!outcome.ok) {
      const { fault } = outcome;
      const recorded = await deps.writer.write((tx) => recordFault(tx, attempted, fault), BEHIND);
      run.count(recorded.outcome);
      if (!recorded.isMonitored) run.unmonitored();
      return { ok: false, fault, isGivenUp: false };
    }
    const addresses = outcome.value.filter(({ usable }) => usable).map(({ property }) => property);
    const came = addresses.length === 0 ? "empty" : "unchanged";
    const isMonitored = await deps.writer.write((tx) => {
      const id = recordAttempt(tx, run.id, {
        target,
        startedAt,
        tookMs: finishedAt - startedAt,
        outcome: came,
        category: null,
        nextRetryAt: null,
        requests,
        changed: 0,
      });
      return tellSuccess(tx, target, { workspace, id, startedAt, observedAt: finishedAt }, null);
    }, BEHIND);
    run.count(came);
    if (!isMonitored) run.unmonitored();
    return { ok: true, addresses };
  });
}

const BEHIND = { behind: true, isRepeatable: true } as const;

/** What is asked about the sites of an account: those attached to it, and those that are attached nowhere and have, or had, a listed address. */
function nightlyQuestions(
  { store, clock }: NightlyDeps,
  account: Account,
  { listed, isOnly }: { readonly listed: readonly string[]; readonly isOnly: boolean },
): readonly { readonly question: Question; readonly isListed: boolean }[] {
  const { db } = store;
  const attached = new Map(
    listAttachments(db).flatMap((one) => (one.provider === PROVIDER ? [[one.asset, one] as const] : [])),
  );
  const addressOf = listedAddresses(listed);
  return listSites(db).flatMap((site) => {
    if (site.lifecycle === "retired") return [];
    const own = attached.get(site.id);
    if (own !== undefined) {
      if (own.credential !== account.id) return [];
      const question = questionOf(site, account, own.property, (tx, of) => isAttached(tx, of));
      return [{ question, isListed: listed.includes(own.property) }];
    }
    if (isTakenAway(db, site.id, account)) return [];
    const address = addressOf(site);
    const asked = address ?? lastAddress(db, site, { of: account, isOnly, now: clock.now() });
    if (asked === undefined) return [];
    return [{ question: questionOf(site, account, asked, isMatched), isListed: address !== undefined }];
  });
}

function questionOf(
  { id: asset }: Pick<Site, "id">,
  { id: credential, connectionRevision }: Account,
  property: string,
  isCurrent: (db: Db, of: Omit<Question, "isCurrent">) => boolean,
): Question {
  const of = { asset, provider: PROVIDER, credential, connectionRevision, property } as const;
  return { ...of, isCurrent: (db) => isCurrent(db, of) };
}

/** An attached address that is not verified under the key would be refused: that is said without asking. */
async function recordUnlisted(deps: NightlyDeps, run: RunHandle, question: Question): Promise<Pulled> {
  const { asset, provider, connectionRevision, property } = question;
  const startedAt = deps.clock.now();
  if (run.signal.aborted) return { outcome: "given_up" };
  if (isPullPaused(deps.store.db, question, startedAt)) return { outcome: "paused" };
  if (heldUntil(deps.store.db, question, startedAt, askerOf(run)) !== undefined) return { outcome: "held" };
  const target = { asset, provider, connectionRevision, property, timeZone: "" };
  const fault = faultOf("property_denied");
  const attempt = { run: run.id, target, startedAt, requests: 0 };
  return recordPulled(deps, run, question, attempt, { ok: false, fault });
}

/**
 * One open flag for as long as a nightly run fails for a site; each run's own reading goes to its evidence. A site that is paused by now
 * is left out, though it failed before it was: nobody waits for it. Where the flag told of such a site, it is no recovery that ends it.
 */
function holdFlag(
  tx: Tx,
  { config, ids, clock }: NightlyDeps,
  run: { readonly startedAt: number; readonly sites: number; readonly failed: readonly FailedPull[] },
): void {
  const on = {
    rule: ASSET_PULL_FAILED,
    asset: config.serviceAsset,
    subject: "",
    now: clock.now(),
    actor: "rule",
  };
  const isLeftOut = (asset: string) => isPullPaused(tx, { asset, provider: PROVIDER }, on.now);
  const failure = judgeNightly({
    ...run,
    failed: run.failed.filter(({ asset }) => asset === undefined || !isLeftOut(asset)),
  });
  if (failure === undefined) {
    const open = listOpenSubjects(tx, ASSET_PULL_FAILED, config.serviceAsset)[0];
    const wasPaused = open !== undefined && failedSitesIn(open.inputs).some(isLeftOut);
    release(tx, { ...on, resolution: wasPaused ? "paused" : "pulled_again" });
    return;
  }
  const { message, inputs } = failure;
  holdOpen(tx, {
    ...on,
    ...RULES[ASSET_PULL_FAILED].raised,
    message,
    inputs,
    reading: inputs,
    newId: () => ids.uuid(),
  });
}
