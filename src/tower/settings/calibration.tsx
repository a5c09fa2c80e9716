/** `/settings/calibration`: flags of the flow rules beside the flags that chance would raise, and the dispersion of each metric. */

import { countWords as countOf, expectedText } from "../../base/text.ts";
import { addDays, utcDayOf } from "../../base/time.ts";
import { dayOffsets } from "../../reports/nights.ts";
import {
  type CalibrationSpan,
  calibrationOf,
  countSpreads,
  listSpreads,
  type SpreadRow,
} from "../../rules/verdicts.ts";
import { SENT, seriesName } from "../../sites/rule_catalogue.ts";
import { formatCount, formatRatio } from "../format.ts";
import type { PageGround } from "../ground.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { address, PAGE, sought } from "../kit/address.tsx";
import { SearchForm } from "../kit/field.tsx";
import { NOT_TESTED_WORDS, Told, Unseen } from "../kit/links.tsx";
import { Block, Empty, List, Pager, type Paging, pagingOf } from "../kit/list.tsx";
import { Day, Marked } from "../kit/proof.tsx";
import { get, mounted } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { SettingsPage } from "./settings.tsx";

const PAGE_SIZE = 50;
const LONGEST_Q = 128;

/** The filter and page of the metrics. */
const spreadsAddress = address({ q: sought(LONGEST_Q), page: PAGE });

export function calibrationRoutes(deps: PageGround) {
  const { db } = deps;
  return mounted(deps, [
    get(paths.calibration, { query: spreadsAddress }, ({ query: { q, page }, now }) => {
      const spans = calibrationOf(db, utcDayOf(now));
      const hasTests = spans.some(({ tests, notTested }) => tests + notTested > 0);
      const paging = pagingOf(countSpreads(db, q), page, PAGE_SIZE);
      const offsetOf = dayOffsets(db);
      const rows = listSpreads(db, { q, limit: PAGE_SIZE, offset: (paging.page - 1) * PAGE_SIZE }).map(
        (row) => (row.source === SENT ? { ...row, date: addDays(row.date, offsetOf(row.asset)) } : row),
      );
      return (
        <SettingsPage part={paths.calibration} title="Calibration">
          {hasTests ? (
            <Tests spans={spans} />
          ) : (
            <Block heading="Flow rules">
              <Empty heading="No test has run yet">
                <p>A metric is tested once it has four weeks of daily counts.</p>
              </Empty>
            </Block>
          )}
          {paging.total === 0 && q === "" ? null : <Tuning rows={rows} paging={paging} q={q} />}
        </SettingsPage>
      );
    }),
  ]);
}

/** Tests, flags and chance over three spans. */
function Tests({ spans }: { readonly spans: readonly CalibrationSpan[] }) {
  return (
    <Block heading="Flow rules" note="all sites and sources, by UTC day">
      <List
        of="Calibration"
        items={spans}
        columns={[
          ["Last", ({ days }) => countOf(days, "day")],
          ["Tests run", ({ tests }) => formatCount(tests), { numeric: true }],
          ["Flags raised", ({ raised }) => formatCount(raised), { numeric: true }],
          [
            <Marked>Expected by chance</Marked>,
            ({ expected }) => `about ${expectedText(expected)}`,
            { label: "Expected by chance", numeric: true },
          ],
          [
            <Marked>Not tested</Marked>,
            (span) => formatCount(span.notTested),
            { label: "Not tested", numeric: true },
          ],
          ["Tuned flags", shareWords, { numeric: true }],
        ]}
      />
      <p>
        <Marked>
          At an alpha of 0.01 about 2 of 100 tests raise a flag by chance (measured: up to 2.9). A smaller
          alpha raises fewer flags.
        </Marked>
      </p>
    </Block>
  );
}

/** The share is of all flow flags: percent drop is no test of chance, but is tuned like the others. */
function shareWords({ tuned, flags }: CalibrationSpan): Child {
  if (flags === 0) return <span class="dim">–</span>;
  return `${formatCount(tuned)} of ${formatCount(flags)} (${formatCount((tuned * 100) / flags)}%)`;
}

const BASIS_WORDS: Readonly<Record<NonNullable<SpreadRow["basis"]>, string>> = {
  fixed: "fixed in the constants",
  measured: "measured",
  steady: "no wider than chance",
  too_few_days: "assumed for the first 28 days",
};

function basisWords({ basis, days, notTested }: SpreadRow): string {
  if (basis === null) return notTested === null ? "–" : NOT_TESTED_WORDS[notTested];
  return basis === "fixed" ? BASIS_WORDS.fixed : `${BASIS_WORDS[basis]}, ${countOf(days ?? 0, "day")}`;
}

/** Every tested metric, the most dispersed first. */
function Tuning(props: { readonly rows: readonly SpreadRow[]; readonly paging: Paging; readonly q: string }) {
  const { rows, paging, q } = props;
  return (
    <Block
      heading="Tuning"
      id="tuning"
      note={<Marked>dispersion φ is variance divided by mean; 1 is a Poisson count</Marked>}
    >
      <div class="filters">
        <p class="note">A metric with a larger φ needs a larger change for a flag.</p>
        <SearchForm action={paths.calibration} words="Filter by site" value={q} maxlength={128} />
      </div>
      <List
        of="Metrics to tune"
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
          ["Last checked", ({ date }) => <Day day={date} />],
          [
            "Action",
            ({ asset, source, metric }) => (
              <a
                href={
                  source === SENT ? paths.tuneMetric(asset, metric) : paths.tuneSignal(asset, source, metric)
                }
              >
                Tune
                <Unseen>
                  {" "}
                  <Told>{seriesName(metric, source)}</Told> of {asset}
                </Unseen>
              </a>
            ),
            { class: "act", unseen: true },
          ],
        ]}
        empty={
          <Empty heading="No metric matches">
            <p>No such site has a tested metric.</p>
          </Empty>
        }
      />
      <Pager
        paging={paging}
        what="metrics"
        href={(page) => `${paths.calibration}${spreadsAddress.search({ q, page })}#tuning`}
      />
    </Block>
  );
}
