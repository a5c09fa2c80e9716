/** The sites that a query asks for, worst first: a pure read over the rows of the portfolio. */
import type { Lifecycle } from "../../assets/contract.ts";
import { openIn } from "../../flags/mod.ts";
import type { UtcDay } from "../../lib/utc_day.ts";
import type { Night } from "../../pulse/mod.ts";
import type { Streak } from "../../refusals/mod.ts";
import { type Paging, pagingOf } from "../component/pager.tsx";
import { SEVERITIES, type Severity, type SeverityCounts } from "../component/severity.tsx";
import { sought } from "./find.ts";
import type { PortfolioQuery, Sort } from "./query.ts";
import type { SiteSparks } from "./sparks.ts";

/** One site of the portfolio with what is known of it. Absent stays null. */
export interface SiteRow {
  readonly asset: string;
  readonly url: string | null;
  readonly lifecycle: Lifecycle;
  /** The group that it is in; null where it is in none. */
  readonly group: string | null;
  /** Open and not snoozed. */
  readonly openFlags: SeverityCounts;
  readonly snoozed: number;
  readonly codebase: {
    readonly date: UtcDay;
    readonly receivedAt: number;
    /** Null where the report did not measure it. */
    readonly codeLines: number | null;
  } | null;
  /** When the last nightly report was received. */
  readonly nightlyAt: number | null;
  /** What was refused since the last good report of each kind. */
  readonly refused?: { readonly nightly?: Streak; readonly codebase?: Streak };
  /** The last nights, oldest first; read for the rows of one page only. */
  readonly nights?: readonly Night[];
  /** Its figures over the last days; read for the rows of one page only. */
  readonly sparks?: SiteSparks | undefined;
}

/** Sites on one page. */
export const PAGE_SIZE = 100;

export interface PortfolioView {
  readonly rows: readonly SiteRow[];
  readonly paging: Paging;
  readonly counts: {
    readonly all: number;
    readonly lifecycle: Readonly<Record<Lifecycle, number>>;
    readonly open: SeverityCounts;
    readonly openFlags: number;
    readonly snoozed: number;
    readonly flagged: number;
  };
}

type Order = (one: SiteRow, other: SiteRow) => number;

const byName: Order = (one, other) => (one.asset < other.asset ? -1 : one.asset > other.asset ? 1 : 0);

/** More of the worst severity comes first; a tie looks at the next one. */
const byWorst: Order = (one, other) => {
  for (const severity of SEVERITIES) {
    const difference = other.openFlags[severity] - one.openFlags[severity];
    if (difference !== 0) return difference;
  }
  return Number(one.lifecycle === "retired") - Number(other.lifecycle === "retired");
};

/** Descending, with the absent ones last. */
function descending(value: (row: SiteRow) => number | null | undefined): Order {
  return (one, other) => {
    const [a, b] = [value(one) ?? null, value(other) ?? null];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return b - a;
  };
}

const ORDERS: Readonly<Record<Sort, Order>> = {
  worst: byWorst,
  site: byName,
  lines: descending((row) => row.codebase?.codeLines),
  codebase: descending((row) => row.codebase?.receivedAt),
  nightly: descending((row) => row.nightlyAt),
};

const openOf = (row: SiteRow): number => openIn({ open: row.openFlags });

function asked(query: PortfolioQuery): (row: SiteRow) => boolean {
  const isSought = sought(query.q);
  return (row) =>
    (query.lifecycle === null || row.lifecycle === query.lifecycle) &&
    (query.group === null || row.group === query.group) &&
    (query.alert === null || row.openFlags[query.alert] > 0) &&
    isSought(row);
}

/** Filters, orders and cuts the rows to one page. Counts are of the whole portfolio. */
export function portfolioView(rows: readonly SiteRow[], query: PortfolioQuery): PortfolioView {
  const found = rows.filter(asked(query));
  const order = ORDERS[query.sort];
  found.sort((one, other) => order(one, other) || byName(one, other));
  const paging = pagingOf(found.length, query.page, PAGE_SIZE);
  const having = (severity: Severity): number => rows.filter((row) => row.openFlags[severity] > 0).length;
  const living = (lifecycle: Lifecycle): number => rows.filter((row) => row.lifecycle === lifecycle).length;
  return {
    rows: found.slice((paging.page - 1) * PAGE_SIZE, paging.page * PAGE_SIZE),
    paging,
    counts: {
      all: rows.length,
      lifecycle: { live: living("live"), "pre-launch": living("pre-launch"), retired: living("retired") },
      open: { error: having("error"), warn: having("warn"), info: having("info") },
      openFlags: rows.reduce((sum, row) => sum + openOf(row), 0),
      snoozed: rows.reduce((sum, row) => sum + row.snoozed, 0),
      flagged: rows.filter((row) => openOf(row) > 0).length,
    },
  };
}
