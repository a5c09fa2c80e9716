/** One day of the log: its annotations with striking, then its flags; and annotations as the letters under a chart. */

import { countWords as countOf, shortText } from "../../base/text.ts";
import { addDays, startOfDay, utcDayOf } from "../../base/time.ts";
import { titleOf } from "../../flags/api.ts";
import type { ChainedFlag } from "../../flags/flags.ts";
import { type FlagTurn, listFlagMoments } from "../../flags/queries.ts";
import { flagsShown } from "../../reports/nights.ts";
import {
  EVERY_SITE,
  listAnnotations,
  listBetween,
  MAX_NOTE,
  type StoredAnnotation,
} from "../../sites/annotations.ts";
import { hasAsset } from "../../sites/sites.ts";
import type { Db } from "../../store/store.ts";
import { formatClock, formatCount, formatMoment, formatWeekday } from "../format.ts";
import { type ChartAnnotation, type ChartAnnotations, Mark } from "../kit/chart_marks.tsx";
import { Form, TextField } from "../kit/field.tsx";
import { Glyph } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Code, joined, SEVERITIES, Told, Unseen } from "../kit/links.tsx";
import type { ChartDays } from "../kit/plot.tsx";
import { exact } from "../kit/proof.tsx";
import { readingWord } from "../kit/words.tsx";
import { paths } from "../paths.ts";
import {
  annotationKindOf,
  flagTurnsOf,
  sinceOf,
  type TimelineQuery,
  timelineDays,
  timelineHref,
  timelinePath,
} from "./add_form.tsx";

/** Under an entry: that it is struck, or the form that strikes it. */
function Striking(props: {
  readonly entry: TimelineEntry;
  /** The address to come back to. */
  readonly back: string;
}) {
  const { entry, back } = props;
  const { id, struck } = entry;
  if (struck !== undefined) {
    return (
      <div class="row">
        <span>
          Struck by <Told class="wrap">{struck.by}</Told>, {formatMoment(struck.at)}
          {struck.reason === null ? null : [": ", <Told class="wrap">{struck.reason}</Told>]}
        </span>
        <Form action={paths.unstrike(id)} hidden={{ back }} class={null}>
          <button class="btn bare">
            Put back
            <Unseen>
              {" "}
              the entry <Told>{entry.ref}</Told>
            </Unseen>
          </button>
        </Form>
      </div>
    );
  }
  return (
    <details class="sure">
      <summary class="btn bare">
        Mark as mistake
        <Unseen>
          {" "}
          the entry <Told>{entry.ref}</Told>
        </Unseen>
      </summary>
      <Form
        action={paths.strike(id)}
        hidden={{ back }}
        class="stack tight form"
        send="Mark as mistake"
        isMinor
      >
        <TextField
          id={`reason-${id}`}
          name="reason"
          label="Why (optional)"
          help="The entry stays here, marked as a mistake; charts no longer show it."
          maxlength={MAX_NOTE}
          autocomplete="off"
        />
      </Form>
    </details>
  );
}

/** Flags of a day that are in sight beside annotations; more than a few others are opened. */
const [IN_SIGHT, LEAST_FOLDED] = [5, 3];

/** What happened to flags on a day: the worst in sight, the rest behind one line; all of them where nothing else is asked for. */
function DayFlags({ day, site, alone }: { day: TimelineDay; site: string | null; alone: boolean }) {
  const { flags } = day;
  if (flags.length === 0) return null;
  const inSight = alone || flags.length - IN_SIGHT < LEAST_FOLDED ? flags.length : IN_SIGHT;
  const list = (some: readonly TurnedFlag[]) => (
    <ol class="log">
      {some.map((turned) => (
        <FlagEntry turned={turned} site={site} />
      ))}
    </ol>
  );
  return (
    <>
      {list(flags.slice(0, inSight))}
      {inSight === flags.length ? null : (
        <details class="items more-flags" id={`flags-${day.day}`}>
          <summary>{restWords(flags.slice(inSight))}</summary>
          {list(flags.slice(inSight))}
        </details>
      )}
    </>
  );
}

/** "20 more raised, 4 resolved". */
function restWords(rest: readonly TurnedFlag[]): string {
  return (["raised", "resolved"] as const)
    .map((turn) => [rest.filter((one) => one.turn === turn).length, turn] as const)
    .filter(([count]) => count > 0)
    .map(([count, turn], place) => `${formatCount(count)}${place === 0 ? " more" : ""} ${turn}`)
    .join(", ");
}

