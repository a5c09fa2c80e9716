/** All halves of a site on one time axis: what it sent, what providers tell, its code; flags and annotations across all of them. */

import { countWords as countOf } from "../../base/text.ts";
import { isProvider } from "../../providers/adapter.ts";
import { formatDay } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { Block } from "../kit/block.tsx";
import { AxisPlot } from "../kit/chart.tsx";
import { AnnotationLane, MarkedNote, MarkSigns, markedPlaces, Pennants } from "../kit/chart_marks.tsx";
import { placeOf } from "../kit/chart_scale.tsx";
import { Empty } from "../kit/empty.tsx";
import { here } from "../kit/here.ts";
import { ShortName, Told } from "../kit/links.tsx";
import { Pager } from "../kit/pager.tsx";
import { Lane as LaneRow, Legend, Plot } from "../kit/plot.tsx";
import { paths } from "../paths.ts";
import { dayWords, lastValued, stateAfter, statesOf } from "./day_words.ts";
import { LanePlot } from "./lane_plot.tsx";
import { CODE, figureText, HALF_WORDS } from "./lanes.ts";
import { csvHref, siteHref, wholeHref } from "./range.ts";
import { FindMetric, RangeLinks, RangeNotes } from "./range_links.tsx";
import {
  GroupLine,
  type Lane,
  type LaneGroup,
  lanesOf,
  Numbers,
  type SiteDays,
  Unconnected,
} from "./site_days.tsx";

/** What marks a value that is not final, for the script that reads a day out of all charts. */
const READ_SIGNS: Readonly<Record<string, string>> = { provisional: "~", excluded: "!", missing: "?" };

/** The values of a chart, day by day, as the script reads them. */
function readOut({ days, unit }: Lane): string {
  return days
    .map(({ state, value }) => (value === null ? "" : figureText(unit, value)) + (READ_SIGNS[state] ?? ""))
    .join("|");
}

function LaneName({ lane }: { readonly lane: Lane }) {
  const name = isProvider(lane.half) || lane.half === CODE ? lane.label : <ShortName name={lane.label} />;
  return (
    <a class="wrap" href={lane.href}>
      {name}
    </a>
  );
}

function Track(props: { readonly lane: Lane; readonly site: SiteDays; readonly marked: readonly number[] }) {
  const { now } = here();
  const { lane, site, marked } = props;
  const last = lastValued(lane.days);
  const value = last?.value ?? null;
  const said = last === undefined ? "" : `${formatDay(last.day, now)}${stateAfter(last.state)}`;
  return (
    <div class="track" data-read={readOut(lane)} data-of={HALF_WORDS[lane.half]}>
      <div>
        <h3>
          <LaneName lane={lane} />{" "}
          <span class="headline">{value === null ? "" : figureText(lane.unit, value)}</span>
        </h3>
        <small>{said}</small>
      </div>
      <LanePlot lane={lane} days={site.days} marked={marked} />
    </div>
  );
}

/** The strip of a day over all charts: it leads to the day's own page. */
function DayLinks({ site }: { readonly site: SiteDays }) {
  const { now } = here();
  const lanes = lanesOf(site);
  const days = lanes[0]?.days ?? [];
  const told = lanes.slice(0, TITLED);
  return (
    <nav class="daystrip" aria-label="Days" data-days>
      {days.map(({ day }, place) => {
        const words = formatDay(day, now);
        const values = told.flatMap((lane) => {
          const figure = lane.days[place];
          const said = figure === undefined ? "" : dayWords(lane.unit, figure);
          return said === "" ? [] : [`${shortLabel(lane.label)}: ${said}`];
        });
        return (
          <a
            id={`day-${day}`}
            href={paths.siteDay(site.asset, day)}
            tabindex={place === days.length - 1 ? undefined : -1}
            aria-label={words}
            title={[words, ...values].join("\n")}
          />
        );
      })}
    </nav>
  );
}

/** Charts that the title of a day tells; a script reads out all of them. */
const TITLED = 8;
const LONGEST_LABEL = 28;
const shortLabel = (label: string): string => {
  const points = [...label];
  return points.length <= LONGEST_LABEL ? label : `${points.slice(0, LONGEST_LABEL - 1).join("")}…`;
};

/** The days over the charts, which stay in sight; beside them the day that is read out. */
function DayAxis({ days }: { readonly days: SiteDays["days"] }) {
  return (
    <div class="dayaxis">
      <LaneRow narrow aside={<small data-day-read aria-live="polite" />}>
        <AxisPlot days={days} />
      </LaneRow>
    </div>
  );
}

function Group(props: {
  readonly group: LaneGroup;
  readonly site: SiteDays;
  readonly marked: readonly number[];
}) {
  const { group, site, marked } = props;
  return (
    <>
      <GroupLine group={group} site={site} />
      {group.lanes.map((lane) => (
        <Track lane={lane} site={site} marked={marked} />
      ))}
    </>
  );
}

