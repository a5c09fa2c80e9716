/** What calendars have for the next 60 days. */
import { EVERY_SITE } from "../../annotations/mod.ts";
import { type ListedOccurrence, listUpcoming } from "../../calendars/store.ts";
import type { Db } from "../../db/mod.ts";
import { utcDayOf } from "../../lib/utc_day.ts";
import { Block } from "../component/block.tsx";
import { Told } from "../component/text.tsx";
import { Day, Moment } from "../component/time.tsx";
import { paths } from "../paths.ts";

/** Shown at once, and in all. */
const [FIRST, MOST] = [4, 60];

/** A block above the log; nothing where nothing is to come. `site` is null on the timeline of all sites. */
export function Upcoming(props: { readonly db: Db; readonly site: string | null; readonly now: number }) {
  const { site, now } = props;
  const events = listUpcoming(props.db, site, now);
  if (events.length === 0) return null;
  const more = events.slice(FIRST, MOST);
  return (
    <Block id="upcoming" heading="Upcoming" note={<a href={paths.calendars}>from calendars</a>}>
      <UpcomingList events={events.slice(0, FIRST)} site={site} now={now} />
      {more.length === 0 ? null : (
        <details>
          <summary>{`Show ${more.length} more${events.length > MOST ? ` of ${events.length}` : ""}`}</summary>
          <UpcomingList events={more} site={site} now={now} />
        </details>
      )}
    </Block>
  );
}

interface ListProps {
  readonly events: readonly ListedOccurrence[];
  /** On the page of a site it need not be said. */
  readonly site: string | null;
  readonly now: number;
}

export function UpcomingList({ events, site, now }: ListProps) {
  return (
    <ul class="upcoming">
      {events.map(({ at, isAllDay, title, asset }) => (
        <li>
          {isAllDay ? <Day day={utcDayOf(at)} now={now} /> : <Moment at={at} now={now} />}{" "}
          <Told class="wrap">{title ?? "Busy"}</Told>{" "}
          {asset === site ? null : <small>{asset === EVERY_SITE ? "All sites" : asset}</small>}
        </li>
      ))}
    </ul>
  );
}
