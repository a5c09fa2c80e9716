/** What happened to integrations: failures and recoveries as sentences, those of one cause told once. */

import { countWords as countOf } from "../../base/text.ts";
import { MINUTE_MS } from "../../base/time.ts";
import { capabilityOf } from "../../health/catalogue.ts";
import { type HealthEventView, MOST_EVENTS } from "../../integrations/integrations.ts";
import type { FailureCategory } from "../../providers/faults.ts";
import { formatSpan } from "../format.ts";
import { Glyph } from "../kit/glyph.tsx";
import { Unseen } from "../kit/links.tsx";
import { Block, List } from "../kit/list.tsx";
import { When } from "../kit/proof.tsx";
import { categoryInside } from "../kit/words.tsx";
import { SiteLink } from "./acts.tsx";

/** Events of one kind within this stretch have one cause, as far as anybody can tell: an outage is one line, not one a site. */
const TOGETHER_MS = 15 * 60_000;
/** A run that archives the reports of many sites takes hours. */
const RUN_MS = 6 * 3_600_000;

/** Events that are told as one. */
type ToldEvent = ReturnType<typeof toldEvents>[number];

/** Events as they are told, newest first as they come. */
export function toldEvents(events: readonly HealthEventView[]) {
  const groups: HealthEventView[][] = [];
  for (const event of events) {
    const group = groups.find((held) => belongs(event, held));
    if (group === undefined) groups.push([event]);
    else group.push(event);
  }
  return groups.flatMap((held) => {
    // All have the newest one's capability, change and categories.
    const [newest] = held;
    return newest === undefined ? [] : [{ newest, events: held, lasted: lastedOf(held, events) }];
  });
}

function belongs(event: HealthEventView, [newest]: readonly HealthEventView[]): boolean {
  return (
    newest !== undefined &&
    newest.at - event.at <= (isOfReports(newest) ? RUN_MS : TOGETHER_MS) &&
    newest.capability === event.capability &&
    newest.change === event.change &&
    newest.category === event.category &&
    newest.categoryBefore === event.categoryBefore
  );
}

const isOfReports = ({ capability }: HealthEventView): boolean =>
  capabilityOf(capability)?.ofReports === true;

/** How long what ended had lasted, the longest of them, in milliseconds; undefined where one of the beginnings is not known. */
function lastedOf(held: readonly HealthEventView[], all: readonly HealthEventView[]): number | undefined {
  const spans = held.map((event) => {
    const began = event.change === "recovery" ? beginningOf(event, all) : undefined;
    return began === undefined ? undefined : event.at - began;
  });
  return spans.some((span) => span === undefined)
    ? undefined
    : Math.max(...spans.filter((span) => span !== undefined));
}

/** When the failure began that an event ended. */
function beginningOf(end: HealthEventView, all: readonly HealthEventView[]): number | undefined {
  return all.find(
    (event) =>
      event.change === "first_failure" &&
      event.at <= end.at &&
      event.capability === end.capability &&
      event.asset === end.asset &&
      event.target === end.target &&
      event.family === end.family,
  )?.at;
}

/** Whom a sentence is about. */
type Whom =
  | { readonly kind: "site"; readonly asset: string }
  | { readonly kind: "sites"; readonly count: number }
  /** No site of its own: an account or a sender, in words. */
  | { readonly kind: "other"; readonly words: string };

/** Whom events that are told as one concern. */
export function whomOf({ newest, events }: Pick<ToldEvent, "newest" | "events">): Whom {
  if (events.some(({ asset }) => asset === "")) return { kind: "other", words: connectionWords(newest) };
  const [first, ...others] = new Set(events.map(({ asset }) => asset));
  return others.length === 0 && first !== undefined
    ? { kind: "site", asset: first }
    : { kind: "sites", count: others.length + 1 };
}

/** What concerns an account that figures are read over concerns every site of it. */
function connectionWords({ capability }: HealthEventView): string {
  const { kind, provider } = capabilityOf(capability) ?? {};
  if (provider === "annotations") return "a sender";
  if (provider === "calendars") return "a calendar";
  if (kind === "real_send" || kind === "test_send") return "a channel";
  return kind === "connection_test" || kind === "discovery" ? "an account" : "every site of an account";
}

/** What is said of an event, before and after the name of whom it is about. What is past is told in the past: how it stands now, the states say. */
export function sentenceOf({ newest, events, lasted }: ToldEvent) {
  const { change, category, categoryBefore, capability } = newest;
  const reports = events.filter(({ family }) => family !== "").length;
  const of = reports === 0 ? "" : `, ${countOf(reports, "report")}`;
  const what = newest.label.replace(/, (.*)$/, ` ($1${of})`);
  const why = whyOf(capability, category);
  switch (change) {
    case "first_failure":
      return { before: `${what} began to fail on `, after: `${why}.` };
    case "category_change":
      return {
        before: `${what} on `,
        after:
          categoryBefore === null
            ? ` failed for another reason${why}.`
            : ` changed from ${categoryInside(categoryBefore)} to ${categoryInside(category)}${why}.`,
      };
    case "recovery": {
      const upTo = events.length === 1 || (lasted ?? 0) < MINUTE_MS ? "" : "up to ";
      return {
        before: `${what} worked again on `,
        after: lasted === undefined ? "." : ` after ${upTo}${formatSpan(lasted)}.`,
      };
    }
  }
}

/** Why it fails, after what happened; nothing where the catalogue has no such capability any more. */
function whyOf(capability: string, category: FailureCategory): string {
  const why = capabilityOf(capability)?.copy.why[category].replace(/\.$/, "");
  if (why === undefined) return "";
  return `: ${why.startsWith("Tower") ? why : `${why.slice(0, 1).toLowerCase()}${why.slice(1)}`}`;
}

const SHOWN = 20;

/** What happened to integrations: beginnings, changes and ends of failures, newest first. On a site's page `asset` is that site. */
export function EventHistory(props: {
  readonly events: readonly HealthEventView[];
  readonly asset?: string;
}) {
  const { events, asset } = props;
  const told = toldEvents(events);
  const later = told.slice(SHOWN);
  return (
    <Block
      id="events"
      heading="Failures and recoveries"
      note={events.length >= MOST_EVENTS ? `the latest ${MOST_EVENTS}` : undefined}
    >
      {told.length === 0 ? (
        <p>No failures{asset === undefined ? "" : " here"} so far.</p>
      ) : (
        <EventTable
          told={told.slice(0, SHOWN)}
          asset={asset}
          caption="Failures and recoveries, newest first"
        />
      )}
      {later.length === 0 ? null : (
        <details id="events-earlier">
          <summary>{countOf(later.length, "earlier line")}</summary>
          <EventTable told={later} asset={asset} caption="Earlier failures and recoveries" />
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
  readonly caption: string;
}) {
  const { told, asset } = props;
  return (
    <List
      class="events"
      of={props.caption}
      items={told}
      id={({ newest }) => `event-${newest.id}`}
      columns={[
        ["When", ({ newest }) => <When at={newest.at} />, { names: false, label: false, class: "when" }],
        [
          "Kind",
          ({ newest }) => {
            const { glyph, tone, words } = GLYPHS[newest.change];
            return (
              <span class="state" data-state={tone}>
                <Glyph name={`s-${glyph}`} />
                <Unseen>{words}</Unseen>
              </span>
            );
          },
          { class: "kind", unseen: true },
        ],
        ["What happened", (event) => <EventSentence event={event} asset={asset} />, { class: "all" }],
      ]}
    />
  );
}

function EventSentence({ event, asset }: { event: ToldEvent; asset: string | undefined }) {
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
