import { EVERY_SITE, findAnnotation, type PostDeps, postAnnotation } from "../../annotations/mod.ts";
import { hasAsset, listAllAssets } from "../../assets/mod.ts";
import type { Db } from "../../db/mod.ts";
import { Problem } from "../../platform/problem.ts";
import type { Safe } from "../jsx/safe.ts";
import { get, mounted, post, type SignedInActor } from "../kit/route.ts";
import type { Visit } from "../kit/visit.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../respond.ts";
import type { Destination } from "../sending/commands.ts";
import type { Shell } from "../shell.ts";
import { NoteLength } from "./add_form.tsx";
import { TimelineLog } from "./log.tsx";
import { type EntryErrors, type EntryValues, entryValues, freshEntry, judgeEntry } from "./new_entry.ts";
import { TimelinePage, type TimelinePageProps } from "./page.tsx";
import { type TimelineQuery, timelineHref, timelineQuery } from "./query.ts";
import { readTimeline } from "./view.ts";

/** What the Timeline's routes need. */
export interface TimelineDeps extends PageDeps, PostDeps {
  readonly db: Db;
  readonly destinationOf: (asset: string) => Destination;
  /** The top of a site's pages with the tab Timeline chosen. Throws a `Problem` when there is no such site. */
  readonly siteHeader: (asset: string) => Safe;
}

/** The site a Timeline is of; null on that of all sites. */
type Asked = Visit<SignedInActor, unknown, URLSearchParams, URLSearchParams, string | null>;

/** `/timeline` and `/sites/{asset}/timeline`: reading by GET, adding by a form's POST to the same address. */
export function timelineRoutes(deps: TimelineDeps) {
  const everySite = { find: () => null };
  const oneSite = {
    find: ({ asset }: { readonly asset: string }) => {
      if (!hasAsset(deps.db, asset)) throw new Problem("not-found", "No such site.");
      return asset;
    },
  };
  return mounted(deps, [
    get(paths.timeline, everySite, (visit) => show(deps, visit)),
    get(paths.siteTimeline, oneSite, (visit) => show(deps, visit)),
    post(paths.timeline, everySite, (visit) => add(deps, visit)),
    post(paths.siteTimeline, oneSite, (visit) => add(deps, visit)),
    post(paths.noteLength, { form: { read: entryValues } }, ({ form, part }) =>
      part(<NoteLength note={form.note} />),
    ),
  ]);
}

function show(deps: TimelineDeps, visit: Asked): Safe | Response {
  const { found: site, search, now } = visit;
  const query = timelineQuery(site, search);
  if (search.get("part") === "log") {
    const view = readTimeline(deps.db, query, now, search.get("seen") ?? undefined);
    return visit.part(<TimelineLog view={view} now={now} />);
  }
  const values = freshEntry(query.site ?? query.asset ?? "", now);
  return page(deps, visit.shell, query, { values, errors: {} }, outcomeOf(deps.db, search));
}

async function add(deps: TimelineDeps, visit: Asked): Promise<Response> {
  const { found: site, form, now, actor } = visit;
  const values = entryValues(form);
  const judged = judgeEntry(values, now, (asset) =>
    site === null ? hasAsset(deps.db, asset) : asset === site,
  );
  if ("errors" in judged) {
    const query = timelineQuery(site, new URLSearchParams());
    return visit.page(page(deps, visit.shell, query, { values, errors: judged.errors }, null), {
      status: 422,
    });
  }
  const { stored, created } = await postAnnotation(deps, judged.entry, actor.name);
  return seeOther(timelineHref({ site }, { [created ? "added" : "there"]: stored.id }));
}

function page(
  deps: TimelineDeps,
  shell: Shell,
  query: TimelineQuery,
  form: { readonly values: EntryValues; readonly errors: EntryErrors },
  outcome: TimelinePageProps["outcome"],
): Safe {
  const sites = query.site === null ? listAllAssets(deps.db).map(({ id }) => id) : [];
  return (
    <TimelinePage
      shell={shell}
      siteHeader={query.site === null ? null : deps.siteHeader(query.site)}
      view={readTimeline(deps.db, query, shell.now)}
      form={{ sites, ...form }}
      outcome={outcome}
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
    const entry = findAnnotation(db, search.get(name) ?? "");
    if (entry !== undefined) return { created, entry };
  }
  return null;
}
