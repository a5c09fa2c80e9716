/** Which days the charts of the Codebase tab show, as its address says it. */

import { countWords as countOf } from "../../base/text.ts";
import { addDays, utcDayOf } from "../../base/time.ts";
import { type CodebaseView, RANGES, type RangeName, type Track } from "../../reports/codebase_view.ts";
import { ruleOf } from "../../sites/rule_catalogue.ts";
import { formatDay } from "../format.ts";
import { address, DAY, oneOf } from "../kit/address.tsx";
import { Block } from "../kit/block.tsx";
import { Chart, type ChartLane } from "../kit/chart.tsx";
import { type ChartAnnotations, type ChartFlag, MarkedNote } from "../kit/chart_marks.tsx";
import { here } from "../kit/here.ts";
import { NumbersTable, Segments, Steps } from "../kit/links.tsx";
import { Day } from "../kit/proof.tsx";
import { paths } from "../paths.ts";
import { formatUnit } from "./figure_table.tsx";

/** How many days, and the last of them; null for the last report's. */
export const chartsAddress = address({ range: oneOf(RANGES, "90"), until: DAY });

export type ChartsQuery = typeof chartsAddress.usual;

/** The tab of a site with other days. */
function chartsHref(asset: string, query: Partial<ChartsQuery>): string {
  return `${paths.codebase(asset)}${chartsAddress.search(query)}`;
}

const RANGE_WORDS: Readonly<Record<RangeName, string>> = {
  "30": "30 days",
  "90": "90 days",
  "365": "1 year",
  all: "All",
};

/** Rows of the table of numbers; the rest is reached by stepping earlier. */
const TABLE_ROWS = 100;

/** A pennant where each condition began. */
function flagsOf(track: Track, view: CodebaseView): readonly ChartFlag[] {
  const { range } = view.charts;
  return [...view.openFlags, ...view.pastFlags]
    .filter((flag) => ruleOf(flag.rule)?.chart === track.id)
    .map(({ heldSince, severity, message }) => ({ date: utcDayOf(heldSince), severity, message }))
    .filter((flag) => flag.date >= range.from && flag.date <= range.to);
}

const CHART_HEIGHT = 72;

function laneOf(track: Track, view: CodebaseView, now: number): ChartLane {
  const format = (value: number): string => formatUnit(track.unit, value);
  const measured = track.points.filter((point) => point.value !== undefined);
  const last = measured.at(-1);
  return {
    label: track.label,
    aside: (
      <>
        <h3>{track.label}</h3>
        <p class="num">
          <b>{last?.value === undefined ? "" : format(last.value)}</b>
        </p>
        <small>
          {countOf(measured.length, "report")}
          {last === undefined ? "" : `, last ${formatDay(last.date, now)}`}
        </small>
      </>
    ),
    form: "line",
    height: CHART_HEIGHT,
    format,
    days: track.drawn.map(({ date, value }) => ({
      day: date,
      state: value === undefined ? "missing" : "final",
      value: value ?? null,
    })),
    breaks: new Set(track.drawn.flatMap(({ date, toolsChanged }) => (toolsChanged ? [date] : []))),
    broken: "Measuring tools updated",
    flags: flagsOf(track, view),
  };
}

function RangeLinks({ asset, view }: { readonly asset: string; readonly view: CodebaseView }) {
  const { charts, latest } = view;
  const { name: range } = charts;
  const days = range === "all" ? 0 : Number(range);
  const next = addDays(charts.range.to, days);
  const until = next < latest.date ? next : null;
  return (
    <>
      <Segments
        label="Range"
        choices={RANGES.map((name) => ({
          words: RANGE_WORDS[name],
          href: chartsHref(asset, { range: name }),
          chosen: name === range,
        }))}
      />
      <Steps
        earlier={
          charts.earlier && days > 0
            ? chartsHref(asset, { range, until: addDays(charts.range.to, -days) })
            : null
        }
        later={charts.later && days > 0 ? chartsHref(asset, { range, until }) : null}
      />
    </>
  );
}

function Numbers({ view }: { readonly view: CodebaseView }) {
  const { tracks } = view.charts;
  const points = tracks[0]?.points ?? [];
  if (points.length === 0) return null;
  const from = Math.max(0, points.length - TABLE_ROWS);
  const rows = points.map((point, index) => ({ point, index })).slice(from);
  return (
    <NumbersTable
      caption={
        from === 0
          ? "One row per report, newest first"
          : `The newest ${TABLE_ROWS} of ${points.length} reports in these days, newest first. A shorter range, stepped earlier, shows the rest.`
      }
      items={rows.reverse()}
      columns={[
        { words: "Day", names: true, cell: ({ point }) => <Day day={point.date} /> },
        ...tracks.map((track) => ({
          words: track.label,
          numeric: true,
          cell: ({ index }: { readonly index: number }) => {
            const value = track.points[index]?.value;
            return value === undefined ? <span class="nm">Not measured</span> : formatUnit(track.unit, value);
          },
        })),
        {
          words: "Measuring tools",
          cell: ({ point }) => (point.toolsChanged ? "Measuring tools updated" : null),
        },
      ]}
    />
  );
}

/** The charts of the figures over the chosen days. */
export function OverTime(props: {
  readonly asset: string;
  readonly view: CodebaseView;
  readonly annotations: ChartAnnotations;
}) {
  const { now } = here();
  const { view } = props;
  const { charts } = view;
  const { from, to } = charts.range;
  const { marks } = props.annotations;
  const lanes = charts.tracks.map((track) => laneOf(track, view, now));
  const thinned = charts.tracks.some((track) => track.drawn.length < track.points.length);
  return (
    <Block
      id="over-time"
      heading="Over time"
      note={`${formatDay(from, now)} to ${formatDay(to, now)}`}
      tools={<RangeLinks asset={props.asset} view={view} />}
    >
      <Chart days={charts.range} lanes={lanes} annotations={marks}>
        <MarkedNote annotations={props.annotations} href={paths.siteTimeline(props.asset)} />
        {thinned ? (
          <p class="note">
            Many reports: of each stretch of days the first, lowest, highest and last are drawn. No value is
            averaged.
          </p>
        ) : null}
        <Numbers view={view} />
      </Chart>
    </Block>
  );
}
