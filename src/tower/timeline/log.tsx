/** What the Timeline shows: what is new, the picture, the filters, the log by day. */

import { countWords as countOf } from "../../base/text.ts";
import { addDays, daysBetween, formatInstant, type UtcDay } from "../../base/time.ts";
import type { FlagTurn } from "../../flags/queries.ts";
import { ANNOTATION_KINDS } from "../../sites/annotation_schema.ts";
import type { AnnotationTally } from "../../sites/annotations.ts";
import { formatCount, formatDay, formatMoment } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { TickMark } from "../kit/chart.tsx";
import { ANNOTATION_KINDS as LETTERS, Mark, ANNOTATION_KINDS as WORDS } from "../kit/chart_marks.tsx";
import { dayTicks } from "../kit/day_bars.tsx";
import { here } from "../kit/here.ts";
import {
  Chips,
  Go,
  SEVERITIES,
  Segments,
  type Severity,
  type SeverityCounts,
  SeverityMark,
  Steps,
  Told,
} from "../kit/links.tsx";
import { Block, EarlierPager, Empty } from "../kit/list.tsx";
import { LetterMark, Plot } from "../kit/plot.tsx";
import {
  annotationKindOf,
  FLAG_TURNS,
  flagTurnsOf,
  stepsOf,
  TIMELINE_RANGES,
  type TimelineDays,
  type TimelineQuery,
  type TimelineRange,
  timelineHref,
} from "./add_form.tsx";
import { Day, type RefusedStrike } from "./day.tsx";
import { countOf as countFlags, type FlagDay, type TimelineView } from "./read_timeline.ts";

/** The picture of a range: one row for each kind and one for flags, with counts where several lie close together. */

const ROW_HEIGHT = 20;

function titleOf(tally: AnnotationTally, from: UtcDay, end: UtcDay, now: number): string {
  const word = LETTERS[tally.kind][1];
  if (tally.count === 1) return `${formatMoment(tally.first, now)}: ${word}`;
  return `${whenWords(from, end, now)}: ${formatCount(tally.count)} × ${word}`;
}

/** A tally of what stands: a struck entry is no mark on the axis. */
function standingOf(tallies: readonly AnnotationTally[]): AnnotationTally[] {
  return tallies.flatMap((tally) => {
    const count = tally.count - tally.struck;
    return count === 0 ? [] : [{ ...tally, count }];
  });
}

/** What is drawn of flags. */
interface LaneFlags {
  readonly days: readonly FlagDay[];
  /** Those raised, unless those resolved are asked for alone; none where no flags are. */
  readonly turn: FlagTurn | undefined;
  readonly severity: Severity | null;
}

/** Flags of one span. */
interface FlagSpan {
  readonly turn: FlagTurn;
  readonly span: number;
  readonly counts: SeverityCounts;
}

/** Counts of flags by span, spans without any left out. */
function flagSpans({ days, turn, severity }: LaneFlags, bounds: readonly UtcDay[]): FlagSpan[] {
  if (turn === undefined) return [];
  return bounds.slice(0, -1).flatMap((from, span) => {
    const end = bounds[span + 1] ?? from;
    const within = days.filter(({ day }) => day >= from && day < end);
    const sum = (of: Severity) =>
      severity === null || severity === of ? within.reduce((all, day) => all + day[turn][of], 0) : 0;
    const counts = { error: sum("error"), warn: sum("warn"), info: sum("info") };
    return countFlags(counts, null) === 0 ? [] : [{ turn, span, counts }];
  });
}

/** "8 Nov to 12 Nov: 3 flags raised: 1 error, 2 warn". */
function flagTitle({ turn, counts }: FlagSpan, when: string): string {
  const each = SEVERITIES.filter((severity) => counts[severity] > 0).map(
    (severity) => `${formatCount(counts[severity])} ${severity}`,
  );
  return `${when}: ${countOf(countFlags(counts, null), "flag")} ${turn}: ${each.join(", ")}`;
}

