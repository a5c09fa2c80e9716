/** asset-pull-failed: the nightly pull came to nothing for at least one site (decisions, Flags). Pure. */
import { formatInstant } from "../lib/instant.ts";
import type { FailureCategory } from "../provider/contract.ts";
import { ASSET_PULL_FAILED, raisedTitle } from "../rules/mod.ts";

/** A site, or an account as a whole where the site is undefined, for which the pull came to nothing. */
export interface FailedPull {
  readonly asset: string | undefined;
  /** Null where it was not asked, since an earlier failure still holds it back. */
  readonly category: FailureCategory | null;
}

/** What a nightly run came to. */
export interface NightlyRun {
  /** When it began, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Sites that it asked for, or was held back from. */
  readonly sites: number;
  readonly failed: readonly FailedPull[];
}

/** Sites named in the inputs at most. */
const MOST_NAMED = 50;

/** A run with failures, as the flag tells it. */
export interface PullFailure {
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

/** Judges a run; undefined where nothing failed. */
export function judgeNightly(run: NightlyRun): PullFailure | undefined {
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
export function failedSitesIn(inputs: { readonly [key: string]: unknown }): string[] {
  const { failed_sites: failed = [] } = inputs as Partial<PullFailure["inputs"]>;
  return failed.map(({ asset }) => asset);
}
