/** Figures on one page of a day, and most that are told by name as revised. */

import { Problem } from "../../base/problem.ts";
import { countWords as countOf } from "../../base/text.ts";
import { addDays, parseUtcDay, type UtcDay, utcDayOf } from "../../base/time.ts";
import { isProvider } from "../../providers/adapter.ts";
import { formatCount, formatDate, formatDay } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import type { PageDeps } from "../keyboard.tsx";
import { address, PAGE } from "../kit/address.tsx";
import { Block } from "../kit/block.tsx";
import { STATE_WORDS } from "../kit/chart.tsx";
import { ANNOTATION_KINDS, Mark } from "../kit/chart_marks.tsx";
import { Empty } from "../kit/empty.tsx";
import { Glyph } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { DataTable, ShortName, Steps, Told, Unseen } from "../kit/links.tsx";
import { Pager, pagingOf } from "../kit/pager.tsx";
import { Moment } from "../kit/proof.tsx";
import { get, type Moment as MomentOfRoute, mounted } from "../kit/route.ts";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page, wholeOrDamage } from "../layout.tsx";
import { paths } from "../paths.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import { timelineHref } from "../timeline/add_form.tsx";
import { type FigureOfDay, Revision, readSiteDay, type SiteDay, seenTexts } from "./day.tsx";
import { CODE, figureText, HALF_WORDS } from "./lanes.ts";
import { metricHref, siteHref } from "./range.ts";

const FIGURES_PAGE = 100;
const MOST_REVISED = 30;

/** What the page of a day shows, as its address says it. */
const dayAddress = address({ page: PAGE });

/** Days before and after the day, where a link leads back to its charts. */
const AROUND = 45;

/** `/sites/{asset}/days/{date}`: one day of a site in all of its halves, and what its figures were before they were revised. */
function DayPage(props: {
  readonly site: SiteHead;
  readonly of: SiteDay;
  /** The page of its figures. */
  readonly page: number;
}) {
  const { now } = here();
  const { site, of } = props;
  const { asset, day, figures } = of;
  const today = utcDayOf(now);
  const revised = figures.filter(({ seen }) => seen.length > 1);
  const paging = pagingOf(figures.length, props.page, FIGURES_PAGE);
  const shown = figures.slice((paging.page - 1) * FIGURES_PAGE, paging.page * FIGURES_PAGE);
  return (
    <Page title={siteTitle(site, formatDay(day, now))} current="sites">
      <SiteHeader site={site} current="overview" />
      <Block
        id="day"
        heading={dayHeading(of, now)}
        note={revisedNote(figures.length, revised.length)}
        tools={
          <>
            <a href={siteHref(asset, { from: addDays(day, -AROUND), to: addDays(day, AROUND) })}>
              On the charts
            </a>
            <Steps
              earlier={paths.siteDay(asset, addDays(day, -1))}
              later={day < today ? paths.siteDay(asset, addDays(day, 1)) : null}
              what=" day"
            />
          </>
        }
      >
        {revised.length === 0 ? null : (
          <ul class="revised">
            {revised.slice(0, MOST_REVISED).map((figure) => (
              <li>
                <NameOf figure={figure} />:{" "}
                <Revision unit={figure.unit} revised={{ day, seen: figure.seen }} />
              </li>
            ))}
            {revised.length > MOST_REVISED ? (
              <li>And {formatCount(revised.length - MOST_REVISED)} more, in the table.</li>
            ) : null}
          </ul>
        )}
        {figures.length === 0 ? (
          <Empty heading={day >= today ? "The day is not over" : "Nothing was told of this day"}>
            <p>
              {day >= today
                ? "What is told of it shows here."
                : "No report of the site and no provider has a figure of it. That is no zero."}
            </p>
          </Empty>
        ) : (
          <FiguresOfDay asset={asset} figures={shown} />
        )}
        <Pager
          paging={paging}
          what="figures"
          href={(page) => `${paths.siteDay(asset, day)}${dayAddress.search({ page })}`}
        />
      </Block>
      <WhatHappened of={of} />
    </Page>
  );
}

function dayHeading({ day }: SiteDay, now: number): string {
  return `${WEEKDAY.format(new Date(`${day}T00:00:00Z`))} ${formatDay(day, now)}`;
}

const WEEKDAY = new Intl.DateTimeFormat("en-GB", { weekday: "long", timeZone: "UTC" });

