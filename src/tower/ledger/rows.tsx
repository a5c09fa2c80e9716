/**
 * `/ledger/rows`: the rows of one currency, the newest period first, and the same as a file. A page is always of one currency.
 */

import { Problem } from "../../base/problem.ts";
import {
  Amount,
  type Currency,
  ENTRY_KINDS,
  isCurrency,
  LEGACY_CURRENCY,
  REVENUE_STATUSES,
} from "../../ledger/amount.ts";
import {
  answerOf,
  isOpenEstimate,
  type LedgerFilter,
  type LedgerRow,
  listLedger,
} from "../../ledger/ledger.ts";
import type { Db } from "../../store/store.ts";
import type { PageGround } from "../ground.ts";
import { address, FilterForm, Filters, given, named, oneOf } from "../kit/address.tsx";
import { Code, Go, Told } from "../kit/links.tsx";
import { type Column, EarlierPager, Empty, List, stretchOf } from "../kit/list.tsx";
import { Moment } from "../kit/proof.tsx";
import { get, mounted } from "../kit/route.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { CSV, fileAnswer } from "../session.ts";
import { lineOf } from "../site/site_days.tsx";

export const KIND_WORDS = {
  revenue: "Revenue",
  inference: "Inference",
  external_api: "External API",
  operator_minutes: "Operator time",
} as const;

/** Longest id of a site. */
const LONGEST = 128;
const PAGE_SIZE = 50;

const rowsAddress = address({
  currency: named(3, null),
  asset: named(LONGEST, null),
  kind: oneOf(ENTRY_KINDS, null, (kind) => KIND_WORDS[kind]),
  status: oneOf(REVENUE_STATUSES, null),
  /** The row that the list goes on after: its period and its number. */
  after: named(32, null),
});
const rowsHref = rowsAddress.at(paths.ledgerRows);
const fileHref = rowsAddress.at(paths.ledgerCsv);
const FILTERS = { asset: "Site", kind: "Kind", status: "Status" };

/** An amount as machines read it: "-1234.50". */
function decimalOf(amount: Amount): string {
  return `${amount}`.replaceAll(",", "").replace("−", "-");
}

const COLUMNS: readonly Column<LedgerRow>[] = [
  ["Period", ({ period }) => period, { class: "nowrap" }],
  [
    "Site",
    ({ asset }) =>
      asset === null ? (
        "All sites"
      ) : (
        <a href={paths.siteLedger(asset)}>
          <Told class="wrap">{asset}</Told>
        </a>
      ),
  ],
  ["Kind", ({ kind, status }) => [KIND_WORDS[kind], status === null ? null : `, ${status}`]],
  ["Source", ({ source }) => <Told class="wrap">{source}</Told>],
  [
    "Change or reference",
    ({ change, ref }) =>
      [change, ref].map((text) => (text === null || text === "" ? null : <Code>{text}</Code>)),
  ],
  ["Amount", amountWords, { numeric: true, class: "nowrap" }],
  [
    "Recorded",
    ({ recorded_at, recorded_by, corrects }) => (
      <>
        <Moment at={recorded_at} /> by <Told class="wrap">{recorded_by.replace(/^operator:/, "")}</Told>
        {corrects === null ? null : <small class="block-sm">a correction</small>}
      </>
    ),
  ],
];

/** An affiliate estimate is its range, or may still change; it is never a point. */
function amountWords(row: LedgerRow): string {
  const { amount, low, high } = row;
  if (isOpenEstimate(row)) return "estimate, may still change";
  return low === null || high === null ? `${amount}` : `${low}–${high}`;
}

export function ledgerRowPages(deps: PageGround) {
  const { db } = deps;
  return mounted(deps, [
    get(paths.ledgerRows, { query: rowsAddress }, ({ query }) => rowsPage(db, query)),
    get(paths.ledgerCsv, { query: rowsAddress }, ({ query: { asset, kind, status, ...query } }) => {
      const currency = knownCurrency(query.currency);
      const text = ledgerCsv(db, { currency, ...given({ asset, kind, status }) });
      return fileAnswer(`ledger-${currency}.csv`, CSV, text);
    }),
  ]);
}

