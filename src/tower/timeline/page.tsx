import { EVERY_SITE, type StoredAnnotation } from "../../annotations/mod.ts";
import { Block } from "../component/block.tsx";
import { Callout } from "../component/callout.tsx";
import { Options } from "../component/field.tsx";
import { Mark, ANNOTATION_KINDS as WORDS } from "../component/mark.tsx";
import { Kept } from "../component/search_form.tsx";
import { type SiteHead, SiteHeader, siteTitle } from "../component/site_header.tsx";
import { Code, Told } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import type { Child } from "../jsx/jsx-runtime.ts";
import { Page } from "../layout.tsx";
import type { Destination } from "../sending/commands.ts";
import type { Shell } from "../shell.ts";
import { AddForm, type AddFormProps } from "./add_form.tsx";
import { TimelineLog } from "./log.tsx";
import { timelineAddress, timelineHref, timelinePath } from "./query.ts";
import { SendingFromCi } from "./sending.tsx";
import type { RefusedStrike } from "./strike.tsx";
import type { TimelineView } from "./view.ts";

export interface TimelinePageProps {
  readonly shell: Shell;
  /** The site whose tab it is; null on the page of all sites. */
  readonly site: SiteHead | null;
  readonly view: TimelineView;
  /** What is to come, above the newest entries. */
  readonly upcoming: Child;
  readonly form: Pick<AddFormProps, "sites" | "values" | "errors">;
  /** What the form just did. */
  readonly outcome: { readonly created: boolean; readonly entry: StoredAnnotation } | null;
  readonly destination: Destination;
  /** A reason for striking an entry that was refused. */
  readonly refused: RefusedStrike | null;
}

/** The Timeline: of all sites, or of one as a tab of its pages. */
export function TimelinePage(props: TimelinePageProps) {
  const { shell, view, form, site } = props;
  const broken = Object.values(form.errors).some((error) => error !== undefined);
  return (
    <Page
      shell={shell}
      title={site === null ? "Timeline" : siteTitle(site, "timeline")}
      current={site === null ? "timeline" : "sites"}
      ask={askOf(view)}
    >
      {site === null ? (
        <div class="head">
          <div>
            <h1>Timeline</h1>
            <p>
              What changed and when, from CI, calendars and people, beside the flags that were raised and
              resolved. Two facts near in time, not a cause. Times are UTC.
            </p>
          </div>
        </div>
      ) : (
        <SiteHeader site={site} current="timeline" />
      )}
      {props.outcome === null ? null : <Outcome outcome={props.outcome} now={shell.now} />}
      <details class="sure" open={broken}>
        <summary class="btn">Add an annotation</summary>
        <div class="ways">
          {broken ? (
            <Callout tone="failing" role="alert">
              <p>Nothing was added. What to change stands at each field.</p>
            </Callout>
          ) : null}
          <AddForm
            site={site?.asset ?? null}
            sites={form.sites}
            values={form.values}
            errors={form.errors}
            now={shell.now}
          />
        </div>
      </details>
      <div class="filters">
        {site === null ? <SiteFilter view={view} sites={form.sites} /> : null}
        <a href="#from-ci">How CI posts here</a>
      </div>
      {view.query.before === null ? props.upcoming : null}
      <TimelineLog view={view} refused={props.refused} now={shell.now} />
      <Block heading="Post from CI" id="from-ci">
        <SendingFromCi destination={props.destination} />
      </Block>
    </Page>
  );
}

/** A refresh tells what is new since the page was opened, where new entries can show: on the first page of days that reach today. */
function askOf({ query, seen }: TimelineView): string | undefined {
  return query.before === null && query.to === null ? timelineHref(query, { seen }) : undefined;
}

function Outcome(props: {
  readonly outcome: NonNullable<TimelinePageProps["outcome"]>;
  readonly now: number;
}) {
  const { created, entry } = props.outcome;
  return (
    <Callout tone={created ? "working" : undefined} role="status">
      <p>
        {created ? "Added: " : "It was there already, and nothing was added: "}
        <Mark kind={entry.kind} /> {WORDS[entry.kind][1]} <Code>{entry.ref}</Code>,{" "}
        {entry.asset === EVERY_SITE ? "all sites" : <Told class="wrap">{entry.asset}</Told>},{" "}
        <Moment at={entry.atMs} now={props.now} /> UTC.
      </p>
    </Callout>
  );
}

/** Chooses one site by its identifier. Kind and range stay as they are. */
function SiteFilter({ view, sites }: { readonly view: TimelineView; readonly sites: readonly string[] }) {
  const { query } = view;
  const { asset } = query;
  const outside = asset !== null && asset !== EVERY_SITE && !sites.includes(asset) ? [asset] : [];
  return (
    <form method="get" action={timelinePath(null)} class="search" role="search">
      <label class="vh" for="t-filter">
        Site
      </label>
      <select id="t-filter" name="asset">
        <option value="">Every site</option>
        <Options
          chosen={asset ?? ""}
          choices={[
            [EVERY_SITE, "Only entries for all sites"] as const,
            ...[...outside, ...sites].map((id) => [id, id] as const),
          ]}
        />
      </select>
      <Kept search={timelineAddress.search({ ...query, asset: null, before: null })} />
      <button class="btn">Show</button>
    </form>
  );
}
