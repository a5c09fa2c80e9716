/**
 * `/ledger`, the tab of a site, the rows as a file, and uploading some.
 *
 * The page: months of each currency (`month_table.tsx`), never two currencies in one figure. The file: rows read piece by piece, so that
 * a long one holds up nobody. Uploading (`upload.tsx`): a file, what it would do, then all of it or nothing. Begin with `ledgerPages`.
 */

import { Problem } from "../../base/problem.ts";
import { countWords as countOf } from "../../base/text.ts";
import { Amount, isCurrency } from "../../ledger/amount.ts";
import { importLedger, MAX_CSV_BYTES } from "../../ledger/csv.ts";
import { answerOf, isOpenEstimate, type LedgerRow, listLedger } from "../../ledger/ledger.ts";
import { type CurrencyMonths, ledgerMonths } from "../../ledger/months.ts";
import type { ConstantsStore } from "../../sites/constants_store.ts";
import { listPortfolio } from "../../sites/sites.ts";
import type { Db } from "../../store/store.ts";
import { type PageDeps, withNotice } from "../keyboard.tsx";
import { Block } from "../kit/block.tsx";
import { type ConfirmDeps, confirmed } from "../kit/confirmed_form.tsx";
import { Empty } from "../kit/empty.tsx";
import { type Filled, Options } from "../kit/field.tsx";
import { Go, Segments, Told } from "../kit/links.tsx";
import { get, type Moment, mounted, own, type SignedInActor, type Visit } from "../kit/route.ts";
import { Kept } from "../kit/search_form.tsx";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { lineOf } from "../site/site_days.tsx";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import {
  decimalOf,
  type LedgerQuery,
  ledgerAddress,
  ledgerHref,
  MonthTable,
  monthName,
  RANGES,
} from "./month_table.tsx";
import { PreviewPage, UploadPage } from "./upload.tsx";

/** Rows read in one turn of the event loop. */
const PIECE = 500;

/** The fields of a row as an upload takes them, then what Tower knows of it. Amounts are minor units, `value` the currency's own. */
const COLUMNS =
  "asset kind source period status change minutes rate amount value low high currency currency_basis ref id corrects recorded_at recorded_by".split(
    " ",
  );

function cellsOf(row: LedgerRow): string[] {
  const cells: Readonly<Record<string, unknown>> = {
    ...answerOf(row),
    value: isOpenEstimate(row) ? null : decimalOf(row.amount),
  };
  return COLUMNS.map((name) => {
    const cell = cells[name] ?? "";
    return String(cell instanceof Amount ? cell.toJSON() : cell);
  });
}

/**
 * Every row of one currency that no other corrects, the newest period first. A text that a spreadsheet would take for a formula gets an
 * apostrophe; a negative amount stays a number, since nothing but digits follows its sign.
 */
function ledgerCsv(
  db: Db,
  of: { readonly currency: string; readonly asset: string | undefined },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let after: Pick<LedgerRow, "period" | "id"> | undefined;
  return new ReadableStream({
    start: (to) => to.enqueue(encoder.encode(lineOf(COLUMNS))),
    pull: (to) => {
      const rows = listLedger(db, of, PIECE, after);
      const lines = rows.map((row) => lineOf(cellsOf(row)));
      to.enqueue(encoder.encode(lines.join("")));
      after = rows.at(-1);
      if (rows.length < PIECE) to.close();
    },
  });
}

interface LedgerPageProps {
  readonly currencies: readonly CurrencyMonths[];
  /** The site whose tab it is; null on the page of all sites. */
  readonly site: SiteHead | null;
  readonly query: LedgerQuery;
  /** The sites to choose from. */
  readonly sites: readonly string[];
}

/** The ledger: of all sites, or of one as a tab of its pages. */
function LedgerPage(props: LedgerPageProps) {
  const { site, query, currencies } = props;
  const isEmpty = currencies.length === 0;
  const whose = (site?.asset ?? query.asset) === null ? "" : " of this site";
  return (
    <Page
      title={site === null ? "Ledger" : siteTitle(site, "ledger")}
      current={site === null ? "ledger" : "sites"}
    >
      {site === null ? null : <SiteHeader site={site} current="ledger" />}
      <div class="head">
        <div>
          {site === null ? <h1>Ledger</h1> : null}
          <p>{isEmpty ? null : sentenceOf(currencies)}</p>
        </div>
        <div class="row">
          <Segments
            label="Range"
            choices={RANGES.map((months) => ({
              href: ledgerHref(site, { ...query, months }),
              words: `${months} months`,
              chosen: query.months === months,
            }))}
          />
          {site === null ? <SiteFilter query={query} sites={props.sites} /> : null}
          <Go to={paths.ledgerUpload} words="Upload rows" />
        </div>
      </div>
      {isEmpty ? (
        <Empty heading="No ledger rows" alone>
          <p>
            No revenue or costs{whose} in these {query.months} months.
          </p>
        </Empty>
      ) : (
        <Legend />
      )}
      {currencies.map((of) => (
        <CurrencyBlock of={of} site={site} query={query} />
      ))}
    </Page>
  );
}

/** What is estimated, and when it becomes final. */
function sentenceOf(currencies: readonly CurrencyMonths[]): string {
  const open = [
    ...new Set(
      currencies.flatMap(({ months }) =>
        months.flatMap(({ month, estimated }) => (estimated === null ? [] : [month])),
      ),
    ),
  ].sort();
  const [first = ""] = open;
  const which =
    open.length === 0
      ? "Nothing is estimated."
      : open.length > 3
        ? `${open.length} months since ${monthName(first, "long")} ${first.slice(0, 4)} are estimated.`
        : `${open.map((month) => monthName(month, "long")).join(" and ")} ${open.length === 1 ? "is" : "are"} estimated.`;
  return `${which} Advertising is final after 45 to 60 days, affiliate revenue after 60.`;
}

