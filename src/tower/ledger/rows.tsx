/** The rows behind the figures of one currency, newest first, each correction beside what it corrects. */
import { Amount } from "../../ledger/amount.ts";
import type { LedgerRow } from "../../ledger/store.ts";
import { Empty } from "../component/empty.tsx";
import { EarlierPager } from "../component/pager.tsx";
import { type SiteHead, SiteHeader, siteTitle } from "../component/site_header.tsx";
import { DataTable } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import { Page } from "../layout.tsx";
import type { Shell } from "../shell.ts";
import { isOpenEstimate, type LedgerQuery, ledgerHref, monthName } from "./view.ts";

/** A row that may have been corrected since. */
export interface ListedRow extends LedgerRow {
  readonly isCurrent: boolean;
}

export interface RowsPageProps {
  readonly shell: Shell;
  readonly site: SiteHead | null;
  readonly query: LedgerQuery;
  readonly rows: readonly ListedRow[];
  /** Where the list goes on; null at its end. */
  readonly next: string | null;
}

const KIND_WORDS: Readonly<Record<LedgerRow["kind"], string>> = {
  revenue: "Revenue",
  inference: "Inference",
  external_api: "External APIs",
  operator_minutes: "Operator time",
};

export function RowsPage({ shell, site, query, rows, next }: RowsPageProps) {
  const { rows: currency, kind, status, period } = query;
  const heading = [
    currency,
    kind === null ? "rows" : KIND_WORDS[kind].toLowerCase(),
    status,
    period === null ? null : `${monthName(period.slice(0, 7), "long")} ${period.slice(0, 4)}`,
  ].filter((words) => words !== null);
  const back = ledgerHref(site, { months: query.months, asset: query.asset });
  return (
    <Page
      shell={shell}
      title={site === null ? heading.join(" ") : siteTitle(site, heading.join(" "))}
      current={site === null ? "ledger" : "sites"}
    >
      {site === null ? null : <SiteHeader site={site} current="ledger" />}
      <div class="stack tight">
        <p class="crumb">
          <a href={back}>Ledger</a>
        </p>
        {site === null ? <h1>{heading.join(" ")}</h1> : <h2>{heading.join(" ")}</h2>}
        {query.asset === null || site !== null ? null : (
          <p>
            <Told class="wrap">{query.asset}</Told> only
          </p>
        )}
      </div>
      <div class="stack tight">
        <DataTable
          fold
          caption="Rows, newest first"
          items={rows}
          id={({ id }) => `row-${id}`}
          empty={
            <Empty heading="No rows" alone>
              <p>Nothing was recorded here.</p>
              <a class="btn" href={back}>
                Back to the months
              </a>
            </Empty>
          }
          columns={[
            { words: "Period", names: true, class: "nowrap", cell: ({ period: of }) => of },
            site === null
              ? {
                  words: "Site",
                  label: true,
                  cell: ({ asset }) => (asset === null ? "All sites" : <Told class="wrap">{asset}</Told>),
                }
              : null,
            {
              words: "What",
              label: true,
              cell: (row) => (
                <>
                  {KIND_WORDS[row.kind]}
                  {row.status === null ? null : `, ${row.status}`}: <Told class="wrap">{row.source}</Told>
                </>
              ),
            },
            {
              words: "Change or reference",
              label: true,
              cell: ({ change, ref }) => {
                const told = [change, ref].filter((text) => text !== null).join(", ");
                return told === "" ? null : <Told class="wrap">{told}</Told>;
              },
            },
            { words: "Amount", label: true, numeric: true, cell: AmountCell },
            {
              words: "Recorded",
              label: true,
              cell: ({ recorded_at, recorded_by }) => (
                <>
                  <Moment at={recorded_at} now={shell.now} />{" "}
                  <Told class="wrap">{recorded_by.replace(/^operator:/, "")}</Told>
                </>
              ),
            },
          ]}
        />
        <EarlierPager
          newest={query.before === null ? null : ledgerHref(site, { ...query, before: null })}
          earlier={next === null ? null : ledgerHref(site, { ...query, before: next })}
        />
      </div>
    </Page>
  );
}

function AmountCell(row: ListedRow) {
  const { amount, currency, low, high, rate, minutes, corrects, isCurrent, currency_basis: basis } = row;
  // An affiliate estimate is a range, and never a point.
  const isOpen = isOpenEstimate(row);
  const words =
    low !== null && high !== null ? `${low}–${high}` : isOpen ? "estimate, may still change" : `${amount}`;
  return (
    <>
      {isCurrent ? words : <span class="past">{words}</span>}
      {minutes === null ? null : (
        <small>
          {" "}
          {minutes} min{rate === null ? null : ` at ${new Amount(currency, rate)} an hour`}
        </small>
      )}
      {corrects === null ? null : <span class="tag">Correction</span>}
      {isCurrent ? null : <span class="tag">Corrected</span>}
      {basis === "legacy" ? <span class="tag">Legacy, taken as USD</span> : null}
    </>
  );
}