/** Every flag of the days in one row, also those that stand over no chart of this page. */
function FlagLane({ site }: { readonly site: SiteDays }) {
  const { flags, days } = site;
  if (flags.length === 0) return null;
  return (
    <LaneRow narrow aside={<h3>Flags</h3>}>
      <Plot height={18} label={countOf(flags.length, "flag")}>
        <Pennants flags={flags} place={placeOf(days)} y={1} />
      </Plot>
    </LaneRow>
  );
}

function Signs({ site }: { readonly site: SiteDays }) {
  const lanes = lanesOf(site);
  const states = statesOf(lanes.map(({ days }) => days));
  const bars = lanes.some(({ half, unit }) => half !== CODE && unit === "count");
  const lines = lanes.some(({ half, unit }) => half === CODE || unit !== "count");
  const isBroken = (ofCode: boolean) =>
    lanes.some(({ half, breaks }) => breaks.size > 0 && (half === CODE) === ofCode);
  return (
    <Legend
      signs={[
        bars ? [<rect class="v" x="6" y="1" width="8" height="11" />, "Final; a short mark is 0"] : null,
        lines ? [<path class="ln" d="M1 9L8 4l5 3 6-4" />, "Final, as a line"] : null,
        states.has("provisional")
          ? [
              bars ? (
                <rect class="prov" x="6" y="1" width="8" height="11" />
              ) : (
                <>
                  <path class="ln prov" d="M1 6h18" />
                  <circle class="dot" cx="10" cy="6" r="2.5" />
                </>
              ),
              "Provisional, may still change",
            ]
          : null,
        states.has("missing") ? [<rect class="none" x="6" y="2" width="8" height="9" />, "No value"] : null,
        states.has("excluded")
          ? [
              <>
                <rect class="odd" x="3" y="1" width="14" height="11" />
                <path class="cap" d="M3 1.5h14" />
              </>,
              "Left out of the rules",
            ]
          : null,
        isBroken(true) ? [<path class="tool" d="M10 0v12" />, "Measuring tools updated"] : null,
        isBroken(false)
          ? [<path class="tool" d="M10 0v12" />, "From here reports are made at another time of day"]
          : null,
      ]}
    >
      <MarkSigns flags={site.flags} annotations={site.annotations.marks} />
    </Legend>
  );
}

function NoSuchMetric({ site }: { readonly site: SiteDays }) {
  const { asset, query } = site;
  return (
    <Empty heading="No metric of this name">
      <p>
        {query.metric === null ? "No metric's name holds " : "No report ever had a metric of the name "}
        <Told class="mono wrap">{query.metric ?? query.q}</Told>.
      </p>
      <a class="btn" href={wholeHref(asset, query)}>
        Show all metrics
      </a>
    </Empty>
  );
}

/** A site of which nothing was told on any day: what it is connected to, and what it could be. */
function NothingYet({ site }: { readonly site: SiteDays }) {
  return (
    <Block id="metrics" heading="Day by day">
      {site.groups.map((group) => (
        <GroupLine group={group} site={site} />
      ))}
      <p>Charts appear after the first report with metrics.</p>
      <Unconnected site={site} />
    </Block>
  );
}

/** The charts of a site. `below` stands under the lanes: the windows of a metric's test. */
export function SiteCharts(props: { readonly site: SiteDays; readonly below?: Child }) {
  const { now } = here();
  const { site } = props;
  const { asset, query, days, groups, annotations, paging } = site;
  const isNarrowed = query.metric !== null || query.q !== "";
  if (lanesOf(site).length === 0 && !isNarrowed) return <NothingYet site={site} />;
  const place = placeOf(days);
  const marked = markedPlaces(annotations.marks, place);
  return (
    <Block
      id="metrics"
      heading="Day by day"
      note={`${formatDay(days.from, now)} to ${formatDay(days.to, now)}`}
      tools={<RangeLinks site={site} />}
    >
      <RangeNotes site={site} />
      <FindMetric site={site} />
      {groups.length === 0 ? (
        <NoSuchMetric site={site} />
      ) : (
        <figure class="tracks days">
          <DayLinks site={site} />
          <DayAxis days={days} />
          {groups.map((group) => (
            <Group group={group} site={site} marked={marked} />
          ))}
          {props.below}
          <FlagLane site={site} />
          {annotations.marks.length === 0 ? null : (
            <AnnotationLane annotations={annotations.marks} place={place} />
          )}
          <div class="below">
            <Signs site={site} />
            <MarkedNote annotations={annotations} href={paths.siteTimeline(asset)} />
            <p class="row">
              <a href={csvHref(asset, query)} download>
                Download CSV
              </a>
            </p>
            <Numbers site={site} />
          </div>
        </figure>
      )}
      <Pager
        paging={paging}
        what="metrics"
        href={(page) => `${siteHref(asset, { ...query, page })}#metrics`}
      />
      <Unconnected site={site} />
    </Block>
  );
}
