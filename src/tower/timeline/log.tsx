/** The log of the Timeline: its days, its filters, and what stands in its place where it is empty. */

import { formatInstant } from "../../base/time.ts";
import { ANNOTATION_KINDS } from "../../sites/annotations.ts";
import { formatDay, formatMoment } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { Mark, ANNOTATION_KINDS as WORDS } from "../kit/chart_marks.tsx";
import { here } from "../kit/here.ts";
import { Chips, Go, SEVERITIES, Segments, type Severity, SeverityMark, Steps } from "../kit/links.tsx";
import { Block, EarlierPager, Empty } from "../kit/list.tsx";
import {
  annotationKindOf,
  FLAG_TURNS,
  flagTurnsOf,
  stepsOf,
  TIMELINE_RANGES,
  type TimelineQuery,
  timelineHref,
} from "./add_form.tsx";
import { Day } from "./day.tsx";
import type { TimelineView } from "./read_timeline.ts";

/** A log without entries: because of a filter, or because nothing was noted in these days. */
function EmptyLog({ query }: TimelineView) {
  const isNarrowed = query.q !== "" || query.kind !== null || query.since !== null || query.page > 1;
  if (isNarrowed) {
    const { site, asset, range, to } = query;
    return (
      <Empty heading="No matching entries">
        <p>These days have no entry of this kind or with these words.</p>
        <Go to={timelineHref({ site, asset, range, to })} words="Remove the filters" />
      </Empty>
    );
  }
  return (
    <Empty heading="Nothing noted in these days">
      <p>Deploys, configuration changes and incidents appear here, and as letters under every chart.</p>
      <p>Let CI post each deploy, as shown below, or add an annotation by hand above.</p>
    </Empty>
  );
}

const RANGE_WORDS = { 7: "7 days", 30: "30 days", 90: "90 days", 365: "1 year" } as const;

/** The log of the days that are asked for. */
export function TimelineLog({ view }: { view: TimelineView }) {
  const { now } = here();
  const { query, days, log, next } = view;
  const { earlier, later } = stepsOf(query, days, now);
  const chip = (kind: TimelineQuery["kind"], words: Child) => ({
    href: timelineHref({ ...query, kind, severity: null, page: 1 }),
    chosen: query.kind === kind,
    words,
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
    ),
  );
  const turns = flagTurnsOf({ ...query, kind: null }).map((turn) => chip(turn, TURN_WORDS[turn]));
  return (
    <Block
      id="log"
      heading={`${formatDay(days.from, now)} to ${formatDay(days.to, now)}`}
      tools={
        <>
          <Segments
            label="Range"
            choices={TIMELINE_RANGES.map((range) => ({
              words: RANGE_WORDS[range],
              href: timelineHref({ ...query, range, page: 1 }),
              chosen: range === query.range,
            }))}
          />
          <Steps
            bare
            what=" days"
            earlier={timelineHref(earlier)}
            later={later === null ? null : timelineHref(later)}
          />
        </>
      }
    >
      <div class="stack">
        <Chips
          label="Filter by kind"
          choices={[chip(null, "All"), ...kinds, ...turns, ...newsChips(query)]}
        />
        <SeverityChips query={query} />
        {log.length === 0 ? <EmptyLog {...view} /> : null}
        <div>
          {log.map((day) => (
            <Day
              day={day}
              site={query.site}
              back={timelineHref(query)}
              flagsAlone={annotationKindOf(query) === undefined}
            />
          ))}
        </div>
        <EarlierPager
          from={query.page === 1 ? null : query.page}
          next={next ?? undefined}
          href={(page) => timelineHref({ ...query, page: page ?? 1 })}
        />
      </div>
    </Block>
  );
}

/** What came since the visit before this one; it filters, and filters no more. */
function newsChips(query: TimelineQuery) {
  const { shell, now } = here();
  const { lastVisit } = shell;
  if (lastVisit === undefined) return [];
  const since = formatInstant(lastVisit);
  const chosen = query.since === since;
  return [
    {
      href: timelineHref({ ...query, since: chosen ? null : since, page: 1 }),
      chosen,
      words: (
        <span title={`Since your last visit, ${formatMoment(lastVisit, now)} UTC`}>New since last visit</span>
      ),
    },
  ];
}

const TURN_WORDS = { raised: "Flags raised", resolved: "Flags resolved" } as const;

/** Narrows flags to one severity, where flags are what is asked for. */
function SeverityChips({ query }: { query: TimelineQuery }) {
  if (!FLAG_TURNS.some((turn) => turn === query.kind)) return null;
  const chip = (severity: Severity | null, words: Child) => ({
    href: timelineHref({ ...query, severity, page: 1 }),
    chosen: query.severity === severity,
    words,
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
