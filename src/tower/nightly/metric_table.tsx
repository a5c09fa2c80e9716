import { Block } from "../component/block.tsx";
import { Facts } from "../component/facts.tsx";
import { DataTable } from "../component/table.tsx";
import { Marked } from "../component/term.tsx";
import { Day } from "../component/time.tsx";
import { formatNarrow } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { paths } from "../paths.ts";
import type { NightlyMetric, NightlyOverview } from "./overview.ts";
import { nightlyHref } from "./query.ts";
import { ShortName } from "./short_name.tsx";
import { percentDropWords, type TestedWords, type VerdictWords } from "./verdict.ts";

function Figure({ value, dim = false }: { readonly value: number | undefined; readonly dim?: boolean }) {
  if (value === undefined) return <span class="nm">Not sent</span>;
  return dim ? <span class="dim">{formatNarrow(value)}</span> : <b>{formatNarrow(value)}</b>;
}

/** Tested, with its probabilities and φ; or not tested, because of what. */
function Verdict({ verdict }: { readonly verdict: VerdictWords }) {
  if (verdict.state === "not_tested") return <>{verdict.words}</>;
  const { words, side, poisson, second, outcome, phi, alpha, fires } = verdict;
  return (
    <>
      {fires === null ? words : <b>{outcome}</b>}
      <small class="block-sm">
        {fires === null ? "" : `${words}. `}Chance of {side}: {poisson}
        {second === null ? "" : `; ${second}`}. Alpha {alpha}, φ {phi}.
      </small>
    </>
  );
}

/** A figure of a metric: absent from the report, absent of the metric, or there. */
function figureOf(figures: NightlyMetric["figures"], name: "total" | "avg7d", dim: boolean): Child {
  return figures === undefined ? <span class="dim">–</span> : <Figure value={figures[name]} dim={dim} />;
}

/** What every row of the table rests on: the words it uses stand here first. */
const HOW_TESTED =
  "A metric that is not tested says why. A flag needs a chance of the count seen, against what is expected from earlier windows, that lies below alpha; where it does, the metric's own level and dispersion φ are asked too, which can only take the flag away. The sender's average is diagnostic: it is shown and never changes what is expected.";

/** The figures of the latest report, each with what the flow rules say of it. */
export function MetricTable({ overview }: { readonly overview: NightlyOverview }) {
  const { asset, query, metrics, summary } = overview;
  if (metrics.length === 0 || summary.latest === undefined) return null;
  return (
    <Block heading="Latest figures and their tests" note={pageNote(overview)}>
      <p class="note">
        <Marked>{HOW_TESTED}</Marked>
      </p>
      <DataTable
        class="tests"
        fold
        caption="Metrics of the latest nightly report"
        items={metrics}
        columns={[
          {
            words: "Metric",
            names: true,
            class: "mono wrap",
            cell: ({ name }) => (
              <a href={nightlyHref(asset, { ...query, metric: name, page: 1, q: "" })}>
                <ShortName name={name} />
              </a>
            ),
          },
          {
            words: "Last 24 h",
            label: true,
            numeric: true,
            cell: ({ figures }) =>
              figures === undefined ? (
                <span class="nm">Not in the report</span>
              ) : (
                <Figure value={figures.last24h} />
              ),
          },
          {
            words: "Total",
            label: true,
            numeric: true,
            cell: ({ figures }) => figureOf(figures, "total", false),
          },
          {
            words: "Sender's 7-day average (diagnostic)",
            label: "Sender's 7-day average",
            numeric: true,
            cell: ({ figures }) => figureOf(figures, "avg7d", true),
          },
          { words: "Expected", label: true, cell: ({ verdict }) => expectedOf(verdict) },
          { words: "Test", class: "all", cell: ({ verdict }) => <Verdict verdict={verdict} /> },
        ]}
      />
    </Block>
  );
}

function expectedOf(verdict: VerdictWords): Child {
  if (verdict.state !== "tested") return <span class="dim">–</span>;
  return (
    <>
      {verdict.expected}
      <small class="block-sm">{verdict.cohort}</small>
    </>
  );
}

function pageNote({ paging, query }: NightlyOverview): Child {
  if (query.metric !== null || paging.pages === 1) return undefined;
  return `${paging.first} to ${paging.last} of ${paging.total} metrics`;
}

/** The whole verdict of the one metric that is shown. */
export function MetricProof({ overview, now }: { readonly overview: NightlyOverview; readonly now: number }) {
  const { asset, query, metrics } = overview;
  const [metric] = metrics;
  if (query.metric === null || metric === undefined) return null;
  const { verdict, judged } = metric;
  const tune = <a href={paths.tuneMetric(asset, metric.name)}>Tune this metric</a>;
  return (
    <Block heading="How this metric is tested" tools={tune}>
      <Facts
        loose
        marked
        facts={[
          ...(verdict.state === "tested"
            ? testedFacts(verdict, now)
            : [["Flow test", verdict.words] as const]),
          ["Percent-drop", judged === undefined ? null : percentDropWords(judged.percentDrop)],
        ]}
      />
    </Block>
  );
}

function testedFacts(verdict: TestedWords, now: number): (readonly [string, Child])[] {
  const { flow } = verdict;
  const { from, to } = flow.observed;
  return [
    [
      "Test window",
      <>
        {from === to ? null : (
          <>
            <Day day={from} now={now} /> to{" "}
          </>
        )}
        <Day day={to} now={now} />: {verdict.observed} seen
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
