/**
 * `/timeline` and the tab of a site: reading, adding an annotation, striking one, and how CI posts the same.
 *
 * Reading: the address (`add_form.tsx`) → `read_timeline.ts` → the page here: what is to come, `log.tsx` with its picture
 * and its days (`day.tsx`).
 * Adding: the form (`add_form.tsx`) → `judgeEntry` → the store of annotations → back to the page, which says what was done.
 * Begin with `timelineRoutes`.
 */

import { readContract } from "../../base/contract.ts";
import { Problem } from "../../base/problem.ts";
import { utcDayOf } from "../../base/time.ts";
import { EVERY_SITE, retractSchema } from "../../sites/annotation_schema.ts";
import {
  findAnnotation,
  type PostDeps,
  postAnnotation,
  putRetraction,
  type RetractResult,
  type StoredAnnotation,
} from "../../sites/annotations.ts";
import { type ListedOccurrence, listUpcoming } from "../../sites/calendars.ts";
import { hasAsset, listAllAssets } from "../../sites/sites.ts";
import type { Db } from "../../store/store.ts";
import { refusedFields } from "../form.ts";
import { formatMoment } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import type { Safe } from "../jsx/safe.ts";
import { type Done, type PageDeps, withNotice } from "../keyboard.tsx";
import { Mark, ANNOTATION_KINDS as WORDS } from "../kit/chart_marks.tsx";
import { Choice, Copy, Kept, SearchForm } from "../kit/field.tsx";
import { here } from "../kit/here.ts";
import { Code, FiltersOn, Told } from "../kit/links.tsx";
import { Block } from "../kit/list.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Day, Moment } from "../kit/proof.tsx";
import {
  get,
  type Moment as MomentOfRoute,
  mounted,
  post,
  type SignedInActor,
  type Visit,
} from "../kit/route.ts";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page } from "../layout.tsx";
import { ownPath, paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { curlLines, type Destination } from "../site/ways.tsx";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import {
  AddForm,
  type AddFormProps,
  type EntryErrors,
  type EntryValues,
  entryValues,
  freshEntry,
  judgeEntry,
  sinceOf,
  type TimelineQuery,
  timelineAddress,
  timelineHref,
  timelinePath,
  timelineQuery,
} from "./add_form.tsx";
import type { RefusedStrike } from "./day.tsx";
import { TimelineLog } from "./log.tsx";
import { readTimeline, type TimelineView } from "./read_timeline.ts";

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

interface TimelinePageProps {
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
function TimelinePage(props: TimelinePageProps) {
  const { now } = here();
  const { view, form, site } = props;
  const since = sinceOf(view.query);
  const broken = Object.values(form.errors).some((error) => error !== undefined);
  return (
    <Page
      title={site === null ? "Timeline" : siteTitle(site, "timeline")}
      current={site === null ? "timeline" : "sites"}
    >
      {site === null ? (
        <div class="head">
          <div>
            <h1>Timeline</h1>
            <p>Changes from CI, calendars and people, beside the flags. Near in time is no cause.</p>
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
              <p>Nothing was added. Check the highlighted fields.</p>
            </Callout>
          ) : null}
          <AddForm site={site?.asset ?? null} sites={form.sites} values={form.values} errors={form.errors} />
        </div>
      </details>
      <div class="filters">
        <SearchForm
          action={timelinePath(view.query.site)}
          words="Search changes"
          value={view.query.q}
          keep={timelineAddress.search({ ...view.query, q: "", before: null })}
        />
        {site === null ? <SiteFilter view={view} sites={form.sites} /> : null}
        <a href="#from-ci">How CI posts here</a>
      </div>
      <FiltersOn
        filters={[
          { name: "Search", value: view.query.q || null, href: without(view, { q: "" }) },
          {
            name: "Site",
            value: view.query.asset === EVERY_SITE ? "all sites" : view.query.asset,
            href: without(view, { asset: null }),
          },
          {
            name: "New since",
            value: since === undefined ? null : formatMoment(since, now),
            href: without(view, { since: null }),
          },
        ]}
      />
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
              an ingest address (<code>INGEST_HOST</code> and <code>INGEST_PUBLIC_URL</code>), and it appears
              here.
            </p>
          ) : null}
        </div>
      </Block>
    </Page>
  );
}

