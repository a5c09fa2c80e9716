/** `/settings/calibration`: how often flow rules raised flags beside how often chance alone would, and the dispersion of each metric. */

import { countWords as countOf } from "../../base/text.ts";
import { utcDayOf } from "../../base/time.ts";
import {
  type Calibration,
  type CalibrationSpan,
  calibrationOf,
  countSpreads,
  listSpreads,
  type SpreadRow,
} from "../../rules/calibration.ts";
import { SENT, seriesName } from "../../sites/flag_titles.ts";
import type { Db } from "../../store/store.ts";
import { formatCount, formatDecimal, formatPercent, formatRatio } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import type { PageDeps } from "../keyboard.tsx";
import { address, PAGE, sought } from "../kit/address.tsx";
import { Block } from "../kit/block.tsx";
import { Empty } from "../kit/empty.tsx";
import { NOT_TESTED_WORDS, Told, Unseen } from "../kit/links.tsx";
import { List } from "../kit/list.tsx";
import { Pager, type Paging, pagingOf } from "../kit/pager.tsx";
import { Day } from "../kit/proof.tsx";
import { get, mounted } from "../kit/route.ts";
import { SearchForm } from "../kit/search_form.tsx";
import { Marked } from "../kit/term.tsx";
import { paths } from "../paths.ts";
import { SettingsPage } from "./settings.tsx";

const HOW_MANY =
  "Each test looks for too few and for too many at alpha, so at an alpha of 0.01 two tests in a hundred are expected to flag where nothing changes. It is a round figure and no bound: steady metrics of a thousand a day were measured at 2.5 to 2.9 in a hundred. Many more flags than that can mean that something does change, or that counts vary more than the rules assume. A smaller alpha lowers both figures.";

/** Tests, flags and chance over three spans, why metrics are not tested, and the noisiest sites. */
function CalibrationPanel({ calibration }: { calibration: Calibration }) {
  const { spans, noisiest, noisiestDays, notTested } = calibration;
  if (spans.every(({ tests, notTested }) => tests + notTested === 0)) {
    return (
      <Block heading="Flow rules">
        <Empty heading="No test has run yet">
          <p>
            A flow rule runs when a site's nightly report brings a daily count, or a provider tells one that
            is settled. A metric needs at least four weeks of days before it is tested.
          </p>
        </Empty>
      </Block>
    );
  }
  return (
    <>
      <Block
        heading="Flow rules"
        note="on all sites, sent metrics and provider figures, by the day of judging, UTC"
      >
        <List
          of="Calibration"
          items={spans}
          columns={[
            ["Days, to today", ({ days }) => countOf(days, "day")],
            ["Tests run", ({ tests }) => formatCount(tests), { numeric: true }],
            ["Flags raised", ({ raised }) => formatCount(raised), { numeric: true }],
            [
              <Marked>Expected by chance</Marked>,
              ({ expected }) => `about ${formatDecimal(expected)}`,
              { label: "Expected by chance", numeric: true },
            ],
            [
              <Marked>Not tested</Marked>,
              ({ notTested }) => formatCount(notTested),
              { label: "Not tested", numeric: true },
            ],
            ["Flags that were tuned", shareWords, { numeric: true }],
          ]}
        />
        <p>
          <Marked>{HOW_MANY}</Marked>
        </p>
      </Block>
      <div class="halves">
        <Block heading="Noisiest sites" note={`most flags raised in ${noisiestDays} days`}>
          <List
            fold={false}
            of="Noisiest sites"
            items={noisiest}
            columns={[
              ["Site", ({ asset }) => <a href={paths.siteSettings(asset)}>{asset}</a>],
              ["Raised", ({ raised }) => formatCount(raised), { label: false, numeric: true }],
              ["By chance", ({ expected }) => formatDecimal(expected), { label: false, numeric: true }],
              ["Tests", ({ tests }) => formatCount(tests), { label: false, numeric: true }],
            ]}
            empty={<p>No flow flag was raised in these days.</p>}
          />
        </Block>
        <Block heading="Metrics that are not tested" note="when they were last judged">
          <List
            fold={false}
            of="Metrics that are not tested"
            items={notTested}
            columns={[
              ["Because", ({ reason }) => NOT_TESTED_WORDS[reason]],
              ["Metrics", ({ metrics }) => formatCount(metrics), { label: false, numeric: true }],
            ]}
            empty={<p>Every metric was tested when it was last judged.</p>}
          />
        </Block>
      </div>
    </>
  );
}

