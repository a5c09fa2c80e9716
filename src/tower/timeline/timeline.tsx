/**
 * `/timeline` and the tab of a site: reading, adding an annotation, striking one, and how CI posts the same.
 *
 * Reading: the address (`add_form.tsx`) → `readTimeline` (`day.tsx`) → the page here, with its days.
 * Adding: the form (`add_form.tsx`) → `judgeEntry` → the store of annotations → back to the page, which says what was done.
 * Begin with `timelineRoutes`.
 */

import { readContract } from "../../base/contract.ts";
import { Problem } from "../../base/problem.ts";
import { formatInstant, utcDayOf } from "../../base/time.ts";
import {
  ANNOTATION_KINDS,
  EVERY_SITE,
  postAnnotation,
  putRetraction,
  type RetractResult,
  retractSchema,
} from "../../sites/annotations.ts";
import { hasAsset, listSites } from "../../sites/sites.ts";
import { formatDay, formatMoment } from "../format.ts";
import type { PageGround } from "../ground.ts";
import type { Child, Safe } from "../jsx/jsx-runtime.ts";
import { type Done, withNotice } from "../keyboard.tsx";
import { Filters } from "../kit/address.tsx";
import { Mark, ANNOTATION_KINDS as WORDS } from "../kit/chart_marks.tsx";
import { Choice, Copy, Kept, RefusedNote, SearchForm } from "../kit/field.tsx";
import { here } from "../kit/here.ts";
import { Chips, Go, SEVERITIES, Segments, type Severity, SeverityMark, Steps } from "../kit/links.tsx";
import { Block, EarlierPager, Empty } from "../kit/list.tsx";
import {
  get,
  type Moment as MomentOfRoute,
  mounted,
  post,
  refusedFields,
  type SignedInActor,
  type Visit,
} from "../kit/route.ts";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page } from "../layout.tsx";
import { ownPath, paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { curlLines, type Destination } from "../site/ways.tsx";
import { siteHead } from "../site_head.ts";
import {
  AddForm,
  annotationKindOf,
  type Entry,
  FLAG_TURNS,
  flagTurnsOf,
  freshEntry,
  judgeEntry,
  stepsOf,
  TIMELINE_RANGES,
  type TimelineQuery,
  timelineAddress,
  timelineHref,
  timelinePath,
  timelineQuery,
} from "./add_form.tsx";
import { Day, readTimeline, type TimelineView } from "./day.tsx";

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
  readonly sites: readonly string[];
  readonly form: Entry;
  readonly destination: Destination;
}

/** The Timeline: of all sites, or of one as a tab of its pages. */
function TimelinePage(props: TimelinePageProps) {
  const { view, form, site, sites } = props;
  const broken = Object.keys(form.errors).length > 0;
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
      <details class="sure" open={broken}>
        <summary class="btn">Add an annotation</summary>
        <div class="ways">
          <RefusedNote errors={form.errors} words="Nothing was added. Check the highlighted fields." />
          <AddForm site={site?.asset ?? null} sites={sites} {...form} />
        </div>
      </details>
      <div class="filters">
        <SearchForm
          action={timelinePath(view.query.site)}
          words="Search changes"
          value={view.query.q}
          keep={timelineAddress.search({ ...view.query, q: "", page: 1 })}
        />
        {site === null ? <SiteFilter view={view} sites={sites} /> : null}
        <a href="#from-ci">How CI posts here</a>
      </div>
      <Filters
        path={timelinePath(view.query.site)}
        address={timelineAddress}
        query={view.query}
        words={{ q: "Search", asset: "Site", since: "New since" }}
      />
      <TimelineLog view={view} />
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
      <Kept search={timelineAddress.search({ ...query, asset: null, page: 1 })} />
      <button class="btn">Show</button>
    </form>
  );
}

/** The site a Timeline is of is found; null on that of all sites. */
type Asked = Visit<SignedInActor, unknown, URLSearchParams, URLSearchParams, SiteHead | null>;