/** Letters and pennants by span of days, over an axis of dates. Nothing when there is nothing to show. */
function TimelineLane(props: {
  readonly tallies: readonly AnnotationTally[];
  readonly flags: LaneFlags;
  readonly days: TimelineDays;
  /** Where the spans begin, and the day after the last one. */
  readonly bounds: readonly UtcDay[];
}) {
  const { now } = here();
  const { days, bounds } = props;
  const tallies = standingOf(props.tallies);
  const flags = flagSpans(props.flags, bounds);
  if (tallies.length + flags.length === 0) return null;
  const total = daysBetween(days.from, days.to) + 1;
  const kinds = ANNOTATION_KINDS.filter((kind) => tallies.some((tally) => tally.kind === kind));
  const rows = new Map<string, number>(
    [...kinds, ...(flags.length === 0 ? [] : ["flags"])].map((name, index) => [name, index]),
  );
  const topOf = (name: string) => 3 + ROW_HEIGHT * (rows.get(name) ?? 0);
  const foot = rows.size * ROW_HEIGHT + 6;
  const sum = tallies.reduce((all, { count }) => all + count, 0);
  const turned = flags.reduce((all, { counts }) => all + countFlags(counts, null), 0);
  const told = [
    countOf(sum, "entry", "entries"),
    ...(turned === 0 ? [] : [`${countOf(turned, "flag")} ${props.flags.turn}`]),
  ];
  const label = `${told.join(" and ")} by kind, from ${formatDay(days.from, now)} to ${formatDay(days.to, now)}`;
  const placeOf = (span: number) => {
    const from = bounds[span] ?? days.from;
    const end = bounds[span + 1] ?? addDays(days.to, 1);
    const middle = (daysBetween(days.from, from) + daysBetween(days.from, end)) / 2;
    return { from, end, x: (middle / total) * 100 };
  };
  return (
    <figure class="tracks">
      <Plot height={foot + 20} label={label}>
        {dayTicks(days, now).map((tick) => (
          <TickMark tick={tick} y={foot} />
        ))}
        {tallies.map((tally) => {
          const { from, end, x } = placeOf(tally.span);
          return (
            <LetterMark
              letter={LETTERS[tally.kind][0]}
              x={x}
              y={topOf(tally.kind)}
              title={titleOf(tally, from, end, now)}
              count={tally.count === 1 ? undefined : formatCount(tally.count)}
            />
          );
        })}
        {flags.map((span) => {
          const { from, end, x } = placeOf(span.span);
          const worst = SEVERITIES.find((severity) => span.counts[severity] > 0) ?? "info";
          const count = countFlags(span.counts, null);
          return (
            <svg
              class={span.turn === "raised" ? "flag" : "flag over"}
              data-sev={worst}
              x={`${Number(x.toFixed(2))}%`}
              y={topOf("flags") + 1}
              overflow="visible"
            >
              <title>{flagTitle(span, whenWords(from, end, now))}</title>
              <use href={`#f-${worst}`} x="-7" width="15" height="15" />
              {count === 1 ? null : (
                <text class="minor" x="11" y="11">
                  {formatCount(count)}
                </text>
              )}
            </svg>
          );
        })}
      </Plot>
    </figure>
  );
}

/** The days of a span. */
function whenWords(from: UtcDay, end: UtcDay, now: number): string {
  const to = addDays(end, -1);
  return from === to ? formatDay(from, now) : `${formatDay(from, now)} to ${formatDay(to, now)}`;
}

function nothingWords({ kind, severity }: TimelineView["query"]): string {
  if (kind === "raised" || kind === "resolved")
    return `No flag ${severity === null ? "" : `of severity ${severity} `}was ${kind} in these days`;
  return kind === null ? "No entry" : `No entry of the kind ${WORDS[kind][1]}`;
}

/** A log without entries: because nothing was ever noted, because it lies further back, or because of a filter. */
function EmptyLog({ view }: { view: TimelineView }) {
  const { now } = here();
  const { query, older } = view;
  if (older !== undefined) {
    return (
      <Empty heading="Nothing noted in these days">
        <p>
          The newest entry before them is of {formatMoment(older.atMs, now)}: <Mark kind={older.kind} />{" "}
          <Told class="wrap">{older.ref}</Told>.
        </p>
        <Go to={timelineHref({ ...query, range: "all", to: null, before: null })} words="Show all days" />
      </Empty>
    );
  }
  if (query.q !== "" && view.total === 0) {
    return (
      <Empty heading="No matching entries">
        <p>No change of these days holds these words.</p>
        <Go to={timelineHref({ ...query, range: "all", to: null, before: null })} words="Search all days" />
      </Empty>
    );
  }
  if (query.kind !== null && view.total > 0) {
    return (
      <Empty heading={nothingWords(query)}>
        <p>Other kinds have entries in these days.</p>
        <Go
          to={timelineHref({ ...query, kind: null, severity: null, before: null })}
          words="Show every kind"
        />
      </Empty>
    );
  }
  const later = query.to !== null || query.before !== null;
  return (
    <Empty heading={later ? "Nothing noted in these days or before" : "Nothing noted yet"}>
      <p>Deploys, configuration changes and incidents appear here, and as letters under every chart.</p>
      {later ? (
        <Go to={timelineHref({ ...query, to: null, before: null })} words="Go to today" />
      ) : (
        <p>Let CI post each deploy, as shown below, or add an annotation by hand above.</p>
      )}
    </Empty>
  );
}

const RANGE_WORDS: Readonly<Record<TimelineRange, string>> = {
  "7": "7 days",
  "30": "30 days",
  "90": "90 days",
  "365": "1 year",
  all: "All",
};

