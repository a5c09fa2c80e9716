import { type HealthEventView, MOST_EVENTS } from "../../integrations/mod.ts";
import { Block } from "../component/block.tsx";
import { Glyph } from "../component/glyph.tsx";
import { DataTable } from "../component/table.tsx";
import { Unseen } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import { countOf } from "../format.ts";
import { sentenceOf, type ToldEvent, toldEvents, whomOf } from "./event_words.ts";
import { SiteLink } from "./site_link.tsx";

/** Lines that are shown at once; the others are folded. */
const SHOWN = 20;

/** What happened to integrations: beginnings, changes and ends of failures, newest first. On a site's page `asset` is that site. */
export function EventHistory(props: {
  readonly events: readonly HealthEventView[];
  readonly asset?: string;
  readonly now: number;
  /** Shows the newest alone, and leads to where all of them are. */
  readonly most?: { readonly lines: number; readonly all: string };
}) {
  const { events, asset, now, most } = props;
  const told = toldEvents(events);
  const shown = most?.lines ?? SHOWN;
  const later = told.slice(shown);
  return (
    <Block
      id="events"
      heading="What happened"
      note={
        events.length >= MOST_EVENTS
          ? `the latest ${MOST_EVENTS} changes`
          : "when something began to fail, failed otherwise, or worked again"
      }
    >
      {told.length === 0 ? (
        <p>No failure has begun or ended{asset === undefined ? "" : " here"} so far.</p>
      ) : (
        <EventTable
          told={told.slice(0, shown)}
          asset={asset}
          now={now}
          caption="What happened, newest first"
        />
      )}
      {later.length === 0 ? null : most !== undefined ? (
        <p class="note">
          <a href={most.all}>{countOf(later.length, "earlier line")}</a>
        </p>
      ) : (
        <details id="events-earlier">
          <summary>{countOf(later.length, "earlier line")}</summary>
          <EventTable told={later} asset={asset} now={now} caption="What happened before that" />
        </details>
      )}
    </Block>
  );
}

/** Green is kept for Working: that something worked again then says nothing of now. */
const GLYPHS = {
  first_failure: { glyph: "failing", tone: "failing", words: "Failure" },
  category_change: { glyph: "failing", tone: "failing", words: "Failure" },
  recovery: { glyph: "working", tone: undefined, words: "Recovery" },
} as const;

function EventTable(props: {
  readonly told: readonly ToldEvent[];
  readonly asset: string | undefined;
  readonly now: number;
  readonly caption: string;
}) {
  const { told, asset, now } = props;
  return (
    <DataTable
      fold
      class="events"
      caption={props.caption}
      items={told}
      id={({ newest }) => `event-${newest.id}`}
      columns={[
        {
          words: "When",
          class: "when",
          cell: ({ newest }) => <Moment at={newest.at} now={now} />,
        },
        {
          words: "Kind",
          unseen: true,
          class: "kind",
          cell: ({ newest }) => {
            const { glyph, tone, words } = GLYPHS[newest.change];
            return (
              <span class="state" data-state={tone}>
                <Glyph name={`s-${glyph}`} />
                <Unseen>{words}</Unseen>
              </span>
            );
          },
        },
        {
          words: "What happened",
          class: "all",
          cell: (event) => <EventSentence event={event} asset={asset} />,
        },
      ]}
    />
  );
}

function EventSentence({ event, asset }: { readonly event: ToldEvent; readonly asset: string | undefined }) {
  const { newest, events } = event;
  const { before, after } = sentenceOf(event);
  const whom = whomOf(event);
  const { capability } = newest;
  return (
    <>
      {before}
      {whom.kind === "other" ? (
        whom.words
      ) : whom.kind === "sites" ? (
        countOf(whom.count, "site")
      ) : whom.asset === asset ? (
        "this site"
      ) : (
        <SiteLink asset={whom.asset} capability={capability} />
      )}
      {after}
      {whom.kind === "sites" ? <Sites events={events} newest={newest} /> : null}
    </>
  );
}

function Sites({ events, newest: { id, capability } }: Pick<ToldEvent, "events" | "newest">) {
  return (
    <details id={`sites-${id}`}>
      <summary>Which</summary>
      <ul>
        {[...new Set(events.map(({ asset }) => asset))].map((asset) => (
          <li>
            <SiteLink asset={asset} capability={capability} />
          </li>
        ))}
      </ul>
    </details>
  );
}
