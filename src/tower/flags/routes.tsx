import { Elysia } from "elysia";
import type { Db } from "../../db/mod.ts";
import type { ChainedFlag, FlagRow } from "../../flags/mod.ts";
import type { Actor } from "../../platform/access.ts";
import { Problem } from "../../platform/problem.ts";
import type { PageDeps } from "../page_deps.ts";
import { htmlFragment, htmlPage, isHtmx } from "../respond.ts";
import { siteHead } from "../site_head.ts";
import type { ArticleProps } from "./article.tsx";
import { bulkWords } from "./bulk.tsx";
import { FlagsPage, FlagsParts, SiteFlagsPage } from "./page.tsx";
import { INBOX_PLACE, type InboxQuery, inboxQuery, type ListPlace, sitePlace } from "./query.ts";
import type { Draft, Told } from "./told.ts";
import {
  type AnnotationsNear,
  openedOf,
  readInbox,
  readOpened,
  readStanding,
  type Standing,
} from "./view.ts";

/** What the flag pages need. */
export interface FlagPagesDeps extends PageDeps {
  readonly db: Db;
  readonly annotationsNear: AnnotationsNear;
  /** How many flags chance alone would raise, as a sentence; left out where it is not known. */
  readonly chance?: (() => string | undefined) | undefined;
  /** Where the thresholds of a flag's rule are tuned; undefined where they cannot be. */
  readonly tuneHref?: ((row: FlagRow) => string | undefined) | undefined;
  /** The service's own site is not one that an operator added. */
  readonly config: { readonly serviceAsset: string };
}

/** `/flags`, `/flags/{id}` and the tab `/sites/{asset}/flags`. `?part=list` is what the list asks for every minute. */
export function flagPages(deps: FlagPagesDeps) {
  return new Elysia({ name: "flag-pages" })
    .get("/flags", ({ request }) => {
      const actor = deps.access.page(request);
      return listAnswer(deps, request, actor, INBOX_PLACE);
    })
    .get("/sites/:asset/flags", ({ request, params: { asset } }) => {
      const actor = deps.access.page(request);
      siteHead(deps.db, asset);
      return listAnswer(deps, request, actor, sitePlace(asset));
    })
    .get("/flags/:id", ({ request, params: { id } }) => {
      const actor = deps.access.page(request);
      const flag = readOpened(deps.db, id, deps.annotationsNear);
      if (flag === undefined) throw new Problem("not-found", "No such flag.");
      return openedAnswer(deps, request, actor, { row: flag.row });
    });
}

/** Reads why there are no flags. */
export function standingOf(
  deps: Pick<FlagPagesDeps, "config" | "clock">,
): (db: Db, site: string | undefined) => Standing {
  return (db, site) => readStanding(db, site, deps.config.serviceAsset, deps.clock.now());
}

function listAnswer(deps: FlagPagesDeps, request: Request, actor: Actor, place: ListPlace): Response {
  const now = deps.clock.now();
  const params = new URL(request.url).searchParams;
  const view = readInbox(deps.db, place, inboxQuery(params), now, standingOf(deps));
  const chance = deps.chance?.();
  if (params.get("part") === "list" && isHtmx(request)) {
    return htmlFragment(
      request,
      <FlagsParts view={view} now={now} chance={chance} current={undefined} asked="list" />,
    );
  }
  const words = bulkWords(params.get("told"));
  const told = words === undefined ? undefined : <p>{words}</p>;
  const shell = deps.shellFor(request, actor);
  if (place.site !== null) {
    return htmlPage(
      request,
      <SiteFlagsPage shell={shell} view={view} told={told} site={siteHead(deps.db, place.site)} />,
    );
  }
  return htmlPage(request, <FlagsPage shell={shell} view={view} chance={chance} told={told} />);
}

/** A flag with what stands around it. */
export function articleOf(deps: FlagPagesDeps, row: ChainedFlag, query: InboxQuery): ArticleProps {
  return {
    flag: openedOf(deps.db, row, deps.annotationsNear),
    query,
    now: deps.clock.now(),
    tuneHref: deps.tuneHref?.(row),
  };
}

/** A flag as it is shown after an act or when it is opened: the whole page, or its parts for htmx. */
export function openedAnswer(
  deps: FlagPagesDeps,
  request: Request,
  actor: Actor,
  shown: {
    readonly row: ChainedFlag;
    readonly told?: Told | undefined;
    readonly draft?: Draft | undefined;
    readonly status?: number;
    /** Whether an act was made, so that htmx gets the flag and the list together. */
    readonly acted?: boolean;
  },
): Response {
  const now = deps.clock.now();
  const params = new URL(request.url).searchParams;
  const query = inboxQuery(params);
  const view = readInbox(deps.db, INBOX_PLACE, query, now, standingOf(deps));
  const opened: ArticleProps = {
    ...articleOf(deps, shown.row, query),
    told: shown.told,
    draft: shown.draft,
    opened: params.get("act") ?? undefined,
  };
  const chance = deps.chance?.();
  const status = shown.status ?? 200;
  if (isHtmx(request) && params.get("part") === "list") {
    return htmlFragment(
      request,
      <FlagsParts view={view} now={now} chance={chance} current={shown.row} asked="list" />,
    );
  }
  if (isHtmx(request) && shown.acted === true) {
    const parts = { view, now, chance, opened, current: shown.row, asked: "flag" } as const;
    return htmlFragment(request, <FlagsParts {...parts} />, { status });
  }
  const shell = deps.shellFor(request, actor);
  const words = bulkWords(params.get("told"));
  const told = words === undefined ? undefined : <p>{words}</p>;
  return htmlPage(
    request,
    <FlagsPage shell={shell} view={view} chance={chance} opened={opened} told={told} />,
    { status },
  );
}