function FlagEntry({ turned, site }: { turned: TurnedFlag; site: string | null }) {
  const { now } = here();
  const { turn, flag, at } = turned;
  const { asset, severity } = flag;
  return (
    <li
      id={`${turn}-${flag.id}`}
      class={turn === "raised" ? "flag-entry" : "flag-entry over"}
      data-sev={severity}
    >
      <time datetime={turn === "raised" ? flag.raised_at : (flag.resolved_at ?? "")} title={exact(at)}>
        {formatClock(at)}
      </time>
      <span>
        <Glyph name={`f-${severity}`} />
        <Unseen>{severity}</Unseen>
      </span>
      <div>
        {asset === site ? (
          <b>This site</b>
        ) : (
          <b>
            <a href={timelinePath(asset)} data-row>
              {asset}
            </a>
          </b>
        )}
      </div>
      <div>
        <a href={paths.flag(flag.id)}>
          <Told class="wrap">{titleOf(flag, now)}</Told>
        </a>
      </div>
      <small>{turn === "raised" ? `${severity}, raised` : `resolved${lastedWords(flag)}`}</small>
    </li>
  );
}

/** Over how many reports, or readings of a provider's figure, it was told. */
function lastedWords(flag: ChainedFlag): string {
  const { reports } = flag.chain;
  return reports === 1 ? "" : ` after ${countOf(reports, readingWord(flag))}`;
}

/** Annotations named by one mark; the rest is counted. */
const MOST_NAMED = 4;
/** Most annotations that the marks of one chart are made of. */
const MOST_MARKED = 400;
/** Longest words of one annotation in a mark, in UTF-16 units. */
const MOST_WORDS = 120;

/** The annotations of a chart's days as marks; of very many the newest. */
export function annotationsOf(db: Db, asset: string, { from, to }: ChartDays): ChartAnnotations {
  const rows = listBetween(db, asset, startOfDay(from), startOfDay(addDays(to, 1)) - 1, MOST_MARKED + 1);
  return {
    marks: marksForChart(rows.slice(0, MOST_MARKED)),
    newest: rows.length > MOST_MARKED ? MOST_MARKED : null,
  };
}

/**
 * Marks for the lane of letters, oldest first. Annotations of one kind and day share a mark, so that thirty deploys do not hide each
 * other; the mark names the first of them and counts the rest.
 */
function marksForChart(rows: readonly StoredAnnotation[]): ChartAnnotation[] {
  const groups = Map.groupBy(
    rows.toSorted((one, other) => one.atMs - other.atMs),
    ({ atMs, kind }) => `${utcDayOf(atMs)} ${kind}`,
  );
  return [...groups.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const { atMs: at, kind } = first;
    const words = summed(all.map(wordsOf));
    return { date: utcDayOf(at), at, kind, words, ...(all.length > 1 && { count: all.length }) };
  });
}

/** What a calendar told is called by its title: its ref is for programs. */
const isNamedByNote = (row: StoredAnnotation): row is StoredAnnotation & { readonly note: string } =>
  row.postedBy.startsWith("calendar:") && row.note !== null;

/** What an annotation is called. */
export const annotationName = (row: StoredAnnotation): string => (isNamedByNote(row) ? row.note : row.ref);

function wordsOf(row: StoredAnnotation): string {
  const text = isNamedByNote(row) ? row.note : row.note ? `${row.ref}: ${row.note}` : row.ref;
  const short = shortText(text, MOST_WORDS);
  return row.asset === EVERY_SITE ? `All sites: ${short}` : short;
}

function summed(words: readonly string[]): string {
  const [only] = words;
  if (words.length === 1 && only !== undefined) return only;
  const named = words.slice(0, MOST_NAMED).join("; ");
  const rest = words.length - MOST_NAMED;
  return `${countOf(words.length, "entry", "entries")}: ${named}${rest > 0 ? `; and ${rest} more` : ""}`;
}

const LATE_MS = 3_600_000;

/** The entries of one day, newest first, then what happened to flags. */
export function Day(props: {
  readonly day: TimelineDay;
  readonly site: string | null;
  /** Where striking comes back to. */
  readonly back: string;
  /** Nothing but flags is asked for. */
  readonly flagsAlone: boolean;
}) {
  const { now } = here();
  const { day, entries } = props.day;
  return (
    <section class="day" id={`day-${day}`}>
      <h3>
        <time datetime={day}>{formatWeekday(day, now)}</time>
      </h3>
      <div>
        {entries.length === 0 ? null : (
          <ol class="log">
            {entries.map((entry) => (
              <Entry entry={entry} site={props.site} back={props.back} />
            ))}
          </ol>
        )}
        <DayFlags day={props.day} site={props.site} alone={props.flagsAlone} />
      </div>
    </section>
  );
}

