/** How CI posts the same: a line of curl and a step of a workflow, with this installation's address and the site filled in. */

import { EVERY_SITE } from "../../sites/annotation_schema.ts";
import type { StoredAnnotation } from "../../sites/annotations.ts";
import type { Child } from "../jsx/child.ts";
import { Block } from "../kit/block.tsx";
import { Mark, ANNOTATION_KINDS as WORDS } from "../kit/chart_marks.tsx";
import { Options } from "../kit/field.tsx";
import { Code, Told } from "../kit/links.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Moment } from "../kit/proof.tsx";
import { Kept } from "../kit/search_form.tsx";
import { Copy } from "../kit/shown_once.tsx";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { curlLines, type Destination } from "../site/ways.tsx";
import { AddForm, type AddFormProps, timelineAddress, timelineHref, timelinePath } from "./add_form.tsx";
import type { TimelineView } from "./flag_days.ts";
import { TimelineLog } from "./log.tsx";
import type { RefusedStrike } from "./strike.tsx";

/** The commands that post an annotation, as text to be copied. The token stays in the environment. */

/** Quotes a value as a JSON string inside the single quotes of a shell. */
function jsonWord(value: string): string {
  return JSON.stringify(value).replaceAll("'", `'\\''`);
}

/** A call of curl. `ref` is what the shell puts in. Its retries send the same body, and so store it once. */
function call(destination: Pick<Destination, "asset" | "ingest">, ref: string): readonly string[] {
  const at = "$(date -u +%Y-%m-%dT%H:%M:%SZ)";
  return curlLines(
    {
      variable: "TOWER_TOKEN",
      options: "-sS --fail-with-body --retry 3 --retry-connrefused",
      address: `${destination.ingest}/api/annotations`,
    },
    [`-d '{"asset":${jsonWord(destination.asset)},"at":"'"${at}"'","kind":"deploy","ref":"'"${ref}"'"}'`],
  );
}

/** Posts a deploy of the checkout the shell stands in. */
export function annotationCommand(destination: Pick<Destination, "asset" | "ingest">): string {
  return call(destination, "$(git rev-parse HEAD)").join("\n");
}

/** The step of a repository's workflow, to stand after the one that deploys. */
export function annotationStep(destination: Pick<Destination, "asset" | "ingest">): string {
  return [
    "- name: Note the deploy on the timeline",
    "  env:",
    `    TOWER_TOKEN: ${["$", "{{ secrets.TOWER_TOKEN }}"].join("")}`,
    "  run: |",
    ...call(destination, "$GITHUB_SHA").map((line) => `    ${line}`),
  ].join("\n");
}

export interface TimelinePageProps {
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
  const { view, form, site } = props;
  const broken = Object.values(form.errors).some((error) => error !== undefined);
  return (
    <Page
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
      {props.outcome === null ? null : <Outcome outcome={props.outcome} />}
      <details class="sure" open={broken}>
        <summary class="btn">Add an annotation</summary>
        <div class="ways">
          {broken ? (
            <Callout tone="failing" role="alert">
              <p>Nothing was added. What to change stands at each field.</p>
            </Callout>
          ) : null}
          <AddForm site={site?.asset ?? null} sites={form.sites} values={form.values} errors={form.errors} />
        </div>
      </details>
      <div class="filters">
        {site === null ? <SiteFilter view={view} sites={form.sites} /> : null}
        <a href="#from-ci">How CI posts here</a>
      </div>
      {view.query.before === null ? props.upcoming : null}
      <TimelineLog view={view} refused={props.refused} />
      <Block heading="Post from CI" id="from-ci">
        <div class="ways">
          <p>
            The token is an operator's, with the scope <code>annotations</code>;{" "}
            <a href={paths.tokens}>Tokens</a> issues one. Keep it in the variable <code>TOWER_TOKEN</code>, in
            CI as a secret of that name. A post that is sent twice is stored once.
            {props.destination.asset === EVERY_SITE ? (
              <>
                {" "}
                The asset <code>*</code> stands for every site; put a site's identifier there for one.
              </>
            ) : null}
          </p>
          <h3>From a shell</h3>
          <Copy id="ci-curl" label="curl command" text={annotationCommand(props.destination)} />
          <h3>From a GitHub workflow</h3>
          <Copy id="ci-step" label="workflow step" text={annotationStep(props.destination)} />
          {props.destination.loopback ? (
            <p class="note">
              <code>{props.destination.ingest}</code> answers on this computer only. For CI elsewhere publish
              an ingest address (<code>INGEST_HOST</code> and <code>INGEST_PUBLIC_URL</code>); it then stands
              here.
            </p>
          ) : null}
        </div>
      </Block>
    </Page>
  );
}

/** A refresh tells what is new since the page was opened, where new entries can show: on the first page of days that reach today. */
function askOf({ query, seen }: TimelineView): string | undefined {
  return query.before === null && query.to === null ? timelineHref(query, { seen }) : undefined;
}

function Outcome({ outcome }: { outcome: NonNullable<TimelinePageProps["outcome"]> }) {
  const { created, entry } = outcome;
  return (
    <Callout tone={created ? "working" : undefined} role="status">
      <p>
        {created ? "Added: " : "It was there already, and nothing was added: "}
        <Mark kind={entry.kind} /> {WORDS[entry.kind][1]} <Code>{entry.ref}</Code>,{" "}
        {entry.asset === EVERY_SITE ? "all sites" : <Told class="wrap">{entry.asset}</Told>},{" "}
        <Moment at={entry.atMs} /> UTC.
      </p>
    </Callout>
  );
}

/** Chooses one site by its identifier. Kind and range stay as they are. */
function SiteFilter({ view, sites }: { view: TimelineView; sites: readonly string[] }) {
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