/** `/timeline` and `/sites/{asset}/timeline`: reading by GET, adding by a form's POST to the same address. */
export function timelineRoutes(deps: PageGround) {
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

function show(deps: PageGround, visit: Asked): Safe {
  const { found: site, search, now } = visit;
  const query = timelineQuery(site?.asset ?? null, search);
  return page(deps, visit, query, freshEntry(query.site ?? query.asset ?? "", now));
}

async function add(deps: PageGround, visit: Asked): Promise<Response> {
  const { form, now, actor } = visit;
  const site = visit.found?.asset ?? null;
  const judged = judgeEntry(form, now, (asset) =>
    site === null ? hasAsset(deps.db, asset) : asset === site,
  );
  if ("errors" in judged) {
    const query = timelineQuery(site, new URLSearchParams());
    return visit.page(page(deps, visit, query, judged), { status: 422 });
  }
  const { stored, created } = await postAnnotation(deps, judged.entry, actor.name);
  const day = utcDayOf(stored.atMs);
  const shown = timelineHref({ site, to: day < utcDayOf(now) ? day : null });
  return seeOther(`${withNotice(shown, created ? "entry-added" : "entry-there")}#entry-${stored.id}`);
}

async function strike(deps: PageGround, { params: { id }, form, by, actor }: Striking): Promise<Response> {
  const reason = (form.get("reason") ?? "").trim();
  const judged = readContract(retractSchema(), reason === "" ? {} : { reason });
  if (!judged.ok)
    throw new Problem("malformed-query", `The reason: ${refusedFields(judged.errors)["reason"]}`);
  const { reason: why = null } = judged.value;
  const result = await deps.writer.write((tx) =>
    putRetraction(tx, id, { struck: 1, reason: why }, { ...by, name: actor.name }),
  );
  return struckAnswer(result, id, form, "entry-struck");
}

/** Back to the Timeline the form stood on, at the entry. */
function struckAnswer(result: RetractResult, id: string, form: URLSearchParams, done: Done): Response {
  if (result === "missing") throw new Problem("not-found", "There is no such entry.");
  const back = ownPath(form.get("back"));
  return seeOther(`${withNotice(back === paths.portfolio ? paths.timeline : back, done)}#entry-${id}`);
}

function page(deps: PageGround, { found: site, now }: Asked, query: TimelineQuery, form: Entry): Safe {
  const sites = site === null ? listSites(deps.db).map(({ id }) => id) : [];
  return (
    <TimelinePage
      site={site}
      sites={sites}
      view={readTimeline(deps.db, query, now)}
      form={form}
      destination={deps.destinationOf(query.site ?? query.asset ?? sites[0] ?? EVERY_SITE)}
    />
  );
}

// The log of the Timeline: its days, its filters, and what stands in its place where it is empty.

/** A log without entries: because of a filter, or because nothing was noted in these days. */
function EmptyLog({ query }: TimelineView) {
  const isNarrowed = query.q !== "" || query.kind !== null || query.since !== null || query.page > 1;
  if (isNarrowed) {
    const { site, asset, range, to } = query;
    return (
      <Empty heading="No matching entries">
        <p>These days have no entry of this kind or with these words.</p>
        <Go to={timelineHref({ site, asset, range, to })} words="Remove the filters" />
      </Empty>
    );
  }
  return (
    <Empty heading="Nothing noted in these days">
      <p>Deploys, configuration changes and incidents appear here, and as letters under every chart.</p>
      <p>Let CI post each deploy, as shown below, or add an annotation by hand above.</p>
    </Empty>
  );
}

const RANGE_WORDS = { 7: "7 days", 30: "30 days", 90: "90 days", 365: "1 year" } as const;

/** The log of the days that are asked for. */
function TimelineLog({ view }: { view: TimelineView }) {
  const { now } = here();
  const { query, days, log, next } = view;
  const { earlier, later } = stepsOf(query, days, now);
  const chip = (kind: TimelineQuery["kind"], words: Child) => ({
    href: timelineHref({ ...query, kind, severity: null, page: 1 }),
    chosen: query.kind === kind,
    words,
  });
  const kinds = ANNOTATION_KINDS.map((kind) =>
    chip(
      kind,
      <>
        <span aria-hidden="true">
          <Mark kind={kind} />
        </span>
        {WORDS[kind][1]}
      </>,
    ),
  );
  const turns = flagTurnsOf({ ...query, kind: null }).map((turn) => chip(turn, TURN_WORDS[turn]));
  return (
    <Block
      id="log"
      heading={`${formatDay(days.from, now)} to ${formatDay(days.to, now)}`}
      tools={
        <>
          <Segments
            label="Range"
            choices={TIMELINE_RANGES.map((range) => ({
              words: RANGE_WORDS[range],
              href: timelineHref({ ...query, range, page: 1 }),
              chosen: range === query.range,
            }))}
          />
          <Steps
            bare
            what=" days"
            earlier={timelineHref(earlier)}
            later={later === null ? null : timelineHref(later)}
          />
        </>
      }
    >
      <div class="stack">
        <Chips
          label="Filter by kind"
          choices={[chip(null, "All"), ...kinds, ...turns, ...newsChips(query)]}
        />
        <SeverityChips query={query} />
        {log.length === 0 ? <EmptyLog {...view} /> : null}
        <div>
          {log.map((day) => (
            <Day
              day={day}
              site={query.site}
              back={timelineHref(query)}
              flagsAlone={annotationKindOf(query) === undefined}
            />
          ))}
        </div>
        <EarlierPager
          from={query.page === 1 ? null : query.page}
          next={next ?? undefined}
          href={(page) => timelineHref({ ...query, page: page ?? 1 })}
        />
      </div>
    </Block>
  );
}

/** What came since the visit before this one; it filters, and filters no more. */
function newsChips(query: TimelineQuery) {
  const { shell, now } = here();
  const { lastVisit } = shell;
  if (lastVisit === undefined) return [];
  const since = formatInstant(lastVisit);
  const chosen = query.since === since;
  return [
    {
      href: timelineHref({ ...query, since: chosen ? null : since, page: 1 }),
      chosen,
      words: (
        <span title={`Since your last visit, ${formatMoment(lastVisit, now)} UTC`}>New since last visit</span>
      ),
    },
  ];
}

const TURN_WORDS = { raised: "Flags raised", resolved: "Flags resolved" } as const;

/** Narrows flags to one severity, where flags are what is asked for. */
function SeverityChips({ query }: { query: TimelineQuery }) {
  if (!FLAG_TURNS.some((turn) => turn === query.kind)) return null;
  const chip = (severity: Severity | null, words: Child) => ({
    href: timelineHref({ ...query, severity, page: 1 }),
    chosen: query.severity === severity,
    words,
  });
  return (
    <Chips
      label="Filter by severity"
      choices={[
        chip(null, "Every severity"),
        ...SEVERITIES.map((severity) => chip(severity, <SeverityMark severity={severity} />)),
      ]}
    />
  );
}
