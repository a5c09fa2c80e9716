/** What calendars have for the next 60 days. */

import { readContract } from "../../base/contract.ts";
import { Problem } from "../../base/problem.ts";
import { utcDayOf } from "../../base/time.ts";
import {
  type PostDeps,
  postAnnotation,
  type RetractResult,
  restoreAnnotation,
  retractAnnotation,
} from "../../sites/annotation_acts.ts";
import { EVERY_SITE, retractSchema } from "../../sites/annotation_schema.ts";
import { findAnnotation } from "../../sites/annotations.ts";
import { type ListedOccurrence, listUpcoming } from "../../sites/calendars.ts";
import { hasAsset, listAllAssets } from "../../sites/sites.ts";
import type { Db } from "../../store/store.ts";
import { refusedFields } from "../form.ts";
import type { Safe } from "../jsx/safe.ts";
import { type Done, type PageDeps, withNotice } from "../keyboard.tsx";
import { Block } from "../kit/block.tsx";
import { here } from "../kit/here.ts";
import { Told } from "../kit/links.tsx";
import { Day, Moment } from "../kit/proof.tsx";
import {
  get,
  type Moment as MomentOfRoute,
  mounted,
  post,
  type SignedInActor,
  type Visit,
} from "../kit/route.ts";
import type { SiteHead } from "../kit/site_state.tsx";
import { ownPath, paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import type { Destination } from "../site/ways.tsx";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import {
  type EntryErrors,
  type EntryValues,
  entryValues,
  freshEntry,
  judgeEntry,
  NoteLength,
  type TimelineQuery,
  timelineHref,
  timelineQuery,
} from "./add_form.tsx";
import { readTimeline } from "./flag_days.ts";
import { TimelinePage, type TimelinePageProps } from "./sending.tsx";
import type { RefusedStrike } from "./strike.tsx";

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

/** What the Timeline's routes need. */

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
      const result = await restoreAnnotation(deps.writer, id, { ...by, name: actor.name });
      return struckAnswer(result, id, form, "entry-put-back");
    }),
    post(paths.noteLength, { form: { read: entryValues } }, ({ form, part }) =>
      part(<NoteLength note={form.note} />),
    ),
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
  const result = await retractAnnotation(deps.writer, params.id, why, { ...by, name: actor.name });
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
  { found: site, search, now }: Asked,
  query: TimelineQuery,
  form: { readonly values: EntryValues; readonly errors: EntryErrors },
  outcome: TimelinePageProps["outcome"],
  refused: RefusedStrike | null = null,
): Safe {
  const sites = site === null ? listAllAssets(deps.db).map(({ id }) => id) : [];
  return (
    <TimelinePage
      site={site}
      view={readTimeline(deps.db, query, now, search.get("seen") ?? undefined)}
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
