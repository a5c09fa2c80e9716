/**
 * The job that asks for panels. Each question is written down with its price before it is sent, and counts as that price until its answer
 * says what it cost: whatever ends Tower in between, the ledger is never below what the provider charged.
 */

import { mapConcurrent } from "../base/concurrency.ts";
import { logOf } from "../base/log.ts";
import { DAY_MS, dayOfNumber, HOUR_MS, utcDayOf } from "../base/time.ts";
import { opaqueId, type Scope } from "../health/health.ts";
import { isPaused } from "../health/pauses.ts";
import { recordResult, resultOf } from "../health/record.ts";
import { currencyOf } from "../ledger/amount.ts";
import { recordCost } from "../ledger/ledger.ts";
import { findFirstOfKind } from "../providers/credentials.ts";
import { type Fault, faultOf, nextRetryAt, refused } from "../providers/faults.ts";
import { type AskGround, askInTurn, type InTurn } from "../providers/queued_request.ts";
import { askSerp, nanoDollars, type SerpAnswer, type SerpPosition } from "../providers/serp.ts";
import type { ConstantsStore } from "../sites/constants_store.ts";
import { isRetired, listPortfolio } from "../sites/sites.ts";
import type { Core } from "../store/core.ts";
import type { RunHandle } from "../store/job_runs.ts";
import type { Db, Tx } from "../store/store.ts";
import { failedOutcome, limitedUntil, noteAttempt } from "./attempts.ts";
import {
  bookedDays,
  dueAt,
  findPanel,
  hostOf,
  insertResult,
  insertRun,
  lastRuns,
  listPanels,
  listRuns,
  listUnanswered,
  NANO_OF_CENT,
  PANELS,
  type Panel,
  type PanelRun,
  priceOf,
  spentBetween,
} from "./panels.ts";
import type { Pulls } from "./signals.ts";

interface PanelDeps extends Omit<AskGround, "queue">, Core {
  readonly constants: Pick<ConstantsStore, "current">;
  readonly pulls: { readonly queue: Pick<Pulls["queue"], "run"> };
}

const AT_ONCE = 2;
const USD = currencyOf("USD");

/** The account that panels are asked with: the first that was added. */
export const panelAccount = (db: Db) => findFirstOfKind(db, "serp-login");

export const panelTarget = ({ id }: Pick<Panel, "id">): string => opaqueId("serp", id);

/** The scope of a panel's health. */
export function panelScope(workspace: string, panel: Panel, connectionRevision: string): Scope {
  const of = { workspace, provider: "serp", connectionRevision, asset: panel.asset, family: "" };
  return { ...of, capability: PANELS, target: panelTarget(panel) };
}

/** The panels to ask now, the longest overdue first: none of a site that is retired or has no address. */
function duePanels(db: Db, now: number) {
  const account = panelAccount(db);
  if (account === undefined) return [];
  const last = lastRuns(db);
  const sites = listPortfolio(db);
  const hosts = new Map(sites.map((site) => [site.id, hostOf(site)]));
  return listPanels(db)
    .map((panel) => ({ panel, at: dueAt(panel, last.get(panel.id), account.connectionRevision) }))
    .filter(({ panel, at }) => at <= now && hosts.get(panel.asset) !== undefined)
    .sort((a, b) => a.at - b.at)
    .map(({ panel }) => ({ panel, host: hosts.get(panel.asset) ?? "" }));
}

/** Whether there is anything to ask now. */
export const asksForPanels = ({ store, clock }: Pick<PanelDeps, "store" | "clock">): boolean =>
  duePanels(store.db, clock.now()).length > 0;

/** Asks what is due, a few at a time. Throws where storage takes nothing: a question that is not written down is not sent. */
export async function runPanels(deps: PanelDeps, run: RunHandle): Promise<void> {
  const { store, clock, pulls } = deps;
  await settleUnanswered(deps, run.id);
  const account = panelAccount(store.db);
  if (account === undefined) return;
  const { signal } = run;
  const { id: credential, connectionRevision } = account;
  const connection = { credential, provider: "serp", connectionRevision } as const;
  const due = duePanels(store.db, clock.now());
  let isHalted = false;
  let done = 0;
  await mapConcurrent(due, AT_ONCE, async ({ panel, host }) => {
    const { ask, record } = panelTurn(deps, run, { panel, host, connectionRevision });
    await askInTurn({ ...deps, queue: pulls.queue }, connection, {
      priority: "person",
      signal,
      isPaid: true,
      hold: () => {
        if (isHalted) return "held";
        run.progress(done++, due.length, panel.asset);
        return undefined;
      },
      ask,
      record: async (answered) => {
        await record(answered);
        // What is wrong with the account is wrong for every other panel.
        isHalted ||= !answered.outcome.ok && answered.outcome.fault.scope === "credential";
      },
    });
  });
}