/** The log of the days that are asked for. */
export function TimelineLog({
  view,
  refused = null,
}: {
  view: TimelineView;
  refused?: RefusedStrike | null;
}) {
  const { now } = here();
  const { query, days } = view;
  const { earlier, later } = stepsOf(query, view.days, now);
  const chip = (kind: TimelineQuery["kind"], words: Child, count: number) => ({
    href: timelineHref({ ...query, kind, severity: null, before: null }),
    chosen: query.kind === kind,
    words: counted(words, count),
  });
  const kinds = ANNOTATION_KINDS.map((kind) =>
    chip(
      kind,
      <>
        <span aria-hidden="true">
          <Mark kind={kind} />
        </span>
        {WORDS[kind][1]}
      </>,
      view.counts.get(kind) ?? 0,
    ),
  );
  const turns = flagTurnsOf({ ...query, kind: null }).map((turn) =>
    chip(turn, TURN_WORDS[turn], flagsOf(view, turn, null)),
  );
  return (
    <div id="log" class="stack">
      <Block
        heading={`${formatDay(days.from, now)} to ${formatDay(days.to, now)}`}
        note={scopeWords(view)}
        tools={
          <>
            <Segments
              label="Range"
              choices={TIMELINE_RANGES.map((range) => ({
                words: RANGE_WORDS[range],
                href: timelineHref({ ...query, range, before: null }),
                chosen: range === query.range,
              }))}
            />
            {earlier === null ? null : (
              <Steps
                bare
                what=" days"
                earlier={timelineHref(earlier)}
                later={later === null ? null : timelineHref(later)}
              />
            )}
          </>
        }
      >
        <TimelineLane
          tallies={view.tallies}
          flags={{ days: view.flagDays, turn: flagTurnsOf(query)[0], severity: query.severity }}
          days={days}
          bounds={view.bounds}
        />
        <NotDrawn struck={view.tallies.reduce((sum, tally) => sum + tally.struck, 0)} />
      </Block>
      <Chips
        label="Filter by kind"
        choices={[chip(null, "All", view.total), ...kinds, ...turns, ...newsChips(view)]}
      />
      <SeverityChips view={view} />

      {view.log.length === 0 ? <EmptyLog view={view} /> : null}
      <div>
        {view.log.map((day) => (
          <Day
            day={day}
            site={query.site}
            striking={{ back: timelineHref(query), refused }}
            flagsAlone={annotationKindOf(query) === undefined}
          />
        ))}
      </div>
      <EarlierPager
        newest={query.before === null ? null : timelineHref({ ...query, before: null })}
        earlier={view.next === null ? null : timelineHref({ ...query, before: view.next })}
      />
    </div>
  );
}

/** What came since the visit before this one; it filters, and filters no more. */
function newsChips({ query, unseen }: TimelineView) {
  const { shell, now } = here();
  const { lastVisit } = shell;
  if (lastVisit === undefined || unseen === undefined || unseen === 0) return [];
  const since = formatInstant(lastVisit);
  const chosen = query.since === since;
  return [
    {
      href: timelineHref({ ...query, since: chosen ? null : since, before: null }),
      chosen,
      words: counted(
        <span title={`Since your last visit, ${formatMoment(lastVisit, now)} UTC`}>
          New since last visit
        </span>,
        unseen,
      ),
    },
  ];
}

/** Why the picture shows fewer than the log lists. */
function NotDrawn({ struck }: { struck: number }) {
  if (struck === 0) return null;
  return (
    <p class="note">{countOf(struck, "struck entry is", "struck entries are")} listed below and not drawn.</p>
  );
}

function scopeWords({ query }: TimelineView): Child {
  const asset = query.site ?? query.asset;
  if (asset === null) return "every site";
  if (asset === "*") return "only entries for all sites";
  return query.site === null ? (
    <>
      <Told class="wrap">{asset}</Told> and entries for all sites
    </>
  ) : (
    "this site and entries for all sites"
  );
}

const TURN_WORDS = { raised: "Flags raised", resolved: "Flags resolved" } as const;

/** Narrows flags to one severity, where flags are what is asked for. */
function SeverityChips({ view }: { view: TimelineView }) {
  const { query } = view;
  const turn = FLAG_TURNS.find((known) => known === query.kind);
  if (turn === undefined) return null;
  const chip = (severity: Severity | null, words: Child) => ({
    href: timelineHref({ ...query, severity, before: null }),
    chosen: query.severity === severity,
    words: counted(words, flagsOf(view, turn, severity)),
  });
  return (
    <Chips
      label="Filter by severity"
      choices={[
        chip(null, "Every severity"),
        ...SEVERITIES.map((severity) => chip(severity, <SeverityMark severity={severity} />)),
      ]}
    />
  );
}

function flagsOf({ flagDays }: TimelineView, turn: "raised" | "resolved", severity: Severity | null): number {
  return flagDays.reduce((sum, day) => sum + countFlags(day[turn], severity), 0);
}

function counted(words: Child, count: number): Child {
  return (
    <>
      {words} <b>{formatCount(count)}</b>
    </>
  );
}
