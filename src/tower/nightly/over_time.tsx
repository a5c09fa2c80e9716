import type { TestedFlow } from "../../flow/mod.ts";
import { type DayPoint, NIGHTLY_RANGES, type NightlyDays } from "../../pulse/mod.ts";
import { Block } from "../component/block.tsx";
import { Axis } from "../component/chart.tsx";
import { AnnotationLane, MarkedNote, MarkSigns, markedPlaces } from "../component/chart_marks.tsx";
import { placeOf } from "../component/chart_scale.ts";
import { Empty } from "../component/empty.tsx";
import { Segments, Steps } from "../component/links.tsx";
import { NumbersTable } from "../component/numbers_table.tsx";
import { Pager } from "../component/pager.tsx";
import { Legend } from "../component/plot.tsx";
import { SearchForm } from "../component/search_form.tsx";
import { Told } from "../component/text.tsx";
import { Day } from "../component/time.tsx";
import { countOf, formatCount, formatDay } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { paths } from "../paths.ts";
import { METRICS_PAGE, type NightlyOverview } from "./overview.ts";
import { nightlyAddress, nightlyHref } from "./query.ts";
import { ShortName } from "./short_name.tsx";
import { MetricTrack } from "./track.tsx";
import { WindowsLane } from "./windows_lane.tsx";

function RangeLinks({ overview }: { readonly overview: NightlyOverview }) {
  const { asset, query, earlier, later } = overview;
  const step = (until: NightlyOverview["earlier"]) =>
    until === null ? null : nightlyHref(asset, { ...query, until });
  return (
    <>
      <Segments
        label="Range"
        choices={NIGHTLY_RANGES.map((range) => ({
          words: `${range} days`,
          href: nightlyHref(asset, { ...query, range, until: null }),
          chosen: range === query.range,
        }))}
      />
      <Steps earlier={step(earlier)} later={step(later)} />
    </>
  );
}

/** Finds a metric by its name, or leads back from one metric to all. */
function Choice({ overview }: { readonly overview: NightlyOverview }) {
  const { asset, query, known } = overview;
  if (query.metric !== null) {
    return (
      <p class="row">
        <a href={nightlyHref(asset, { ...query, metric: null, page: 1 })}>
          {known === 1 ? "The overview" : `All ${formatCount(known)} metrics`}
        </a>
      </p>
    );
  }
  if (known <= METRICS_PAGE && query.q === "") return null;
  return (
    <div class="filters">
      <SearchForm
        action={paths.site(asset)}
        id="metric-q"
        words="Metric's name"
        value={query.q}
        keep={nightlyAddress.search({ range: query.range, until: query.until })}
      />
    </div>
  );
}

function Signs({ overview }: { readonly overview: NightlyOverview }) {
  const has = (state: "value" | "missing"): boolean =>
    overview.metrics.some(({ points }) => points.some((point) => point.state === state));
  return (
    <Legend
      signs={[
        [
          <rect class="v" x="6" y="2" width="8" height="10" />,
          "Last 24 h of the report of that day; a short tick is 0",
        ],
        has("missing") ? [<rect class="none" x="6" y="2" width="8" height="9" />, "No value"] : null,
        [null, "Every metric has its own scale, from 0."],
      ]}
    >
      <MarkSigns
        flags={overview.metrics.flatMap(({ flags }) => flags)}
        annotations={overview.annotations.marks}
      />
    </Legend>
  );
}

/** The numbers of the charts, newest day first. */
function Numbers({ overview, now }: { readonly overview: NightlyOverview; readonly now: number }) {
  const { metrics } = overview;
  const days = (metrics[0]?.points ?? []).map(({ day }, place) => ({ day, place }));
  return (
    <NumbersTable
      caption="Last 24 h by day, newest first"
      items={days.reverse()}
      columns={[
        { words: "Day", names: true, cell: ({ day }) => <Day day={day} now={now} /> },
        ...metrics.map(({ name, points }) => ({
          words: <ShortName name={name} />,
          numeric: true,
          cell: ({ place }: { readonly place: number }) => numberOf(points[place]),
        })),
      ]}
    />
  );
}

function numberOf(point: DayPoint | undefined): Child {
  if (point?.state === "value") return formatCount(point.value);
  return point?.state === "missing" ? <span class="nm">No value</span> : null;
}

/** The windows of the first condition, and those of the second where it needed longer ones. */
function TestedWindows(props: {
  readonly flow: TestedFlow;
  readonly days: NightlyDays;
  readonly now: number;
}) {
  const { flow, days, now } = props;
  const { second } = flow;
  return (
    <>
      <WindowsLane heading="Windows" test={flow} days={days} now={now} />
      {second.state === "judged" && second.windowDays > flow.windowDays ? (
        <WindowsLane heading="Second windows" test={second} days={days} now={now} />
      ) : null}
    </>
  );
}

/** The chart of each metric of the page over one axis of days. */
export function NightlyOverTime({
  overview,
  now,
}: {
  readonly overview: NightlyOverview;
  readonly now: number;
}) {
  const { asset, query, metrics, days, annotations, paging, known } = overview;
  const only = query.metric === null ? undefined : metrics[0];
  const verdict = only?.verdict;
  const place = placeOf(days);
  const marked = markedPlaces(annotations.marks, place);
  const labels = metrics[0]?.points.map(({ day }) => formatDay(day, now)) ?? [];
  const note: Child = `${formatDay(days.from, now)} to ${formatDay(days.to, now)} · ${countOf(known, "metric")}`;
  return (
    <Block id="metrics" heading="Nightly metrics" note={note} tools={<RangeLinks overview={overview} />}>
      <Choice overview={overview} />
      {metrics.length === 0 ? (
        <Empty heading="No metric of this name">
          <p>
            {query.metric === null ? "No metric's name holds " : "No report ever had a metric of the name "}
            <Told class="mono wrap">{query.metric ?? query.q}</Told>.
          </p>
          <a class="btn" href={nightlyHref(asset, { ...query, metric: null, q: "", page: 1 })}>
            Show all metrics
          </a>
        </Empty>
      ) : (
        <figure class="tracks">
          {metrics.map((metric) => (
            <MetricTrack overview={overview} metric={metric} marked={marked} labels={labels} now={now} />
          ))}
          {verdict?.state === "tested" ? <TestedWindows flow={verdict.flow} days={days} now={now} /> : null}
          {annotations.marks.length === 0 ? null : (
            <AnnotationLane annotations={annotations.marks} place={place} now={now} />
          )}
          <Axis days={days} now={now} />
          <Signs overview={overview} />
          <MarkedNote annotations={annotations} href={paths.siteTimeline(asset)} />
          <Numbers overview={overview} now={now} />
        </figure>
      )}
      <Pager
        paging={paging}
        what="metrics"
        href={(page) => `${nightlyHref(asset, { ...query, page })}#metrics`}
      />
    </Block>
  );
}
