import { Elysia } from "elysia";
import { EVERY_SITE, findAnnotation, type PostDeps, postAnnotation } from "../../annotations/mod.ts";
import { hasAsset, listAllAssets } from "../../assets/mod.ts";
import type { Db } from "../../db/mod.ts";
import { Problem } from "../../platform/problem.ts";
import { readForm } from "../form.ts";
import type { Safe } from "../jsx/safe.ts";
import type { PageDeps } from "../page_deps.ts";
import { htmlFragment, htmlPage, seeOther } from "../respond.ts";
import type { Destination } from "../sending/commands.ts";
import { NOTE_LENGTH_PATH, NoteLength } from "./add_form.tsx";
import { TimelineLog } from "./log.tsx";
import { type EntryErrors, type EntryValues, entryValues, freshEntry, judgeEntry } from "./new_entry.ts";
import { TimelinePage } from "./page.tsx";
import { type TimelineQuery, timelinePath, timelineQuery } from "./query.ts";
import { readTimeline } from "./view.ts";

/** What the Timeline's routes need. */
export interface TimelineDeps extends PageDeps, PostDeps {
  readonly db: Db;
  readonly destinationOf: (asset: string) => Destination;
  /** The top of a site's pages with the tab Timeline chosen. Throws a `Problem` when there is no such site. */
  readonly siteHeader: (asset: string) => Safe;
}

/** `/timeline` and `/sites/{asset}/timeline`: reading by GET, adding by a form's POST to the same address. */
export function timelineRoutes(deps: TimelineDeps) {
  return new Elysia({ name: "timeline" })
    .get("/timeline", ({ request }) => show(deps, request, null))
    .get("/sites/:asset/timeline", ({ request, params: { asset } }) => show(deps, request, asset))
    .post("/timeline", ({ request }) => add(deps, request, null), { parse: "none" })
    .post("/sites/:asset/timeline", ({ request, params: { asset } }) => add(deps, request, asset), {
      parse: "none",
    })
    .post(
      NOTE_LENGTH_PATH,
      async ({ request }) => {
        deps.access.page(request);
        return htmlFragment(request, <NoteLength note={entryValues(await readForm(request)).note} />);
      },
      { parse: "none" },
    );
}

function show(deps: TimelineDeps, request: Request, site: string | null): Response {
  const actor = deps.access.page(request);
  if (site !== null) assertKnown(deps.db, site);
  const params = new URL(request.url).searchParams;
  const query = timelineQuery(site, params);
  const now = deps.clock.now();
  if (params.get("part") === "log") {
    const view = readTimeline(deps.db, query, now, params.get("seen") ?? undefined);
    return htmlFragment(request, <TimelineLog view={view} now={now} />);
  }
  return htmlPage(
    request,
    page(deps, request, actor, query, { values: freshEntry(chosen(query), now), errors: {} }),
  );
}

/** The site that a fresh form starts with: that of the page, else none, so that nothing lands on all sites by accident. */
function chosen(query: TimelineQuery): string {
  return query.site ?? query.asset ?? "";
}

function page(
  deps: TimelineDeps,
  request: Request,
  actor: ReturnType<TimelineDeps["access"]["page"]>,
  query: TimelineQuery,
  form: { readonly values: EntryValues; readonly errors: EntryErrors },
): Safe {
  const sites = query.site === null ? listAllAssets(deps.db).map(({ id }) => id) : [];
  const shell = deps.shellFor(request, actor);
  return (
    <TimelinePage
      shell={shell}
      siteHeader={query.site === null ? null : deps.siteHeader(query.site)}
      view={readTimeline(deps.db, query, shell.now)}
      form={{ sites, ...form }}
      outcome={outcomeOf(deps.db, new URL(request.url).searchParams)}
      destination={deps.destinationOf(query.site ?? query.asset ?? sites[0] ?? EVERY_SITE)}
    />
  );
}

/** What the form before did; the address carries only an id, so that nobody can write words onto a page. */
function outcomeOf(db: Db, params: URLSearchParams) {
  for (const [name, created] of [
    ["added", true],
    ["there", false],
  ] as const) {
    const entry = findAnnotation(db, params.get(name) ?? "");
    if (entry !== undefined) return { created, entry };
  }
  return null;
}

async function add(deps: TimelineDeps, request: Request, site: string | null): Promise<Response> {
  const actor = deps.access.page(request);
  if (site !== null) assertKnown(deps.db, site);
  const values = entryValues(await readForm(request));
  const now = deps.clock.now();
  const judged = judgeEntry(values, now, (asset) =>
    site === null ? hasAsset(deps.db, asset) : asset === site,
  );
  if ("errors" in judged) {
    const query = timelineQuery(site, new URLSearchParams());
    return htmlPage(request, page(deps, request, actor, query, { values, errors: judged.errors }), {
      status: 422,
    });
  }
  const { stored, created } = await postAnnotation(deps, judged.entry, actor.name);
  return seeOther(
    `${timelinePath(site)}?${new URLSearchParams({ [created ? "added" : "there"]: stored.id })}`,
  );
}

function assertKnown(db: Db, asset: string): void {
  if (!hasAsset(db, asset)) throw new Problem("not-found", "No such site.");
}
