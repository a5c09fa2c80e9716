/** `/sites/{asset}/days/{date}`: one day of a site: each figure with the values it had before, and what happened on the day. */

import { Problem } from "../../base/problem.ts";
import { countWords as countOf } from "../../base/text.ts";
import { addDays, dayNumber, parseUtcDay, startOfDay, type UtcDay, utcDayOf } from "../../base/time.ts";
import { SERIES_SOURCES, type SeriesSource } from "../../flags/flags.ts";
import { isProvider, PROVIDERS } from "../../providers/adapter.ts";
import { listReports } from "../../reports/codebase.ts";
import { codebaseTracks } from "../../reports/codebase_view.ts";
import { listRevisions, type PulseRow } from "../../reports/pulse.ts";
import { listAllSeries, readBlock } from "../../reports/series.ts";
import { blockOf, type DayValue, daysOf, unlessDamaged } from "../../reports/series_days.ts";
import { dayOffsetOf } from "../../reports/shown_day.ts";
import { revisionsOfDay } from "../../signals/day_revisions.ts";
import { listBetween, type StoredAnnotation } from "../../sites/annotations.ts";
import { SENT } from "../../sites/rule_catalogue.ts";
import type { Db } from "../../store/store.ts";
import { ChangeList } from "../flags/near.tsx";
import { formatCount, formatDate, formatDay } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import type { PageDeps } from "../keyboard.tsx";
import { address, PAGE } from "../kit/address.tsx";
import { type DayState, STATE_WORDS } from "../kit/chart.tsx";
import { Glyph } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { ShortName, Steps, Told, Unseen } from "../kit/links.tsx";
import { Block, Empty, List, Pager, pageOf } from "../kit/list.tsx";
import { Moment } from "../kit/proof.tsx";
import { get, type Moment as MomentOfRoute, mounted } from "../kit/route.ts";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page, wholeOrDamage } from "../layout.tsx";
import { paths } from "../paths.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import { timelineHref } from "../timeline/add_form.tsx";
import { MOST_REVISIONS, type SeenValue, seenTexts, sentRevisions, sentSeen, signalSeen } from "./day.tsx";
import {
  CODE,
  type DayFlag,
  type FigureUnit,
  figureText,
  flagsBetween,
  HALF_WORDS,
  type Half,
  labelOf,
  placeIn,
  unitOf,
} from "./lanes.ts";
import { metricHref, siteHref } from "./range.ts";

const FIGURES_PAGE = 100;
/** Days before and after the day, where a link leads back to its charts. */
const AROUND = 45;

const dayAddress = address({ page: PAGE });

export function siteDayRoutes(deps: PageDeps & SiteHeadDeps) {
  const { db } = deps;
  const find = ({ asset, date }: { readonly asset: string; readonly date: string }, at: MomentOfRoute) => ({
    site: siteHead(deps, asset, at),
    day: dayOf(date),
  });
  return mounted(deps, [
    get(paths.siteDay, { query: dayAddress, find }, ({ query, now, found: { site, day } }) =>
      wholeOrDamage({ site, tab: "overview" }, () => (
        <DayPage site={site} of={readSiteDay(db, site.asset, day, now)} page={query.page} />
      )),
    ),
  ]);
}

/** @throws Problem where an address names no calendar day. */
function dayOf(date: string): UtcDay {
  const day = parseUtcDay(date);
  if (day === undefined) throw new Problem("not-found", "No such day.");
  return day;
}

/** Most annotations of a day that are listed. */
const MOST_ANNOTATIONS = 100;
/** Most series that are looked through for a day. */
const MOST_SERIES = 1_200;

/** One figure of the day. */
interface FigureOfDay {
  readonly half: Half;
  readonly metric: string;
  readonly label: string;
  readonly unit: FigureUnit;
  readonly value: number | null;
  readonly state: DayState;
  readonly basis: DayValue["basis"];
  /** Every value it had, oldest first; the last one holds. Empty where that is not known. */
  readonly seen: readonly SeenValue[];
}

interface SiteDay {
  readonly asset: string;
  readonly day: UtcDay;
  readonly figures: readonly FigureOfDay[];
  /** The nightly reports of the day, newest revision first. */
  readonly reports: readonly PulseRow[];
  /** The revision of the day's codebase report; undefined where there is none. */
  readonly code: number | undefined;
  readonly annotations: readonly StoredAnnotation[];
  readonly flags: readonly DayFlag[];
}

