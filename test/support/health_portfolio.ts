/** A portfolio with everything set up and everything told, as large as a test wants it, written without asking anybody. */

import { utcDayOf } from "../../src/base/time.ts";
import { dailyScope, feedScope, type Scope } from "../../src/health/health.ts";
import { recordOutcome } from "../../src/health/record.ts";
import { PROVIDERS, type Provider } from "../../src/providers/adapter.ts";
import { credential } from "../../src/providers/credentials.ts";
import type { FailureCategory } from "../../src/providers/faults.ts";
import { putAttachment } from "../../src/providers/properties.ts";
import { recordAttempt } from "../../src/signals/attempts.ts";
import { takeLease } from "../../src/signals/live_traffic.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import type { Tx } from "../../src/store/store.ts";

/** The credential that a portfolio is asked with, by provider. */
export const PORTFOLIO_ACCOUNTS = {
  analytics: "google-account",
  "search-console": "google-account",
  "webmaster-tools": "webmaster-account",
} as const satisfies Readonly<Record<Provider, string>>;

/** The connection revision of each. */
export const revisionOf = (provider: Provider): string => `revision-of-${PORTFOLIO_ACCOUNTS[provider]}`;
/** The property of a site at a provider. */
export const propertyOf = (provider: Provider, asset: string): string =>
  provider === "analytics" ? `1${asset.replace(/\D/g, "")}` : `https://${asset}/`;

/** Names of so many sites. */
export const siteNames = (count: number): string[] =>
  Array.from({ length: count }, (_, place) => `site-${String(place).padStart(4, "0")}.example`);

/** Stores the two accounts. Nothing can be asked with what is sealed in them. */
export function plantAccounts(tx: Tx, now: number): void {
  const row = { account: "", editRevision: 1, keyId: "", sealed: "", addedAt: now, connectedAt: now };
  for (const [kind, id, providers] of [
    ["google-service-account", "google-account", ["analytics", "search-console"]],
    ["webmaster-tools-key", "webmaster-account", ["webmaster-tools"]],
  ] as const) {
    const provider = providers[0];
    tx.insert(credential)
      .values({
        ...row,
        id,
        kind,
        label: id,
        providers,
        connectionRevision: revisionOf(provider),
      })
      .run();
  }
}

/** A daily report of a site that came at a moment, or failed. */
export function plantAttempt(
  tx: Tx,
  of: {
    readonly asset: string;
    readonly provider: Provider;
    readonly at: number;
    /** What it failed by; `true` is the network. */
    readonly failed?: boolean | FailureCategory;
    readonly nextRetryAt?: number;
  },
): void {
  const { asset, provider, at, failed = false, nextRetryAt = null } = of;
  const category = failed === true ? "network" : failed === false ? null : failed;
  const pulled = {
    asset,
    provider,
    connectionRevision: revisionOf(provider),
    property: propertyOf(provider, asset),
  };
  const id = recordAttempt(tx, 1, {
    target: { ...pulled, timeZone: "" },
    startedAt: at,
    tookMs: 300,
    outcome: category === null ? "unchanged" : "failed",
    category,
    nextRetryAt,
    requests: 1,
    changed: 0,
  });
  plantOutcome(tx, dailyScope("default", pulled), { attempt: `pull:${id}`, at, category, nextRetryAt });
}

/** What an attempt came to. */
export function plantOutcome(
  tx: Tx,
  scope: Scope,
  of: {
    readonly attempt: string;
    readonly at: number;
    /** What it failed by, where it did. */
    readonly category?: FailureCategory | null;
    readonly nextRetryAt?: number | null;
  },
): void {
  const { attempt, at, category = null, nextRetryAt = null } = of;
  recordOutcome(tx, scope, {
    attempt,
    startedAt: at,
    observedAt: at + 300,
    result:
      category === null
        ? { ok: true, coveredDate: utcDayOf(at - 2 * 86_400_000) }
        : { ok: false, category, code: category === "network" ? "timed_out" : null, nextRetryAt },
  });
}

/** A site that sends nightly and codebase reports and is asked of all providers, with a live feed that somebody looks at. */
export function plantSite(tx: Tx, asset: string, now: number, place: number): void {
  ensureAssets(tx, [asset], { actor: "test", now: now - 86_400_000 });
  plantReceived(tx, asset, now - 3_600_000);
  for (const provider of PROVIDERS) {
    const credential = PORTFOLIO_ACCOUNTS[provider];
    const attachedAt = now - 86_400_000;
    putAttachment(tx, { asset, provider, credential, property: propertyOf(provider, asset), attachedAt });
    plantAttempt(tx, {
      asset,
      provider,
      at: now - 60_000,
      failed: place % 50 === 7 && provider === "analytics",
    });
  }
  // Before the daily figures, which say nothing of it.
  if (place % 2 === 0) plantFeeds(tx, asset, now - 90_000);
}

function plantFeeds(tx: Tx, asset: string, at: number): void {
  const source = {
    credential: PORTFOLIO_ACCOUNTS.analytics,
    connectionRevision: revisionOf("analytics"),
    property: propertyOf("analytics", asset),
  };
  for (const kind of ["realtime", "hourly"] as const) {
    takeLease(tx, { asset, kind, source }, { holder: `${asset}-${kind}`, now: at, until: at + 1_000 });
    plantOutcome(tx, feedScope("default", { asset, kind, source }), { attempt: `live:${asset}.${kind}`, at });
  }
}

/** A nightly and a codebase report that came at a moment: their rows alone. */
export function plantReceived(tx: Tx, asset: string, at: number): void {
  const { $client: client } = tx as unknown as {
    readonly $client: { run(sql: string, values: unknown[]): unknown };
  };
  const date = utcDayOf(at);
  for (const table of ["pulse", "codebase_report"]) {
    const measures = table === "pulse" ? "" : ", measures";
    client.run(
      `INSERT INTO ${table} (asset, date, revision, received_at, generated_at${measures}) VALUES (?, ?, 1, ?, ?${measures === "" ? "" : ", '{}'"})`,
      [asset, date, at, at],
    );
  }
  client.run("INSERT INTO pulse_freshness (asset, received_at) VALUES (?, ?)", [asset, at]);
}

/** So many sites. */
export function plantPortfolio(tx: Tx, count: number, now: number): void {
  plantAccounts(tx, now - 86_400_000);
  for (const [place, asset] of siteNames(count).entries()) plantSite(tx, asset, now, place);
}
