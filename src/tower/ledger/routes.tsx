import { listPortfolio } from "../../assets/mod.ts";
import type { Db } from "../../db/mod.ts";
import { isCurrency } from "../../ledger/amount.ts";
import { ledgerMonths } from "../../ledger/month_store.ts";
import { listLedger } from "../../ledger/store.ts";
import type { UtcDay } from "../../lib/utc_day.ts";
import { Problem } from "../../platform/problem.ts";
import type { SiteHead } from "../component/site_header.tsx";
import { get, type Moment, mounted, type SignedInActor } from "../kit/route.ts";
import type { Visit } from "../kit/visit.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import { ledgerCsv } from "./export.ts";
import { LedgerPage } from "./page.tsx";
import { RowsPage } from "./rows.tsx";
import { type LedgerQuery, ledgerAddress } from "./view.ts";

/** Rows on one page. */
const PAGE_SIZE = 50;
export interface LedgerPagesDeps extends PageDeps, SiteHeadDeps {
  readonly db: Db;
}

type PageVisit = Pick<
  Visit<SignedInActor, unknown, LedgerQuery, unknown, unknown>,
  "shell" | "query" | "now"
>;

/** `/ledger`, a site's tab of it, and the rows as a file. */
export function ledgerPages(deps: LedgerPagesDeps) {
  const { db } = deps;
  return mounted(deps, [
    get(paths.ledger, { query: ledgerAddress }, (visit) => page(visit, null)),
    get(
      paths.siteLedger,
      {
        query: ledgerAddress,
        find: ({ asset }: { readonly asset: string }, at: Moment) => siteHead(deps, asset, at),
      },
      (visit) => page(visit, visit.found),
    ),
    get(paths.ledgerCsv, {}, ({ query }) => {
      const [currency, asset] = [query.get("currency") ?? "", query.get("asset") ?? undefined];
      if (!isCurrency(currency)) throw new Problem("not-found", "Name a currency, such as EUR.");
      return new Response(ledgerCsv(db, { currency, asset }), {
        headers: {
          "content-type": "text/csv; charset=utf-8; header=present",
          "content-disposition": `attachment; filename="ledger-${currency}.csv"`,
          "cache-control": "private, no-cache",
        },
      });
    }),
  ]);

  function page({ shell, query, now }: PageVisit, site: SiteHead | null) {
    const asset = site?.asset ?? query.asset ?? undefined;
    if (query.rows !== null) {
      const { kind, status, period, rows: currency } = query;
      const [from, to] =
        period === null ? [undefined, undefined] : ([`${period}-01`, `${period}-31`] as [UtcDay, UtcDay]);
      const filter = { asset, currency, kind: kind ?? undefined, status: status ?? undefined, from, to };
      const [period0, id] = query.before?.split("_") ?? [];
      const after = period0 === undefined ? undefined : { period: period0, id: Number(id) };
      const listed = listLedger(db, { ...filter, revisions: "all" }, PAGE_SIZE + 1, after);
      const current = new Set(listLedger(db, filter, PAGE_SIZE, after).map(({ id: of }) => of));
      const rows = listed.slice(0, PAGE_SIZE);
      const last = listed.length > PAGE_SIZE ? rows.at(-1) : undefined;
      return (
        <RowsPage
          shell={shell}
          site={site}
          query={query}
          rows={rows.map((row) => ({ ...row, isCurrent: current.has(row.id) }))}
          next={last === undefined ? null : `${last.period}_${last.id}`}
        />
      );
    }
    const months = monthsUpTo(now, query.months);
    return (
      <LedgerPage
        shell={shell}
        site={site}
        query={query}
        {...ledgerMonths(db, months, asset)}
        sites={site === null ? listPortfolio(db).map(({ id }) => id) : []}
      />
    );
  }
}

/** The months up to the present one, oldest first. */
function monthsUpTo(now: number, count: number): readonly string[] {
  const at = new Date(now);
  return Array.from({ length: count }, (_, place) =>
    new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - count + 1 + place)).toISOString().slice(0, 7),
  );
}
