import {
  EVERY_SITE,
  findAnnotation,
  type PostDeps,
  postAnnotation,
  type StrikeResult,
  strikeAnnotation,
  strikeSchema,
  unstrikeAnnotation,
} from "../../annotations/mod.ts";
import { hasAsset, listAllAssets } from "../../assets/mod.ts";
import type { Db } from "../../db/mod.ts";
import { readContract } from "../../lib/contract.ts";
import { Problem } from "../../platform/problem.ts";
import type { SiteHead } from "../component/site_header.tsx";
import { type Done, withNotice } from "../cookies.ts";
import { refusedFields } from "../form.ts";
import type { Safe } from "../jsx/safe.ts";
import { get, type Moment, mounted, post, type SignedInActor } from "../kit/route.ts";
import type { Visit } from "../kit/visit.ts";
import { ownPath } from "../own_path.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../respond.ts";
import type { Destination } from "../sending/commands.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import { NoteLength } from "./add_form.tsx";
import { type EntryErrors, type EntryValues, entryValues, freshEntry, judgeEntry } from "./new_entry.ts";
import { TimelinePage, type TimelinePageProps } from "./page.tsx";
import { type TimelineQuery, timelineHref, timelineQuery } from "./query.ts";
import type { RefusedStrike } from "./strike.tsx";
import { Upcoming } from "./upcoming.tsx";
import { readTimeline } from "./view.ts";

/** What the Timeline's routes need. */
export interface TimelineDeps extends PageDeps, PostDeps, SiteHeadDeps {
  readonly destinationOf: (asset: string) => Destination;
}

/** The site a Timeline is of is found; null on that of all sites. */
type Asked = Visit<SignedInActor, unknown, URLSearchParams, URLSearchParams, SiteHead | null>;

/** `/timeline` and `/sites/{asset}/timeline`: reading by GET, adding by a form's POST to the same address. */
export function timelineRoutes(deps: TimelineDeps) {
  const everySite = { find: () => null };
  const oneSite = {
    find: ({ asset }: { readonly asset: string }, at: Moment) => siteHead(deps, asset, at),
  };
  return mounted(deps, [
    get(paths.timeline, everySite, (visit) => show(deps, visit)),
    get(paths.siteTimeline, oneSite, (visit) => show(deps, visit)),
    post(paths.timeline, everySite, (visit) => add(deps, visit)),
    post(paths.siteTimeline, oneSite, (visit) => add(deps, visit)),
    post(paths.strike, {}, (visit) => strike(deps, visit)),
    post(paths.unstrike, {}, async ({ params: { id }, form, by, actor }) => {
      const result = await unstrikeAnnotation(deps.writer, id, { ...by, name: actor.name });
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
  const judged = readContract(strikeSchema(), reason === "" ? {} : { reason });
  if (!judged.ok) {
    const { reason: error = "" } = refusedFields(judged.errors);
    const query = timelineQuery(null, new URL(backOf(form), "http://tower.invalid").searchParams);
    const values = freshEntry(query.asset ?? "", visit.now);
    const refused = { id: params.id, reason, error };
    const asked = { ...visit, found: null };
    return visit.page(page(deps, asked, query, { values, errors: {} }, null, refused), { status: 422 });
  }
  const { reason: why = null } = judged.value;
  const result = await strikeAnnotation(deps.writer, params.id, why, { ...by, name: actor.name });
  return struckAnswer(result, params.id, form, "entry-struck");
}

/** Back to the Timeline the form stood on, at the entry. */
function struckAnswer(result: StrikeResult, id: string, form: URLSearchParams, done: Done): Response {
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
  { found: site, shell, search, now }: Asked,
  query: TimelineQuery,
  form: { readonly values: EntryValues; readonly errors: EntryErrors },
  outcome: TimelinePageProps["outcome"],
  refused: RefusedStrike | null = null,
): Safe {
  const sites = site === null ? listAllAssets(deps.db).map(({ id }) => id) : [];
  return (
    <TimelinePage
      shell={shell}
      site={site}
      view={readTimeline(deps.db, query, now, search.get("seen") ?? undefined)}
      upcoming={<Upcoming db={deps.db} site={query.site} now={shell.now} />}
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
