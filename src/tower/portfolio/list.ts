/** The sites that a query asks for, most urgent first: a pure read over the rows of the portfolio. */
import type { Lifecycle } from "../../assets/contract.ts";
import { type HeldFlag, NOTHING_OPEN, type OpenTally, openIn } from "../../flags/mod.ts";
import { SITE_STATES, type SiteState } from "../../freshness/mod.ts";
import { HEALTH_STATES } from "../../health/contract.ts";
import type { SiteHealth } from "../../integrations/mod.ts";
import { tallied } from "../../lib/tally.ts";
import type { UtcDay } from "../../lib/utc_day.ts";
import type { Night } from "../../pulse/mod.ts";
import type { Streak } from "../../refusals/mod.ts";
import { type Paging, pagingOf } from "../component/pager.tsx";
import { SEVERITIES, type Severity, type SeverityCounts } from "../component/severity.tsx";
import type { SiteStanding } from "../component/site_state.tsx";
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
  /** How it stands as a sender of reports, with when the last one came. */
  readonly standing: SiteStanding;
  /** The flag about its silence, which was raised on the service's own site. */
  readonly silenceFlag?: HeldFlag | undefined;
  /** Open and not snoozed. */
  readonly openFlags: SeverityCounts;
  readonly snoozed: number;
  /** Of the service's own site: those of them about other sites. */
  readonly aboutOthers?: OpenTally["aboutOthers"];
  /** How its integrations stand; undefined where none is set up, or none could be read. */
  readonly health?: SiteHealth | undefined;
  readonly codebase: {
    readonly date: UtcDay;
    readonly receivedAt: number;
    /** Null where the report did not measure it. */
    readonly codeLines: number | null;
  } | null;
  /** Codebase reports that were refused since the last good one. */
  readonly refusedCodebase?: Streak | undefined;
  /** The last nights, oldest first; read for the rows of one page only. */
  readonly nights?: readonly Night[];
  /** Its figures over the last days; read for the rows of one page only. */
  readonly sparks?: SiteSparks | undefined;
}

/** Sites on one page. */
export const PAGE_SIZE = 100;

export interface PortfolioView {
  readonly rows: readonly SiteRow[];
  /** The service's own site, which is none of the portfolio's; undefined where it is not asked for, or not there. */
  readonly own: SiteRow | undefined;
  readonly paging: Paging;
  readonly counts: PortfolioCounts;
}

/** Counts of the whole portfolio: sites without the service's own, each flag once. */
export interface PortfolioCounts {
  readonly all: number;
  readonly state: Readonly<Record<SiteState, number>>;
  /** Groups by name, with how many sites are in each. */
  readonly groups: readonly { readonly name: string; readonly sites: number }[];
  /** Sites with an open flag of a severity. */
  readonly open: SeverityCounts;
  /** Open flags, and those of them about the service itself. */
  readonly openFlags: number;
  readonly ownFlags: number;
  readonly snoozed: number;
  /** Sites with an open flag. */
  readonly flagged: number;
}

type Order = (one: SiteRow, other: SiteRow) => number;

const byName: Order = (one, other) => (one.asset < other.asset ? -1 : one.asset > other.asset ? 1 : 0);

/** More of the worst severity comes first; a tie looks at the next one. */
const byFlags: Order = (one, other) => {
  for (const severity of SEVERITIES) {
    const difference = other.openFlags[severity] - one.openFlags[severity];
    if (difference !== 0) return difference;
  }
  return 0;
};

const placeOf = (row: SiteRow): number => SITE_STATES.indexOf(row.standing.state);

/** A silent site has an error also before the flag about it is raised, and while that is snoozed. */
const errorsOf = (row: SiteRow): number =>
  Math.max(row.openFlags.error, Number(row.standing.state === "silent"));

/** What waits for somebody comes first: errors and silence, of equals the silent; then flags, integrations that fail, and states. */
const byWorst: Order = (one, other) =>
  errorsOf(other) - errorsOf(one) ||
  Number(other.standing.state === "silent") - Number(one.standing.state === "silent") ||
  byFlags(one, other) ||
  Number(other.health?.state === "failing") - Number(one.health?.state === "failing") ||
  placeOf(one) - placeOf(other) ||
  byHealth(one, other);

/** The place of a state of health among all; a site without any comes last. */
const healthPlace = ({ health }: SiteRow): number =>
  health === undefined ? HEALTH_STATES.length : HEALTH_STATES.indexOf(health.state);

const byHealth: Order = (one, other) =>
  healthPlace(one) - healthPlace(other) ||
  (other.health?.counts.failing ?? 0) - (one.health?.counts.failing ?? 0);

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
  flags: byFlags,
  integrations: byHealth,
  lines: descending((row) => row.codebase?.codeLines),
  codebase: descending((row) => row.codebase?.receivedAt),
  nightly: descending((row) => row.standing.receivedAt),
};

const openOf = (row: SiteRow): number => openIn({ open: row.openFlags });

function asked(query: PortfolioQuery): (row: SiteRow) => boolean {
  const isSought = sought(query.q);
  return (row) =>
    (query.state === null || row.standing.state === query.state) &&
    (query.lifecycle === null || row.lifecycle === query.lifecycle) &&
    (query.group === null || row.group === query.group) &&
    (query.alert === null || row.openFlags[query.alert] > 0) &&
    isSought(row);
}

/** Filters, orders and cuts the rows to one page. Counts are of the whole portfolio; the service's own site stands apart. */
export function portfolioView(
  all: readonly SiteRow[],
  query: PortfolioQuery,
  serviceAsset?: string,
): PortfolioView {
  const isAsked = asked(query);
  const own = all.find(({ asset }) => asset === serviceAsset);
  const rows = all.filter(({ asset }) => asset !== serviceAsset);
  const order = ORDERS[query.sort];
  const found = rows.filter(isAsked).sort((one, other) => order(one, other) || byName(one, other));
  const paging = pagingOf(found.length, query.page, PAGE_SIZE);
  return {
    rows: found.slice((paging.page - 1) * PAGE_SIZE, paging.page * PAGE_SIZE),
    own: own !== undefined && isAsked(own) ? own : undefined,
    paging,
    counts: countsOf(rows, own),
  };
}

/** "Customer 2" before "Customer 10". */
const BY_NUMBERS = new Intl.Collator("en", { numeric: true });

function countsOf(rows: readonly SiteRow[], own: SiteRow | undefined): PortfolioCounts {
  const having = (severity: Severity): number => rows.filter((row) => row.openFlags[severity] > 0).length;
  const groups = Map.groupBy(rows, ({ group }) => group);
  const { open, snoozed } = own?.aboutOthers ?? NOTHING_OPEN;
  const ownFlags = own === undefined ? 0 : openOf(own) - openIn({ open });
  return {
    all: rows.length,
    state: tallied(
      SITE_STATES,
      rows.map(({ standing }) => standing.state),
    ),
    groups: [...groups]
      .flatMap(([name, sites]) => (name === null ? [] : [{ name, sites: sites.length }]))
      .sort((one, other) => BY_NUMBERS.compare(one.name, other.name)),
    open: { error: having("error"), warn: having("warn"), info: having("info") },
    openFlags: rows.reduce((sum, row) => sum + openOf(row), ownFlags),
    ownFlags,
    snoozed: rows.reduce((sum, row) => sum + row.snoozed, (own?.snoozed ?? 0) - snoozed),
    flagged: rows.filter((row) => openOf(row) > 0).length,
  };
}