function knownCurrency(text: string | null): Currency {
  if (text === null || !isCurrency(text)) throw new Problem("not-found", "Name a currency, such as EUR.");
  return text;
}

function rowsPage(db: Db, asked: typeof rowsAddress.usual) {
  const { asset, kind, status, after } = asked;
  // Where none is named, that of the newest row.
  const currency = knownCurrency(asked.currency ?? listLedger(db, {}, 1)[0]?.currency ?? LEGACY_CURRENCY);
  const query = { ...asked, currency };
  const [period = "", id] = after?.split("_") ?? [];
  const found = listLedger(
    db,
    { currency, ...given({ asset, kind, status }) },
    PAGE_SIZE + 1,
    id === undefined ? undefined : { period, id: Number(id) },
  );
  const { items, last } = stretchOf(found, PAGE_SIZE);
  const filter = { path: paths.ledgerRows, address: rowsAddress, query, words: FILTERS };
  return (
    <Page title={`Ledger rows in ${currency}`} current="ledger">
      <div class="head">
        <div>
          <p class="crumb">
            <a href={paths.ledger}>Ledger</a>
          </p>
          <h1>Rows in {currency}</h1>
        </div>
        <Go to={fileHref({ ...query, after: null })} words="Download CSV" />
      </div>
      <FilterForm {...filter} />
      <div id="rows" class="stack tight">
        <Filters {...filter} />
        <List
          of={`Ledger rows in ${currency}`}
          items={items}
          columns={COLUMNS}
          id={({ id }) => `row-${id}`}
          empty={
            asset === null && kind === null && status === null ? (
              <Empty alone heading={`No rows in ${currency}`}>
                <p>
                  Rows come from uploads, the API and <code>ledger import</code>.
                </p>
                <Go to={paths.ledgerUpload} words="Upload rows" />
              </Empty>
            ) : (
              <Empty alone heading="No row matches">
                <p>Remove a filter.</p>
                <Go to={rowsHref({ currency })} words="Show all rows" />
              </Empty>
            )
          }
        />
        <EarlierPager
          from={after}
          next={last && `${last.period}_${last.id}`}
          href={(after) => rowsHref({ ...query, after })}
        />
      </div>
    </Page>
  );
}

/** Rows read in one turn of the event loop, so that a long file holds up nobody. */
const PIECE = 500;

/** The fields of a row as an upload takes them, then what Tower knows of it. Amounts are minor units, `value` the currency's own. */
const CSV_COLUMNS =
  "asset kind source period status change minutes rate amount value low high currency currency_basis ref id corrects recorded_at recorded_by".split(
    " ",
  );

function cellsOf(row: LedgerRow): string[] {
  const cells: Readonly<Record<string, unknown>> = {
    ...answerOf(row),
    value: isOpenEstimate(row) ? null : decimalOf(row.amount),
  };
  return CSV_COLUMNS.map((name) => {
    const cell = cells[name] ?? "";
    return String(cell instanceof Amount ? cell.toJSON() : cell);
  });
}

/**
 * Every row asked for that no other corrects, the newest period first. A text that a spreadsheet would take for a formula gets an
 * apostrophe; a negative amount stays a number, since nothing but digits follows its sign.
 */
function ledgerCsv(db: Db, of: LedgerFilter) {
  const encoder = new TextEncoder();
  let after: Pick<LedgerRow, "period" | "id"> | undefined;
  return new ReadableStream({
    start: (to) => to.enqueue(encoder.encode(lineOf(CSV_COLUMNS))),
    pull: (to) => {
      const rows = listLedger(db, of, PIECE, after);
      to.enqueue(encoder.encode(rows.map((row) => lineOf(cellsOf(row))).join("")));
      after = rows.at(-1);
      if (rows.length < PIECE) to.close();
    },
  });
}
