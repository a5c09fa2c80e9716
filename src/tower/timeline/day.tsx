import { startOfDay, type UtcDay } from "../../lib/utc_day.ts";
import { Mark } from "../component/mark.tsx";
import { Code, Told } from "../component/text.tsx";
import { exact } from "../component/time.tsx";
import { formatClock, formatDay, formatMoment } from "../format.ts";
import { DayFlags } from "./day_flags.tsx";
import { isNamedByNote } from "./marks.ts";
import { timelineHref, timelinePath } from "./query.ts";
import { type RefusedStrike, Striking } from "./strike.tsx";
import type { TimelineDay, TimelineEntry } from "./view.ts";

/** An entry that was received so long after its moment says when: it was entered later. */
const LATE_MS = 3_600_000;

/** From here on a note is folded, in UTF-16 units. */
const LONG_NOTE = 280;

const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone: "UTC" });

function headingOf(day: UtcDay, now: number): string {
  return `${weekday.format(startOfDay(day))} ${formatDay(day, now)}`;
}

/** Where striking comes back to, and what of it was refused. */
export interface StrikingProps {
  readonly back: string;
  readonly refused: RefusedStrike | null;
}

/** The entries of one day, newest first, then what happened to flags. */
export function Day(props: {
  readonly day: TimelineDay;
  readonly site: string | null;
  readonly striking: StrikingProps;
  /** Nothing but flags is asked for. */
  readonly flagsAlone: boolean;
  readonly now: number;
}) {
  const { day, entries } = props.day;
  return (
    <section class="day" id={`day-${day}`}>
      <h3>
        <time datetime={day}>{headingOf(day, props.now)}</time>
      </h3>
      <div>
        {entries.length === 0 ? null : (
          <ol class="log">
            {entries.map((entry) => (
              <Entry entry={entry} site={props.site} striking={props.striking} now={props.now} />
            ))}
          </ol>
        )}
        <DayFlags day={props.day} site={props.site} alone={props.flagsAlone} now={props.now} />
      </div>
    </section>
  );
}

function Entry(props: {
  readonly entry: TimelineEntry;
  readonly site: string | null;
  readonly striking: StrikingProps;
  readonly now: number;
}) {
  const { entry, now } = props;
  return (
    <li id={`entry-${entry.id}`} class={entry.struck === undefined ? undefined : "struck"}>
      <time datetime={entry.at} title={`${exact(entry.atMs)}, received ${exact(entry.receivedAt)}`}>
        {formatClock(entry.atMs)}
      </time>
      <span>
        <Mark kind={entry.kind} />
      </span>
      <div>
        <Place entry={entry} site={props.site} />
      </div>
      <div>
        {isNamedByNote(entry) ? null : <Code>{entry.ref}</Code>}
        <Note note={entry.note} />
      </div>
      <small>
        <Told class="wrap">{entry.postedBy}</Told>
        {entry.receivedAt - entry.atMs < LATE_MS ? null : `, entered ${formatMoment(entry.receivedAt, now)}`}
      </small>
      <Striking entry={entry} {...props.striking} now={now} />
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