/** Reads one day of a site. */
function readSiteDay(db: Db, asset: string, day: UtcDay, now: number): SiteDay {
  const offset = dayOffsetOf(db, asset);
  const reports = listRevisions(db, asset, addDays(day, -offset), MOST_REVISIONS);
  const sent = sentRevisions(db, reports);
  const series = listAllSeries(db, asset);
  const sources = PROVIDERS.filter((provider) => series.some(({ source }) => source === provider));
  const revisions =
    sources.length === 0 ? undefined : revisionsOfDay(db, { asset, sources, day: dayNumber(day) });
  const told = series.slice(0, MOST_SERIES).flatMap(({ id, source, metric }): FigureOfDay[] => {
    if (!isSource(source)) return [];
    const number = dayNumber(day) - (source === SENT ? offset : 0);
    const block = readBlock(db, id, blockOf(number));
    const said = unlessDamaged(() => daysOf(block, blockOf(number)))?.get(number);
    const seen =
      source === SENT ? sentSeen(sent, metric) : signalSeen(revisions?.get(source)?.get(metric) ?? []);
    if (said === undefined && seen.length === 0) return [];
    return [
      {
        half: source,
        metric,
        label: labelOf(source, metric),
        unit: unitOf(source, metric),
        value: said?.value ?? null,
        state: said?.state ?? "missing",
        basis: said?.basis ?? null,
        seen,
      },
    ];
  });
  const code = codeOf(db, asset, day);
  return {
    asset,
    day,
    figures: [...told.toSorted((one, other) => orderOf(one) - orderOf(other)), ...code.figures],
    reports,
    code: code.revision,
    annotations: listBetween(db, asset, startOfDay(day), startOfDay(addDays(day, 1)) - 1, MOST_ANNOTATIONS),
    flags: flagsBetween(db, { asset, offset }, { from: day, to: day }, now),
  };
}

const isSource = (source: string): source is SeriesSource => SERIES_SOURCES.some((known) => known === source);
/** By source, then as its figures are asked for. */
const orderOf = ({ half, metric }: FigureOfDay): number =>
  half === CODE ? SERIES_SOURCES.length : SERIES_SOURCES.indexOf(half) + placeIn(half, metric) / MOST_SERIES;

function codeOf(
  db: Db,
  asset: string,
  day: UtcDay,
): { readonly revision: number | undefined; readonly figures: FigureOfDay[] } {
  const reports = listReports(db, { asset, from: day, to: day, allRevisions: false }, 1);
  const [report] = reports;
  if (report === undefined) return { revision: undefined, figures: [] };
  const figures = codebaseTracks(reports, { from: day, to: day }).flatMap(({ id, label, unit, points }) => {
    const value = points[0]?.value;
    if (value === undefined) return [];
    const seen = [{ value, seenAt: report.receivedAt }];
    const figure: FigureOfDay = {
      half: CODE,
      metric: id,
      label,
      unit,
      value,
      state: "final",
      basis: "reported",
      seen,
    };
    return [figure];
  });
  return { revision: report.revision, figures };
}

const WEEKDAY = new Intl.DateTimeFormat("en-GB", { weekday: "long", timeZone: "UTC" });