const without = ({ query }: TimelineView, filter: Partial<TimelineQuery>): string =>
  timelineHref({ ...query, ...filter, before: null });

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
    <form method="get" action={timelinePath(null)} class="search">
      <label class="vh" for="t-filter">
        Site
      </label>
      <Choice
        id="t-filter"
        name="asset"
        chosen={asset ?? ""}
        choices={[
          ["", "Every site"],
          [EVERY_SITE, "Only entries for all sites"],
          ...[...outside, ...sites].map((id) => [id, id] as const),
        ]}
      />
      <Kept search={timelineAddress.search({ ...query, asset: null, before: null })} />
      <button class="btn">Show</button>
    </form>
  );
}

/** Shown at once, and in all. */
const [FIRST, MOST] = [4, 60];

/** A block above the log; nothing where nothing is to come. `site` is null on the timeline of all sites. */
function Upcoming({ site, db }: { db: Db; site: string | null }) {
  const { now } = here();
  const events = listUpcoming(db, site, now);
  if (events.length === 0) return null;
  const more = events.slice(FIRST, MOST);
  return (
    <Block id="upcoming" heading="Upcoming" note={<a href={paths.calendars}>from calendars</a>}>
      <UpcomingList events={events.slice(0, FIRST)} site={site} />
      {more.length === 0 ? null : (
        <details>
          <summary>{`Show ${more.length} more${events.length > MOST ? ` of ${events.length}` : ""}`}</summary>
          <UpcomingList events={more} site={site} />
        </details>
      )}
    </Block>
  );
}

interface ListProps {
  readonly events: readonly ListedOccurrence[];
  /** On the page of a site it need not be said. */
  readonly site: string | null;
}

export function UpcomingList({ events, site }: ListProps) {
  return (
    <ul class="upcoming">
      {events.map(({ at, isAllDay, title, asset }) => (
        <li>
          {isAllDay ? <Day day={utcDayOf(at)} /> : <Moment at={at} />}{" "}
          <Told class="wrap">{title ?? "Busy"}</Told>{" "}
          {asset === site ? null : <small>{asset === EVERY_SITE ? "All sites" : asset}</small>}
        </li>
      ))}
    </ul>
  );
}

interface TimelineDeps extends PageDeps, PostDeps, SiteHeadDeps {
  readonly destinationOf: (asset: string) => Destination;
}

/** The site a Timeline is of is found; null on that of all sites. */
type Asked = Visit<SignedInActor, unknown, URLSearchParams, URLSearchParams, SiteHead | null>;

/** `/timeline` and `/sites/{asset}/timeline`: reading by GET, adding by a form's POST to the same address. */
export function timelineRoutes(deps: TimelineDeps) {
  const everySite = { find: () => null };
  const oneSite = {
    find: ({ asset }: { readonly asset: string }, at: MomentOfRoute) => siteHead(deps, asset, at),
  };
  return mounted(deps, [
    get(paths.timeline, everySite, (visit) => show(deps, visit)),
    get(paths.siteTimeline, oneSite, (visit) => show(deps, visit)),
    post(paths.timeline, everySite, (visit) => add(deps, visit)),
    post(paths.siteTimeline, oneSite, (visit) => add(deps, visit)),
    post(paths.strike, {}, (visit) => strike(deps, visit)),
    post(paths.unstrike, {}, async ({ params: { id }, form, by, actor }) => {
      const result = await deps.writer.write((tx) =>
        putRetraction(tx, id, { struck: 0, reason: null }, { ...by, name: actor.name }),
      );
      return struckAnswer(result, id, form, "entry-put-back");
    }),
  ]);
}