/** Percent-drop is no test of chance, yet it is tuned like the others; so the share is of all flow flags. */
function shareWords({ tuned, flags }: CalibrationSpan): Child {
  if (flags === 0) return <span class="dim">–</span>;
  return `${formatCount(tuned)} of ${formatCount(flags)} (${formatPercent((tuned * 100) / flags)})`;
}

const LONGEST_Q = 128;

/** Which measured spreads are shown. */
const spreadsAddress = address({ q: sought(LONGEST_Q), page: PAGE });

/** A page of metrics. */
interface Spreads {
  readonly rows: readonly SpreadRow[];
  readonly paging: Paging;
  /** The text sites are filtered by. */
  readonly q: string;
}

const BASIS_WORDS: Readonly<Record<NonNullable<SpreadRow["basis"]>, string>> = {
  fixed: "fixed in the constants",
  measured: "measured",
  steady: "no wider than chance",
  too_few_days: "assumed until 28 days are measured",
};

function basisWords({ basis, days, notTested }: SpreadRow): string {
  if (basis === null) return notTested === null ? "–" : NOT_TESTED_WORDS[notTested];
  return basis === "fixed" ? BASIS_WORDS.fixed : `${BASIS_WORDS[basis]}, ${countOf(days ?? 0, "day")}`;
}

function Tune({ row: { asset, source, metric } }: { row: SpreadRow }) {
  return (
    <a href={source === SENT ? paths.tuneMetric(asset, metric) : paths.tuneSignal(asset, source, metric)}>
      Tune
      <Unseen>
        {" "}
        <Told>{seriesName(metric, source)}</Told> of {asset}
      </Unseen>
    </a>
  );
}

function CalibrationPage({ spreads, calibration }: { calibration: Calibration; spreads: Spreads }) {
  const { rows, paging, q } = spreads;
  return (
    <SettingsPage part={paths.calibration} title="Calibration">
      <CalibrationPanel calibration={calibration} />
      {/* The list with its filter. */}
      {paging.total === 0 && q === "" ? null : (
        <Block
          heading="Measured dispersion"
          id="dispersion"
          note={<Marked>variance of a day divided by its mean, φ; 1 is a Poisson count</Marked>}
        >
          <div class="filters">
            <p class="note">A metric that varies more needs a larger change before it is flagged.</p>
            <SearchForm action={paths.calibration} words="Filter by site" value={q} maxlength={128} />
          </div>
          <List
            of="Measured dispersion"
            items={rows}
            columns={[
              ["Metric", ({ metric, source }) => <Told class="wrap">{seriesName(metric, source)}</Told>],
              [
                "Site",
                ({ asset }) => (
                  <span class="wrap">
                    <a href={paths.siteSettings(asset)}>{asset}</a>
                  </span>
                ),
              ],
              [
                "φ",
                ({ phi }) => (phi === null ? <span class="nm">Not measured</span> : formatRatio(phi)),
                { numeric: true },
              ],
              ["Basis", basisWords, { class: "nowrap" }],
              ["Judged on", ({ date }) => <Day day={date} />],
              ["Action", (row) => <Tune row={row} />, { class: "act", unseen: true }],
            ]}
            empty={
              <Empty heading="No metric matches">
                <p>No site whose identifier holds this text has a metric that was judged.</p>
              </Empty>
            }
          />
          <Pager
            paging={paging}
            what="metrics"
            href={(page) => `${paths.calibration}${spreadsAddress.search({ q, page })}#dispersion`}
          />
        </Block>
      )}
    </SettingsPage>
  );
}

const PAGE_SIZE = 50;
/** `/settings/calibration`. */
export function calibrationRoutes(deps: PageDeps & { readonly db: Db }) {
  return mounted(deps, [
    get(paths.calibration, { query: spreadsAddress }, ({ query, now }) => (
      <CalibrationPage
        calibration={calibrationOf(deps.db, utcDayOf(now))}
        spreads={spreadsOf(deps.db, query)}
      />
    )),
  ]);
}

function spreadsOf(db: Db, { q, page }: (typeof spreadsAddress)["usual"]): Spreads {
  const paging = pagingOf(countSpreads(db, q), page, PAGE_SIZE);
  const rows = listSpreads(db, { q, limit: PAGE_SIZE, offset: (paging.page - 1) * PAGE_SIZE });
  return { q, paging, rows };
}
