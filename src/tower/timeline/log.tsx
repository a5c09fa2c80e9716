/** The part of the Timeline that refreshes itself: what is new, the picture, the filters, the log by day. */
import { ANNOTATION_KINDS, type AnnotationKind } from "../../annotations/mod.ts";
import { formatInstant } from "../../lib/instant.ts";
import { startOfDay, type UtcDay } from "../../lib/utc_day.ts";
import { Block } from "../component/block.tsx";
import { Chips, Segments, Steps } from "../component/links.tsx";
import { Mark, ANNOTATION_KINDS as WORDS } from "../component/mark.tsx";
import { EarlierPager } from "../component/pager.tsx";
import { Code, Told } from "../component/text.tsx";
import { countOf, formatClock, formatCount, formatDay, formatMoment } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { Live } from "../kit/live.tsx";
import { EmptyLog } from "./empty_log.tsx";
import { TimelineLane } from "./lane.tsx";
import { stepsOf, TIMELINE_RANGES, type TimelineRange, timelineHref, timelinePath } from "./query.ts";
import type { TimelineDay, TimelineEntry, TimelineView } from "./view.ts";

/** An entry that was received so long after its moment says when: it was entered later. */
const LATE_MS = 3_600_000;

/** From here on a note is folded, in UTF-16 units. */
const LONG_NOTE = 280;

const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone: "UTC" });

const RANGE_WORDS: Readonly<Record<TimelineRange, string>> = {
  "7": "7 days",
  "30": "30 days",
  "90": "90 days",
  "365": "1 year",
  all: "All",
};

/** The live part. It refreshes only where new entries can show: on the first page of days that reach today. */
export function TimelineLog({ view, now }: { readonly view: TimelineView; readonly now: number }) {
  const { query, days } = view;
  const live = query.before === null && query.to === null;
  const refresh = timelineHref(query, { part: "log", seen: view.seen });
  return (
    <Live id="log" class="stack" href={live ? refresh : null}>
      <Block
        heading={`${formatDay(days.from, now)} to ${formatDay(days.to, now)}`}
        note={scopeWords(view)}
        tools={<RangeLinks view={view} now={now} />}
      >
        <TimelineLane tallies={view.tallies} days={days} bounds={view.bounds} now={now} />
      </Block>
      <News news={view.news} now={now} />
      <KindChips view={view} />
      {view.log.length === 0 ? <EmptyLog view={view} now={now} /> : null}
      <div>
        {view.log.map((day) => (
          <Day day={day} site={query.site} now={now} />
        ))}
      </div>
      <EarlierPager
        newest={query.before === null ? null : timelineHref({ ...query, before: null })}
        earlier={view.next === null ? null : timelineHref({ ...query, before: view.next })}
      />
    </Live>
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

function RangeLinks({ view, now }: { readonly view: TimelineView; readonly now: number }) {
  const { query } = view;
  const { earlier, later } = stepsOf(query, view.days, now);
  return (
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
  );
}

/** Says politely what was stored since the page was read. The paragraph always stands, so that its change is noticed. */
function News({ news, now }: { readonly news: readonly TimelineEntry[]; readonly now: number }) {
  return (
    <p class="note" role="status" id="log-news">
      {news.length === 0 ? null : (
        <>
          New: {countOf(news.length, "entry", "entries")}.{" "}
          {news.slice(0, 3).map((entry) => (
            <>
              {WORDS[entry.kind][1]} <Told class="wrap">{entry.ref}</Told>, {placeWords(entry)}
              {", "}
              {formatMoment(entry.atMs, now)}.{" "}
            </>
          ))}
        </>
      )}
    </p>
  );
}

function placeWords(entry: TimelineEntry): Child {
  return entry.place === "every-site" ? "all sites" : <Told class="wrap">{entry.asset}</Told>;
}

function KindChips({ view }: { readonly view: TimelineView }) {
  const { query } = view;
  const chip = (kind: AnnotationKind | null, words: Child, count: number) => ({
    href: timelineHref({ ...query, kind, before: null }),
    chosen: query.kind === kind,
    words: (
      <>
        {words} <b>{formatCount(count)}</b>
      </>
    ),
  });
  const kinds = ANNOTATION_KINDS.map((kind) =>
    chip(kind, <KindWords kind={kind} />, view.counts.get(kind) ?? 0),
  );
  return <Chips label="Filter by kind" choices={[chip(null, "All", view.total), ...kinds]} />;
}

function KindWords({ kind }: { readonly kind: AnnotationKind }) {
  return (
    <>
      <span aria-hidden="true">
        <Mark kind={kind} />
      </span>
      {WORDS[kind][1]}
    </>
  );
}

function headingOf(day: UtcDay, now: number): string {
  return `${weekday.format(startOfDay(day))} ${formatDay(day, now)}`;
}

function Day(props: { readonly day: TimelineDay; readonly site: string | null; readonly now: number }) {
  const { day, entries } = props.day;
  return (
    <section class="day" id={`day-${day}`}>
      <h3>
        <time datetime={day}>{headingOf(day, props.now)}</time>
      </h3>
      <ol class="log">
        {entries.map((entry) => (
          <Entry entry={entry} site={props.site} now={props.now} />
        ))}
      </ol>
    </section>
  );
}

function Entry(props: { readonly entry: TimelineEntry; readonly site: string | null; readonly now: number }) {
  const { entry, now } = props;
  return (
    <li id={`entry-${entry.id}`}>
      <time datetime={entry.at} title={`sent as ${entry.at}, received ${formatInstant(entry.receivedAt)}`}>
        {formatClock(entry.atMs)}
      </time>
      <span>
        <Mark kind={entry.kind} />
      </span>
      <div>
        <Place entry={entry} site={props.site} />
      </div>
      <div>
        <Code>{entry.ref}</Code>
        <Note note={entry.note} />
      </div>
      <small>
        <Told class="wrap">{entry.postedBy}</Told>
        {entry.receivedAt - entry.atMs < LATE_MS ? null : `, entered ${formatMoment(entry.receivedAt, now)}`}
      </small>
    </li>
  );
}

function Place({ entry, site }: { readonly entry: TimelineEntry; readonly site: string | null }) {
  if (entry.place === "every-site") return <b>All sites</b>;
  if (entry.asset === site) return <b>This site</b>;
  const outside = entry.place === "outside";
  const href = outside ? timelineHref({ asset: entry.asset }) : timelinePath(entry.asset);
  return (
    <>
      <b>
        <a href={href} data-row>
          <Told class="wrap">{entry.asset}</Told>
        </a>
      </b>
      {outside ? (
        <>
          {" "}
          <span class="tag" title="It joins the site when the site is added.">
            not in the portfolio
          </span>
        </>
      ) : null}
    </>
  );
}

/** A note keeps its own line ends. A long one opens on demand, and a refresh leaves it as the reader has it: notes never change. */
function Note({ note }: { readonly note: string | null }) {
  if (note === null || note === "") return null;
  if (note.length <= LONG_NOTE) return <NoteText note={note} />;
  const start = note.slice(0, LONG_NOTE).toWellFormed().split("\n", 1)[0] ?? "";
  return (
    <details hx-morph-skip>
      <summary class="wrap">
        <Told class="wrap">{`${start}…`}</Told>
      </summary>
      <NoteText note={note} />
    </details>
  );
}

function NoteText({ note }: { readonly note: string }) {
  return (
    <div hx-ignore dir="auto" class="wrap">
      {note.split("\n").map((line, index) => (
        <>
          {index === 0 ? null : <br />}
          {line}
        </>
      ))}
    </div>
  );
}
