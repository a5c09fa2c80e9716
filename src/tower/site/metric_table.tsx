import { SENT } from "../../sites/rule_catalogue.ts";
import { formatDay, formatNarrow } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { Block } from "../kit/block.tsx";
import { here } from "../kit/here.ts";
import { DataTable, ShortName } from "../kit/links.tsx";
import { Day } from "../kit/proof.tsx";
import { Facts, Marked } from "../kit/term.tsx";
import { paths } from "../paths.ts";
import { comparisonWords, lastValued, stateAfter } from "./day_words.ts";
import type { SentFigures } from "./ingest.tsx";
import { CODE, figureText, HALF_WORDS } from "./lanes.ts";
import { type Lane, lanesOf, type SiteDays } from "./site_days.tsx";
import { type FigureTest, percentDropWords, type TestedWords, type VerdictWords } from "./verdict.tsx";

function Figure({ value }: { readonly value: number | undefined }) {
  return value === undefined ? <span class="nm">Not sent</span> : <b>{figureText("count", value)}</b>;
}

/** Tested, with its probabilities and φ; or not tested, because of what. */
function Verdict({ verdict, seen }: { readonly verdict: VerdictWords; readonly seen: string }) {
  if (verdict.state === "not_tested") return <>{verdict.words}</>;
  const { words, side, poisson, second, outcome, phi, alpha, fires } = verdict;
  return (
    <>
      {fires === null ? words : <b>{outcome}</b>}
      <small class="block-sm">
        {fires === null ? "" : `${words}. `}
        {seen}Chance of {side}: {poisson}
        {second === null ? "" : `; ${second}`}. Alpha {alpha}, φ {phi}.
      </small>
    </>
  );
}

const HOW_TESTED =
  "A number is flagged where the chance of its count, against what is expected from earlier windows, lies below alpha; also by the metric's own level and dispersion φ. One that is not tested says why.";

interface FiguresProps {
  readonly site: SiteDays;
  /** Metrics of the latest nightly report. */
  readonly figures: SentFigures;
  readonly tests: ReadonlyMap<Lane["key"], FigureTest>;
}

/** What the latest report says of a sent metric beside its count. */
function sentOf({ half, metric }: Lane, figures: SentFigures) {
  return half === SENT && Object.hasOwn(figures, metric) ? figures[metric] : undefined;
}

/** The newest value of a figure, with its day; of a sent metric that the latest report lacks, that it does. */
function LatestOf({ lane, props }: { readonly lane: Lane; readonly props: FiguresProps }) {
  const { figures } = props;
  const sent = sentOf(lane, figures);
  if (lane.half === SENT) {
    return sent === undefined ? <span class="nm">Not in the report</span> : <Figure value={sent.last24h} />;
  }
  const last = lastValued(lane.days);
  if (last === undefined || last.value === null) return <span class="nm">No value</span>;
  return (
    <>
      <b>{figureText(lane.unit, last.value)}</b>
      <small class="block-sm">
        <Day day={last.day} />
        {stateAfter(last.state)}
      </small>
    </>
  );
}

/** What the sender tells beside the count: the total, and its own average. */
function Beside({ lane, figures }: { readonly lane: Lane; readonly figures: SentFigures }) {
  const sent = sentOf(lane, figures);
  if (sent === undefined) return <span class="dim">–</span>;
  return (
    <>
      <Figure value={sent.total} />
      {sent.avg7d === undefined ? null : (
        <small class="block-sm">{`average ${formatNarrow(sent.avg7d)}`}</small>
      )}
    </>
  );
}