/** How one panel is asked and recorded: it is written down between the two. */
function panelTurn(
  deps: PanelDeps,
  run: RunHandle,
  of: { readonly panel: Panel; readonly host: string; readonly connectionRevision: string },
): Pick<InTurn<SerpPosition | undefined, void>, "ask" | "record"> {
  const { panel, host, connectionRevision } = of;
  let sent: { readonly begun: PanelRun["run"]; readonly answer: SerpAnswer } | undefined;
  return {
    ask: async (client) => {
      const begun = await deps.writer.write((tx) =>
        begin(tx, deps, panel, { run: run.id, connectionRevision }),
      );
      if (begun === "over_budget") return { outcome: refused("panel_budget"), requests: 0 };
      if (typeof begun === "string") {
        run.count(begun);
        return { skip: begun };
      }
      const answer = await askSerp(client, { ...panel, tag: `panel-${begun.id}` }, host);
      sent = { begun, answer };
      return answer;
    },
    record: async ({ outcome }) => {
      if (sent !== undefined) {
        const { begun, answer } = sent;
        count(run, await deps.writer.write((tx) => finish(tx, deps, { panel, run: begun }, answer)));
      } else if (!outcome.ok) await refuse(deps, run, panel, { connectionRevision, fault: outcome.fault });
    },
  };
}

/** Writes a question down before it is sent; a word where it is not to be sent. All of it is looked at again: others write, too. */
function begin(
  tx: Tx,
  { clock, constants }: Pick<PanelDeps, "clock" | "constants">,
  { id, asset, depth }: Panel,
  of: { readonly run: number; readonly connectionRevision: string },
): PanelRun["run"] | "paused" | "held" | "over_budget" {
  const { run, connectionRevision } = of;
  const now = clock.now();
  const panel = findPanel(tx, id);
  if (panel?.removed_at !== null || isRetired(tx, asset)) return "held";
  if (panelAccount(tx)?.connectionRevision !== connectionRevision) return "held";
  if (isPaused(tx, { capability: PANELS, asset }, now)) return "paused";
  if (dueAt(panel, lastRuns(tx).get(id), connectionRevision) > now) return "held";
  const price = priceOf(depth);
  const today = startOfToday(now);
  const budget = constants.current().constants.panels.daily_budget * NANO_OF_CENT;
  if (spentBetween(tx, today, today + DAY_MS) + price > budget) {
    // That the budget is used up is recorded once a day, not with every run.
    const target = { asset, provider: "serp", connectionRevision, property: id } as const;
    return limitedUntil(tx, target, now) === undefined ? "over_budget" : "held";
  }
  const row = { panel: id, run, connection_revision: connectionRevision, asked_at: now, price };
  const begun = insertRun(tx, row);
  book(tx, asset, now, now);
  return begun;
}

const startOfToday = (now: number): number => Math.floor(now / DAY_MS) * DAY_MS;

type RecordDeps = Pick<PanelDeps, "clock" | "config">;

/** Writes down the result, the money, the attempt and its health, in one transaction. */
function finish(
  tx: Tx,
  deps: RecordDeps,
  { panel, run }: Pick<PanelRun, "panel" | "run">,
  { outcome, task, cost, requests }: SerpAnswer,
) {
  const now = Math.max(deps.clock.now(), run.asked_at);
  const found = outcome.ok ? outcome.value : undefined;
  const fault = outcome.ok ? undefined : outcome.fault;
  const charged = cost === null ? null : nanoDollars(cost);
  const retryAt = fault === undefined || charged !== 0 ? null : retryAfter(fault, now);
  const [before] = listRuns(tx, { panel: panel.id, before: run.id }, 1);
  const { rank_group: position = null, rank_absolute = null, url = null } = found ?? {};
  insertResult(tx, {
    ...{ id: run.id, task, cost, charged, next_retry_at: retryAt, code: fault?.code ?? null },
    ...{ position, rank_absolute, url },
    outcome: fault !== undefined ? "failed" : found === undefined ? "not_in_depth" : "found",
  });
  book(tx, panel.asset, run.asked_at, now);
  const isChanged = before?.result?.position !== position;
  return recordOutcome(tx, deps, panel, { run, fault, retryAt, now, requests, isChanged });
}

