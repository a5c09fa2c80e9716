import type { BrokenRule } from "../lib/contract.ts";

/** The routes that take reports from sites, by kind of report. */
export const REPORT_ROUTES = { nightly: "/api/pulse", codebase: "/api/codebase-report" } as const;

/** What is sent where: the reports of a site on one route. */
export interface Sending {
  readonly asset: string;
  readonly route: string;
}

/** Why a report was refused. */
export interface RefusalKind {
  readonly status: number;
  /** The problem's code, such as `broken-contract`. */
  readonly code: string;
  /** The first broken rules, as the sender was told them. */
  readonly faults: readonly BrokenRule[];
  /** Broken rules beyond those. */
  readonly more: number;
}

/** A refused report. `at` is in milliseconds since the epoch. */
export interface Refusal extends Sending, RefusalKind {
  readonly at: number;
}

/** Refusals of one kind, told as one. */
export interface RefusedReport extends Sending, RefusalKind {
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
}

/** Refusals in a row since the last good report. */
export interface Streak extends Sending, Omit<RefusalKind, "more"> {
  readonly count: number;
  readonly lastAt: number;
}

/** A good report that ended refusals in a row. `at` is in milliseconds since the epoch. */
export interface EndedStreak extends Sending {
  readonly at: number;
}

/** A report that belongs to no site, or not to the one that it names: whose token it came with, and why it was refused. */
export interface Stray {
  readonly code: string;
  /** The site whose token was used; null where no site has it. */
  readonly tokenOf: string | null;
  readonly at: number;
}

/** Reports that came with no site's token: how many, why the latest was refused, and when. */
export interface UnknownSenders {
  readonly count: number;
  readonly code: string;
  readonly at: number;
}

/** What a refusal was answered with, on one line: "422 /metrics/signups/last24h", "413 body-too-large". */
export function answerWords({
  status,
  code,
  faults,
}: Pick<RefusalKind, "status" | "code" | "faults">): string {
  return `${status} ${faults[0]?.pointer || code}`;
}