/** The figures of the charts, each beside the days before and with what the flow rules say of it. */
export function MetricTable(props: FiguresProps) {
  const { now } = here();
  const { site, figures, tests } = props;
  const lanes = lanesOf(site).filter(({ half }) => half !== CODE);
  if (lanes.length === 0) return null;
  const sent = lanes.some(({ half }) => half === SENT);
  return (
    <Block id="figures" heading="Figures and their tests" note={pageNote(site)}>
      <p class="note">
        <Marked>{HOW_TESTED}</Marked>
      </p>
      <DataTable
        class="tests"
        fold
        caption="Figures of the site and their tests"
        items={lanes}
        columns={[
          {
            words: "Metric",
            names: true,
            class: "wrap",
            cell: (lane) => (
              <>
                <a class={lane.half === SENT ? "mono" : undefined} href={lane.href}>
                  <ShortName name={lane.label} />
                </a>
                {lane.half === SENT ? null : <small class="block-sm">{HALF_WORDS[lane.half]}</small>}
              </>
            ),
          },
          {
            words: "Latest",
            label: true,
            numeric: true,
            cell: (lane) => <LatestOf lane={lane} props={props} />,
          },
          sent
            ? {
                words: "Total, sender's 7-day average (diagnostic)",
                label: "Total",
                numeric: true,
                cell: (lane) => <Beside lane={lane} figures={figures} />,
              }
            : null,
          {
            words: "These days and those before",
            label: "Before",
            cell: ({ comparison, unit }) => comparisonWords(comparison, unit, now),
          },
          { words: "Expected", label: true, cell: ({ key }) => expectedOf(tests.get(key)?.words) },
          {
            words: "Test",
            class: "all",
            cell: (lane) => {
              const verdict = tests.get(lane.key)?.words;
              return verdict === undefined ? null : (
                <Verdict verdict={verdict} seen={seenWords(lane, verdict, now)} />
              );
            },
          },
        ]}
      />
    </Block>
  );
}

/** What was judged, where it is not the latest value that stands in the row: a settled day, or more than one day. */
function seenWords(lane: Lane, verdict: VerdictWords, now: number): string {
  if (verdict.state === "not_tested") return "";
  const { flow } = verdict;
  if (lane.half === SENT && flow.windowDays === 1) return "";
  const when = flow.windowDays === 1 ? "on" : `in the ${flow.windowDays} days to`;
  return `${countWordsOf(lane, verdict)} ${when} ${formatDay(flow.observed.to, now)}. `;
}

/** "12 seen"; of days that the provider left out "no data", though they count as 0. */
function countWordsOf({ days }: Lane, { flow, observed }: TestedWords): string {
  const { to, count } = flow.observed;
  const isOmitted = count === 0 && days.some(({ day, basis }) => day === to && basis === "omitted");
  return isOmitted ? "no data" : `${observed} seen`;
}

function expectedOf(verdict: VerdictWords | undefined): Child {
  if (verdict?.state !== "tested") return <span class="dim">–</span>;
  return (
    <>
      {verdict.expected}
      <small class="block-sm">{verdict.cohort}</small>
    </>
  );
}

function pageNote({ paging, query }: SiteDays): Child {
  if (query.metric !== null || paging.pages === 1) return undefined;
  return `${paging.first} to ${paging.last} of ${paging.total} sent metrics`;
}

/** The whole verdict of the one metric that is shown. */
export function MetricProof({ site, tests }: Omit<FiguresProps, "figures">) {
  const { asset, query } = site;
  const [lane] = lanesOf(site);
  const test = lane === undefined ? undefined : tests.get(lane.key);
  if (query.metric === null || lane === undefined || test === undefined) return null;
  const { words: verdict, judged } = test;
  return (
    <Block heading="How this metric is tested" tools={<Tune asset={asset} lane={lane} />}>
      <Facts
        loose
        marked
        facts={[
          ...(verdict.state === "tested"
            ? testedFacts(lane, verdict)
            : [["Flow test", verdict.words] as const]),
          ["Percent-drop", judged === undefined ? null : percentDropWords(judged.percentDrop)],
        ]}
      />
    </Block>
  );
}

/** Only counts are judged, and so tuned. */
function Tune({ asset, lane }: { readonly asset: string; readonly lane: Lane }) {
  const { half, metric, unit } = lane;
  if (half === CODE || unit !== "count") return null;
  const href = half === SENT ? paths.tuneMetric(asset, metric) : paths.tuneSignal(asset, half, metric);
  return <a href={href}>Tune this metric</a>;
}

function testedFacts(lane: Lane, verdict: TestedWords): (readonly [string, Child])[] {
  const { flow } = verdict;
  const { from, to } = flow.observed;
  return [
    [
      "Test window",
      <>
        {from === to ? null : (
          <>
            <Day day={from} /> to{" "}
          </>
        )}
        <Day day={to} />: {countWordsOf(lane, verdict)}
      </>,
    ],
    ["Expected (λ)", `${verdict.expected}, the mean of ${verdict.cohort}`],
    [
      "First condition",
      <Marked>{`Chance of ${verdict.side} at the old rate (Poisson): ${verdict.poisson}, alpha ${verdict.alpha}`}</Marked>,
    ],
    ["Second condition", verdict.second ?? "not asked, since the first does not hold"],
    ["Spread (φ)", `${verdict.phi}; ${verdict.basis}`],
    ["Verdict", verdict.outcome],
  ];
}