function SiteFilter({ query, sites }: { query: LedgerQuery; sites: readonly string[] }) {
  const { asset } = query;
  const outside = asset !== null && !sites.includes(asset) ? [asset] : [];
  return (
    <form method="get" action={paths.ledger} class="search">
      <label class="vh" for="ledger-site">
        Site
      </label>
      <select id="ledger-site" name="asset">
        <option value="">All sites</option>
        <Options chosen={asset ?? ""} choices={[...outside, ...sites].map((id) => [id, id] as const)} />
      </select>
      <Kept search={ledgerHref(null, { months: query.months }).slice(paths.ledger.length)} />
      <button class="btn">Show</button>
    </form>
  );
}

function Legend() {
  const marks = [
    ["bk", "Booked"],
    ["es", "Estimated"],
    ["co", "Costs"],
    ["nil", "No rows"],
  ] as const;
  return (
    <ul class="legend months-legend">
      {marks.map(([look, words]) => (
        <li>
          <svg aria-hidden="true">
            <rect class={look} x="4.5" y=".5" width="9" height="11" />
          </svg>
          {words}
        </li>
      ))}
      <li class="push">Currencies are never added or converted.</li>
    </ul>
  );
}

function CurrencyBlock({
  of,
  site,
  query,
}: {
  of: CurrencyMonths;
  site: SiteHead | null;
  query: LedgerQuery;
}) {
  const { currency, months, sources, legacy } = of;
  return (
    <Block
      heading={currency}
      id={`cur-${currency}`}
      note={
        <>
          <Told>{sources.join(", ")}</Told>
          {legacy > 0 ? `; ${countOf(legacy, "legacy row")} without a currency, taken as USD` : null}
        </>
      }
      tools={<a href={paths.ledgerFile(currency, site?.asset ?? query.asset)}>Download CSV</a>}
    >
      <div class="scroll" tabindex={0} role="region" aria-label={`${currency}, ${months.length} months`}>
        <MonthTable {...of} />
      </div>
    </Block>
  );
}

const MOST_FORM_BYTES = 1.5 * MAX_CSV_BYTES;

interface LedgerPagesDeps extends PageDeps, ConfirmDeps, SiteHeadDeps {
  readonly db: Db;
  readonly constants: Pick<ConstantsStore, "current" | "refresh">;
}

type PageVisit = Pick<Visit<SignedInActor, unknown, LedgerQuery, unknown, unknown>, "query" | "now">;

/** `/ledger`, a site's tab of it, the rows as a file, and uploading some. */
export function ledgerPages(deps: LedgerPagesDeps) {
  const { db } = deps;
  const sure = confirmed({ takesFiles: true, maxBytes: MOST_FORM_BYTES, isAct });
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
    own.get(paths.ledgerUpload, {}, () => <UploadPage filled={NOTHING} />),
    sure.post(paths.ledgerUpload, {}, async (visit) => {
      const { form, actor, now } = visit;
      const [kind, isStored] = [form.get("rows") === "costs" ? "costs" : "revenue", isAct(form)] as const;
      const text = isStored
        ? Buffer.from(form.get("csv") ?? "", "base64url").toString()
        : (form.get("file") ?? "");
      const error = faultOf(text);
      if (error !== undefined) {
        const filled = { values: { rows: kind }, errors: { file: error } };
        return visit.page(<UploadPage filled={filled} />, { status: 422 });
      }
      await deps.constants.refresh();
      const rates = deps.constants.current().constants.ledger.operator_rates;
      const by = { by: actor.name, now, rates, dryRun: !isStored };
      const imported = await importLedger(deps, kind, new TextEncoder().encode(text), by);
      const isGood = imported.bad.length === 0;
      if (isStored && isGood) return seeOther(withNotice(paths.ledger, "ledger-stored"));
      const props = { kind, text, ...imported, who: visit.who };
      return visit.page(<PreviewPage {...props} />, { status: isGood ? 200 : 422 });
    }),
  ]);

  function page({ query, now }: PageVisit, site: SiteHead | null) {
    const asset = site?.asset ?? query.asset ?? undefined;
    return (
      <LedgerPage
        site={site}
        query={query}
        currencies={ledgerMonths(db, monthsUpTo(now, query.months), asset)}
        sites={site === null ? listPortfolio(db).map(({ id }) => id) : []}
      />
    );
  }
}

/** Whether a form stores what it holds, and does not only look at it. */
const isAct = (form: URLSearchParams): boolean => form.get("act") === "store";

/** What is wrong with a file before any of its lines is looked at; bytes that are no UTF-8 came as U+FFFD. */
function faultOf(text: string): string | undefined {
  if (text.trim() === "") return "Choose a CSV file that is not empty.";
  if (text.length > MAX_CSV_BYTES) return "It is larger than 4 MiB: split it.";
  return text.includes("\uFFFD") ? "It is not UTF-8: save it as CSV UTF-8." : undefined;
}

const NOTHING: Filled = { values: {}, errors: {} };

/** The months up to the present one, oldest first. */
function monthsUpTo(now: number, count: number): readonly string[] {
  const at = new Date(now);
  return Array.from({ length: count }, (_, place) =>
    new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - count + 1 + place)).toISOString().slice(0, 7),
  );
}