function revisedNote(figures: number, revised: number): string | undefined {
  if (figures === 0) return undefined;
  return `${countOf(figures, "figure")}, ${revised === 0 ? "none" : formatCount(revised)} revised since first seen`;
}

function NameOf({ figure }: { readonly figure: FigureOfDay }) {
  const { half, label } = figure;
  return <ShortName name={isProvider(half) ? `${HALF_WORDS[half]}, ${label.toLowerCase()}` : label} />;
}

function hrefOf(asset: string, { half, metric }: FigureOfDay): string {
  return half === CODE ? paths.codebase(asset) : metricHref(asset, { source: half, metric });
}

function FiguresOfDay(props: { readonly asset: string; readonly figures: readonly FigureOfDay[] }) {
  const { asset, figures } = props;
  return (
    <DataTable
      fold
      class="dayfigures"
      caption="Figures of the day"
      items={figures}
      columns={[
        {
          words: "Figure",
          names: true,
          class: "wrap",
          cell: (figure) => (
            <>
              <a href={hrefOf(asset, figure)}>
                <ShortName name={figure.label} />
              </a>
              <small class="block-sm">{HALF_WORDS[figure.half]}</small>
            </>
          ),
        },
        {
          words: "Value",
          label: true,
          numeric: true,
          cell: ({ unit, value }) =>
            value === null ? <span class="nm">No value</span> : <b>{figureText(unit, value)}</b>,
        },
        { words: "State", label: true, cell: ({ state }) => STATE_WORDS[state] },
        { words: "Basis", label: true, cell: basisOf },
        {
          words: "First seen",
          label: true,
          cell: ({ seen }) =>
            seen[0] === undefined ? <span class="dim">–</span> : <Moment at={seen[0].seenAt} />,
        },
        {
          words: "Before",
          label: true,
          class: "all",
          cell: (figure) => <Before figure={figure} />,
        },
      ]}
    />
  );
}

/** Who says so. */
function basisOf({ basis, half }: FigureOfDay): Child {
  if (basis === null) return <span class="dim">–</span>;
  if (basis === "omitted") return "no data, counted as 0";
  return isProvider(half) ? "reported by the provider" : "in the report";
}

/** The values that were told before the one that holds, with when each was. */
function Before({ figure }: { readonly figure: FigureOfDay }) {
  const { now } = here();
  const earlier = figure.seen.slice(0, -1);
  if (earlier.length === 0) return figure.seen.length === 0 ? null : <span class="dim">No revisions</span>;
  const last = figure.seen.at(-1);
  const texts = seenTexts(figure.unit, figure.seen);
  return (
    <span>
      {earlier.map((seen, place) => (
        <>
          {place === 0 ? "" : ", then "}
          {texts[place]} <small class="dim">{formatDate(seen.seenAt, now)}</small>
        </>
      ))}
      {last === undefined ? null : (
        <>
          {", now since "}
          <Moment at={last.seenAt} />
        </>
      )}
    </span>
  );
}

/** The flags and annotations of the day, and what was received of it. */
function WhatHappened({ of }: { readonly of: SiteDay }) {
  const { asset, day, flags, annotations, reports, code } = of;
  const [latest] = reports;
  return (
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
        heading="Annotations of this day"
        tools={<a href={timelineHref({ site: asset, range: "7", to: day })}>Timeline</a>}
      >
        {annotations.length === 0 ? (
          <p>No annotation is on this day.</p>
        ) : (
          <ul class="noted">
            {annotations.map(({ kind, ref, note, atMs }) => (
              <li>
                <Mark kind={kind} />{" "}
                <span>
                  {ANNOTATION_KINDS[kind][1]} <Told class="mono wrap">{ref}</Told>{" "}
                  <small>
                    <Moment at={atMs} />
                  </small>
                  {note === null || note === "" ? null : <Told class="block-sm wrap">{note}</Told>}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Block>
      <Block heading="Reports of this day" tools={<a href={paths.reports(asset)}>All reports</a>}>
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
              <a href={paths.codebaseReport(asset, day, code)}>Codebase report</a>, revision{" "}
              {formatCount(code)}.
            </>
          )}
        </p>
      </Block>
    </div>
  );
}

/** `/sites/{asset}/days/{date}`: one day of a site. */

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