function DayPage(props: { readonly site: SiteHead; readonly of: SiteDay; readonly page: number }) {
  const { now } = here();
  const { site, of } = props;
  const { asset, day, figures, flags, annotations } = of;
  const isOver = day < utcDayOf(now);
  const revised = figures.filter(({ seen }) => seen.length > 1).length;
  const { items, paging } = pageOf(figures, props.page, FIGURES_PAGE);
  return (
    <Page title={siteTitle(site, formatDay(day, now))} current="sites">
      <SiteHeader site={site} current="overview" />
      <Block
        id="day"
        heading={`${WEEKDAY.format(startOfDay(day))} ${formatDay(day, now)}`}
        note={
          figures.length === 0
            ? undefined
            : `${countOf(figures.length, "figure")}, ${revised === 0 ? "none" : formatCount(revised)} revised since first seen`
        }
        tools={
          <>
            <a href={siteHref(asset, { from: addDays(day, -AROUND), to: addDays(day, AROUND) })}>
              On the charts
            </a>
            <Steps
              earlier={paths.siteDay(asset, addDays(day, -1))}
              later={isOver ? paths.siteDay(asset, addDays(day, 1)) : null}
              what=" day"
            />
          </>
        }
      >
        <List
          class="dayfigures"
          of="Figures of the day"
          items={items}
          empty={
            <Empty heading={isOver ? "No data of this day" : "The day is not over"}>
              <p>
                {isOver
                  ? "No report of the site and no provider has a figure of it. That is no zero."
                  : "Its figures show here as they come."}
              </p>
            </Empty>
          }
          columns={[
            [
              "Figure",
              ({ half, metric, label }) => (
                <>
                  <a
                    href={half === CODE ? paths.codebase(asset) : metricHref(asset, { source: half, metric })}
                  >
                    <ShortName name={label} />
                  </a>
                  <small class="block-sm">{HALF_WORDS[half]}</small>
                </>
              ),
              { class: "wrap" },
            ],
            [
              "Value",
              ({ unit, value }) =>
                value === null ? <span class="nm">No value</span> : <b>{figureText(unit, value)}</b>,
              { numeric: true },
            ],
            ["State", ({ state }) => STATE_WORDS[state]],
            ["Basis", basisOf],
            [
              "First seen",
              ({ seen: [first] }) =>
                first === undefined ? <span class="dim">–</span> : <Moment at={first.seenAt} />,
            ],
            ["Before", (figure) => <Before figure={figure} />, { class: "all", label: "Before" }],
          ]}
        />
        <Pager
          paging={paging}
          what="figures"
          href={(page) => `${paths.siteDay(asset, day)}${dayAddress.search({ page })}`}
        />
      </Block>
      <div class="halves">
        <Block heading="Flags of this day">
          {flags.length === 0 ? (
            <p>No flag is about this day.</p>
          ) : (
            <ul class="list raised short">
              {flags.map(({ href, severity, message, status }) => (
                <li data-sev={severity} class={status === "open" ? undefined : "past"}>
                  <Glyph name={`f-${severity}`} />
                  <div>
                    <p class="said">
                      <Unseen>{severity}: </Unseen>
                      <a href={href}>
                        <Told>{message}</Told>
                      </a>
                    </p>
                    <p class="note">{status}</p>
                  </div>
                </li>
              ))}
            </ul>
          )}
        </Block>
        <Block
          heading="Changes of this day"
          tools={<a href={timelineHref({ site: asset, range: "7", to: day })}>Timeline</a>}
        >
          {annotations.length === 0 ? <p>No changes on this day.</p> : <ChangeList changes={annotations} />}
        </Block>
        <Block heading="Reports of this day" tools={<a href={paths.reports(asset)}>All reports</a>}>
          <Received of={of} />
        </Block>
      </div>
    </Page>
  );
}

/** Who says so. */
function basisOf({ basis, half }: FigureOfDay): Child {
  if (basis === null) return <span class="dim">–</span>;
  if (basis === "omitted") return "no data, counted as 0";
  return isProvider(half) ? "reported by the provider" : "in the report";
}

/** The values that were told before the one that holds, with when each was. */
function Before({ figure: { unit, seen } }: { readonly figure: FigureOfDay }) {
  const { now } = here();
  const last = seen.at(-1);
  if (last === undefined) return null;
  const earlier = seen.slice(0, -1);
  if (earlier.length === 0) return <span class="dim">No revisions</span>;
  const texts = seenTexts(unit, seen);
  return (
    <span>
      {earlier.map(({ seenAt }, place) => (
        <>
          {place === 0 ? "" : ", then "}
          {texts[place]} <small class="dim">{formatDate(seenAt, now)}</small>
        </>
      ))}
      , now since <Moment at={last.seenAt} />
    </span>
  );
}

function Received({ of: { asset, day, reports, code } }: { readonly of: SiteDay }) {
  const [latest] = reports;
  return (
    <p>
      {latest === undefined ? (
        "No nightly report."
      ) : (
        <>
          <a href={paths.nightlyReport(asset, latest.date, latest.revision)}>Nightly report</a>, revision{" "}
          {formatCount(latest.revision)}, received <Moment at={latest.receivedAt} />.
        </>
      )}{" "}
      {code === undefined ? (
        "No codebase report."
      ) : (
        <>
          <a href={paths.codebaseReport(asset, day, code)}>Codebase report</a>, revision {formatCount(code)}.
        </>
      )}
    </p>
  );
}
