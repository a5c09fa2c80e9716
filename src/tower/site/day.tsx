/** The values that a day of a figure had, one after another, and the days of a figure that were revised. */

import { countWords as countOf } from "../../base/text.ts";
import { addDays, dayNumber, dayOfNumber, type UtcDay } from "../../base/time.ts";
import type { SeriesSource } from "../../flags/flags.ts";
import { isProvider } from "../../providers/adapter.ts";
import { findPulseBody, listRevisions, type Pulse, type PulseRow } from "../../reports/pulse.ts";
import { listRevisedDays } from "../../reports/shown_day.ts";
import { type DayRevision, revisionsBetween } from "../../signals/signal_list.ts";
import type { Db } from "../../store/store.ts";
import { formatDay } from "../format.ts";
import { here } from "../kit/here.ts";
import { Block } from "../kit/list.tsx";
import { Moment } from "../kit/proof.tsx";
import { readWhole } from "../layout.tsx";
import { closeText, type FigureUnit } from "./lanes.ts";
import { dayHref } from "./range.ts";
import { lanesOf, type SiteDays } from "./site_days.tsx";

/** Most revisions of a nightly report that are compared, the newest. */
const MOST_REVISIONS = 20;
/** Most revised days that are told of one figure, the newest. */
const MOST_DAYS = 20;

/** A value that a day had for a while, and when it was first told, in milliseconds since the epoch. */
interface SeenValue {
  /** Null where it was told that there is none. */
  readonly value: number | null;
  readonly seenAt: number;
}

/** A day whose value became another. */
export interface RevisedDay {
  readonly day: UtcDay;
  /** Oldest first; the last one holds. */
  readonly seen: readonly SeenValue[];
}

/** What a revision of a nightly report says. */
interface SentRevision {
  readonly receivedAt: number;
  readonly metrics: Pulse["metrics"];
}

/** What each of these revisions says, the oldest first; a body that is damaged says nothing. */
function sentRevisions(db: Db, reports: readonly PulseRow[]): SentRevision[] {
  return reports.toReversed().flatMap((row) => {
    const body = readWhole(() => findPulseBody(db, row));
    return body.ok
      ? [{ receivedAt: row.receivedAt, metrics: (JSON.parse(body.value) as Pulse).metrics }]
      : [];
  });
}

/** The values that the revisions of a day's report gave a metric; one that is no longer sent has none. */
function sentSeen(sent: readonly SentRevision[], metric: string): SeenValue[] {
  return changesOf(
    sent.map(({ receivedAt, metrics }) => ({
      value: (Object.hasOwn(metrics, metric) ? metrics[metric]?.last24h : undefined) ?? null,
      seenAt: receivedAt,
    })),
  );
}

function signalSeen(revisions: readonly Pick<DayRevision, "value" | "firstAt">[]): SeenValue[] {
  return changesOf(revisions.map(({ value, firstAt }) => ({ value, seenAt: firstAt })));
}

/** The values in their order, each once for as long as it held; what is absent before the first value is no value. Pure. */
export function changesOf(values: readonly SeenValue[]): SeenValue[] {
  const changes: SeenValue[] = [];
  for (const seen of values) {
    const last = changes.at(-1);
    if (last === undefined ? seen.value === null : last.value === seen.value) continue;
    changes.push(seen);
  }
  return changes;
}

/** The days of one figure whose value was revised, the newest first. */
export function readRevised(
  db: Db,
  of: { readonly asset: string; readonly source: SeriesSource; readonly metric: string },
  { days, offset }: Pick<SiteDays, "days" | "offset">,
): RevisedDay[] {
  const { asset, source, metric } = of;
  const all = isProvider(source)
    ? [
        ...revisionsBetween(db, {
          asset,
          source,
          metric,
          from: dayNumber(days.from),
          to: dayNumber(days.to),
        }),
      ].map(([day, revisions]) => ({ day: dayOfNumber(day), seen: signalSeen(revisions) }))
    : listRevisedDays(
        db,
        asset,
        { from: addDays(days.from, -offset), to: addDays(days.to, -offset) },
        MOST_DAYS,
      ).map((day) => ({
        day: addDays(day, offset),
        seen: sentSeen(sentRevisions(db, listRevisions(db, asset, day, MOST_REVISIONS)), metric),
      }));
  return all
    .filter(({ seen }) => seen.length > 1)
    .toSorted((one, other) => (one.day < other.day ? 1 : -1))
    .slice(0, MOST_DAYS);
}

/** "17 Nov was 112 when first seen 18 Nov 04:15, 131 now." */
function Revision(props: {
  readonly asset: string;
  readonly unit: FigureUnit;
  readonly revised: RevisedDay;
}) {
  const { now } = here();
  const { day, seen } = props.revised;
  const [first, last] = [seen[0], seen.at(-1)];
  if (first === undefined || last === undefined) return null;
  const text = ({ value }: SeenValue) => (value === null ? "not sent" : closeText(props.unit, value));
  return (
    <li>
      <a href={dayHref(props.asset, day)}>{formatDay(day, now)}</a> was <b>{text(first)}</b> when first seen{" "}
      <Moment at={first.seenAt} />, <b>{text(last)}</b> now.
    </li>
  );
}

/** Revised days in sight; the rest is folded away. */
const REVISED_IN_SIGHT = 5;

/** What became of the days of one metric after they were first told. */
export function Revisions(props: { readonly site: SiteDays; readonly revised: readonly RevisedDay[] }) {
  const { site, revised } = props;
  const [lane] = lanesOf(site);
  if (lane === undefined) return null;
  const list = (some: readonly RevisedDay[]) => (
    <ul class="revised">
      {some.map((day) => (
        <Revision asset={site.asset} unit={lane.unit} revised={day} />
      ))}
    </ul>
  );
  const rest = revised.slice(REVISED_IN_SIGHT);
  return (
    <Block heading="Revised days" note={revised.length === 0 ? undefined : countOf(revised.length, "day")}>
      {revised.length === 0 ? <p>No revisions.</p> : list(revised.slice(0, REVISED_IN_SIGHT))}
      {rest.length === 0 ? null : (
        <details class="items">
          <summary>{countOf(rest.length, "more day")}</summary>
          {list(rest)}
        </details>
      )}
    </Block>
  );
}