/** Until when a question that cost nothing is left alone. */
const retryAfter = (fault: Fault, now: number): number =>
  Math.max(nextRetryAt(fault, now) ?? 0, now + HOUR_MS);

/** Records the attempt, and the health of its panel. */
function recordOutcome(
  tx: Tx,
  { config }: RecordDeps,
  panel: Panel,
  attempted: {
    readonly run: Pick<PanelRun["run"], "run" | "connection_revision" | "asked_at">;
    readonly fault: Fault | undefined;
    readonly retryAt: number | null;
    readonly now: number;
    readonly requests: number;
    readonly isChanged: boolean;
  },
) {
  const { run, fault, retryAt: nextRetryAt, now, requests, isChanged } = attempted;
  const { connection_revision: connectionRevision, asked_at: startedAt } = run;
  const { asset, id: property } = panel;
  const category = fault?.category ?? null;
  const outcome = category !== null ? failedOutcome(category) : isChanged ? "changed" : "unchanged";
  const target = { asset, provider: "serp", connectionRevision, property, timeZone: "UTC" } as const;
  const { id: _, ...times } = noteAttempt(
    tx,
    { run: run.run, target, startedAt, finishedAt: now, requests },
    { outcome, category, nextRetryAt, changed: outcome === "changed" ? 1 : 0 },
  );
  const scope = panelScope(config.workspace, panel, connectionRevision);
  const result = resultOf(fault, { nextRetryAt, coveredDate: utcDayOf(startedAt) });
  return { outcome, isMonitored: recordResult(tx, scope, times, result) };
}

function count(run: RunHandle, recorded: ReturnType<typeof recordOutcome>): void {
  run.count(recorded.outcome);
  if (!recorded.isMonitored) run.unmonitored();
}

/** Records a panel that is due and cannot be asked: nothing is sent. */
async function refuse(
  deps: PanelDeps,
  run: RunHandle,
  panel: Panel,
  { connectionRevision, fault }: { readonly connectionRevision: string; readonly fault: Fault },
): Promise<void> {
  const now = deps.clock.now();
  const retryAt = fault.code === "panel_budget" ? startOfToday(now) + DAY_MS : retryAfter(fault, now);
  const asked = { run: run.id, connection_revision: connectionRevision, asked_at: now };
  const attempted = { run: asked, fault, retryAt, now, requests: 0, isChanged: false };
  count(run, await deps.writer.write((tx) => recordOutcome(tx, deps, panel, attempted)));
}

const LOST: SerpAnswer = {
  outcome: { ok: false, fault: faultOf("stopped") },
  task: null,
  cost: null,
  requests: 1,
};

/** Ends the questions that an ended process waited for: nobody knows what became of them, so that their price counts. */
export async function settleUnanswered(
  deps: RecordDeps & Pick<PanelDeps, "store" | "writer">,
  except: number,
): Promise<void> {
  if (listUnanswered(deps.store.db, except).length === 0) return;
  await deps.writer.writeOrDefer((tx) => {
    for (const run of listUnanswered(tx, except)) finish(tx, deps, run, LOST);
  });
}

/**
 * Books a site's panels on the UTC day of a question, and on the days after it that its rounding reaches. The reference keeps these rows
 * from correcting, or being refused for the currency of, one that an operator uploaded for the same source and day.
 */
function book(tx: Tx, asset: string, askedAt: number, now: number): void {
  const of = { asset, kind: "external_api", source: "dataforseo", ref: "panels", currency: USD } as const;
  for (const { day, cents: amount } of bookedDays(tx, asset, askedAt)) {
    const booked = recordCost(tx, { ...of, period: dayOfNumber(day), amount }, { by: "panels", now });
    if (booked.outcome !== "refused") continue;
    logOf("panels").error("a cost is not in the ledger", { asset, rule: booked.errors[0]?.rule });
  }
}
