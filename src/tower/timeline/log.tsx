/** What the Timeline shows: what is new, the picture, the filters, the log by day. */

import { countWords as countOf } from "../../base/text.ts";
import { formatInstant } from "../../base/time.ts";
import { ANNOTATION_KINDS } from "../../sites/annotation_schema.ts";
import { formatCount, formatDay, formatMoment } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { Block } from "../kit/block.tsx";
import { Mark, ANNOTATION_KINDS as WORDS } from "../kit/chart_marks.tsx";
import { Empty } from "../kit/empty.tsx";
import { here } from "../kit/here.ts";
import { Chips, Go, SEVERITIES, Segments, type Severity, SeverityMark, Steps, Told } from "../kit/links.tsx";
import { EarlierPager } from "../kit/pager.tsx";
import {
  annotationKindOf,
  FLAG_TURNS,
  flagTurnsOf,
  stepsOf,
  TIMELINE_RANGES,
  type TimelineQuery,
  type TimelineRange,
  timelineHref,
} from "./add_form.tsx";
import { Day, type RefusedStrike } from "./day.tsx";
import { TimelineLane } from "./lane.tsx";
import { countOf as countFlags, type TimelineView } from "./read_timeline.ts";

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
      <p>
        Deploys, configuration changes and incidents stand here and as letters under every chart, so that a
        change of the numbers can be read beside what was done. Two facts near in time, not a cause.
      </p>
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