/** An entry is struck on whichever Timeline it stands. */
type Striking = Visit<SignedInActor, { readonly id: string }, URLSearchParams, URLSearchParams, unknown>;

function show(deps: TimelineDeps, visit: Asked): Safe {
  const { found: site, search, now } = visit;
  const query = timelineQuery(site?.asset ?? null, search);
  const values = freshEntry(query.site ?? query.asset ?? "", now);
  return page(deps, visit, query, { values, errors: {} }, outcomeOf(deps.db, search));
}

async function add(deps: TimelineDeps, visit: Asked): Promise<Response> {
  const { form, now, actor } = visit;
  const site = visit.found?.asset ?? null;
  const values = entryValues(form);
  const judged = judgeEntry(values, now, (asset) =>
    site === null ? hasAsset(deps.db, asset) : asset === site,
  );
  if ("errors" in judged) {
    const query = timelineQuery(site, new URLSearchParams());
    return visit.page(page(deps, visit, query, { values, errors: judged.errors }, null), {
      status: 422,
    });
  }
  const { stored, created } = await postAnnotation(deps, judged.entry, actor.name);
  return seeOther(timelineHref({ site }, { [created ? "added" : "there"]: stored.id }));
}

/** Strikes an entry; a reason that breaks the contract is shown again where it was typed. */
async function strike(deps: TimelineDeps, visit: Striking): Promise<Response> {
  const { params, form, by, actor } = visit;
  const reason = (form.get("reason") ?? "").trim();
  const judged = readContract(retractSchema(), reason === "" ? {} : { reason });
  if (!judged.ok) {
    const { reason: error = "" } = refusedFields(judged.errors);
    const query = timelineQuery(null, new URL(backOf(form), "http://tower.invalid").searchParams);
    const values = freshEntry(query.asset ?? "", visit.now);
    const refused = { id: params.id, reason, error };
    const asked = { ...visit, found: null };
    return visit.page(page(deps, asked, query, { values, errors: {} }, null, refused), { status: 422 });
  }
  const { reason: why = null } = judged.value;
  const result = await deps.writer.write((tx) =>
    putRetraction(tx, params.id, { struck: 1, reason: why }, { ...by, name: actor.name }),
  );
  return struckAnswer(result, params.id, form, "entry-struck");
}

/** Back to the Timeline the form stood on, at the entry. */
function struckAnswer(result: RetractResult, id: string, form: URLSearchParams, done: Done): Response {
  if (result === "missing") throw new Problem("not-found", "There is no such entry.");
  return seeOther(`${withNotice(backOf(form), done)}#entry-${id}`);
}

/** The Timeline the form stood on; the Timeline itself where it says none. */
function backOf(form: URLSearchParams): string {
  const back = ownPath(form.get("back"));
  return back === paths.portfolio ? paths.timeline : back;
}

function page(
  deps: TimelineDeps,
  { found: site, now }: Asked,
  query: TimelineQuery,
  form: { readonly values: EntryValues; readonly errors: EntryErrors },
  outcome: TimelinePageProps["outcome"],
  refused: RefusedStrike | null = null,
): Safe {
  const sites = site === null ? listAllAssets(deps.db).map(({ id }) => id) : [];
  return (
    <TimelinePage
      site={site}
      view={readTimeline(deps.db, query, now, here().shell.lastVisit)}
      upcoming={<Upcoming db={deps.db} site={query.site} />}
      form={{ sites, ...form }}
      outcome={outcome}
      refused={refused}
      destination={deps.destinationOf(query.site ?? query.asset ?? sites[0] ?? EVERY_SITE)}
    />
  );
}

/** What the form before did; the address carries only an id, so that nobody can write words onto a page. */
function outcomeOf(db: Db, search: URLSearchParams): TimelinePageProps["outcome"] {
  for (const [name, created] of [
    ["added", true],
    ["there", false],
  ] as const) {
    const id = search.get(name);
    const entry = id === null ? undefined : findAnnotation(db, id);
    if (entry !== undefined) return { created, entry };
  }
  return null;
}