function Entry({ entry, site, back }: { entry: TimelineEntry; site: string | null; back: string }) {
  return (
    <li id={`entry-${entry.id}`} class={entry.struck === undefined ? undefined : "struck"}>
      <time datetime={entry.at} title={`${exact(entry.atMs)}, received ${exact(entry.receivedAt)}`}>
        {formatClock(entry.atMs)}
      </time>
      <span>
        <Mark kind={entry.kind} />
      </span>
      <div>
        <Place entry={entry} site={site} />
      </div>
      <div>
        {isNamedByNote(entry) ? null : <Code>{entry.ref}</Code>}
        <Note note={entry.note} />
      </div>
      <small>
        <Told class="wrap">{entry.postedBy}</Told>
        {entry.receivedAt - entry.atMs < LATE_MS ? null : `, entered ${formatMoment(entry.receivedAt)}`}
      </small>
      <Striking entry={entry} back={back} />
    </li>
  );
}

function Place({ entry, site }: { entry: TimelineEntry; site: string | null }) {
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

/** A note keeps its own line ends. */
function Note({ note }: { note: string | null }) {
  if (note === null || note === "") return null;
  return (
    <div hx-ignore dir="auto" class="wrap">
      {joined(note.split("\n"), <br />)}
    </div>
  );
}

// Everything the Timeline shows, read as plain data: a page of annotations and flags, by day.

/** Lines on one page of the log, and most pages of the days that are asked for: an earlier stretch shows what is beyond. */
const [PAGE_SIZE, MOST_PAGES] = [100, 50];

/** A flag with what happened to it. */
interface TurnedFlag {
  readonly turn: FlagTurn;
  readonly flag: ChainedFlag;
  readonly at: number;
}

/** One entry of the log. */
interface TimelineEntry extends StoredAnnotation {
  /** Where it stands: on every site's timeline, a site's, or that of a site nobody has added yet. */
  readonly place: "every-site" | "portfolio" | "outside";
}

/** What the page shows. */
export type TimelineView = ReturnType<typeof readTimeline>;

/** The entries of one UTC day that are on the page, newest first, and what happened to flags on it. */
type TimelineDay = TimelineView["log"][number];

/** Reads what a query asks for. */
export function readTimeline(db: Db, query: TimelineQuery, now: number) {
  const days = timelineDays(query, now);
  const page = Math.min(query.page, MOST_PAGES);
  const lines = readLines(db, query, days, page * PAGE_SIZE + 1);
  const placed = placeMaker(db, query.site);
  const byDay = Map.groupBy(lines.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE), ({ at }) => utcDayOf(at));
  return {
    query: { ...query, page },
    days,
    log: [...byDay].map(([day, of]) => ({
      day,
      entries: of.flatMap((line) => ("entry" in line ? [{ ...line.entry, place: placed(line.entry) }] : [])),
      /** Those raised before those resolved, the worst first. */
      flags: of.flatMap((line) => ("flag" in line ? [line] : [])).toSorted(worstFirst),
    })),
    /** The page that goes on back in time; null where there is none. */
    next: lines.length > page * PAGE_SIZE && page < MOST_PAGES ? page + 1 : null,
  };
}

/** The newest lines of the days: annotations, and what happened to flags. */
function readLines(db: Db, query: TimelineQuery, days: ChartDays, limit: number) {
  const { q } = query;
  const asset = query.site ?? query.asset ?? undefined;
  const [kind, since] = [annotationKindOf(query), sinceOf(query)];
  const between = { from: startOfDay(days.from), to: startOfDay(addDays(days.to, 1)) };
  const entries =
    kind === undefined
      ? []
      : listAnnotations(
          db,
          { asset, kind: kind ?? undefined, q, receivedAfter: since, ...between },
          limit,
        ).map((entry) => ({ at: entry.atMs, entry }));
  const severity = query.severity ?? undefined;
  const from = Math.max(between.from, since ?? between.from);
  const flags = flagTurnsOf(query).flatMap((turn) =>
    listFlagMoments(db, { turn, asset, severity, from, to: between.to }, "newest", limit)
      .map(flagsShown(db))
      .map((flag): TurnedFlag => ({ turn, flag, at: momentOf(turn, flag) })),
  );
  return [...entries, ...flags].sort((one, other) => other.at - one.at).slice(0, limit);
}

const momentOf = (turn: FlagTurn, { raised_at, resolved_at }: ChainedFlag): number =>
  Date.parse((turn === "raised" ? raised_at : resolved_at) ?? raised_at);

const placeOf = ({ turn, flag }: TurnedFlag) =>
  (turn === "raised" ? 0 : SEVERITIES.length) + SEVERITIES.indexOf(flag.severity);
const worstFirst = (one: TurnedFlag, other: TurnedFlag) => placeOf(one) - placeOf(other);

/** Asks once for each other site whether it is in the portfolio. */
function placeMaker(db: Db, site: string | null): (row: StoredAnnotation) => TimelineEntry["place"] {
  const known = new Map<string, boolean>(site === null ? [] : [[site, true]]);
  return ({ asset }) => {
    if (asset === EVERY_SITE) return "every-site";
    const inside = known.get(asset) ?? hasAsset(db, asset);
    known.set(asset, inside);
    return inside ? "portfolio" : "outside";
  };
}
