/** What a flag's pages and its acts answer with: the opened flag beside the list it was found in. */
import { type ChainedFlag, type FlagRow, listHeld, NOTHING_OPEN } from "../../flags/mod.ts";
import { ruleOf, STALE_INGEST } from "../../rules/mod.ts";
import { flagTally, siteTallies, unwatched, unwatchedOf } from "../kit/once.ts";
import type { SignedInActor } from "../kit/route.ts";
import type { Visit } from "../kit/visit.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { isHtmx } from "../respond.ts";
import type { SiteHeadDeps } from "../site_head.ts";
import type { ArticleProps } from "./article.tsx";
import { chanceWords } from "./chance_words.ts";
import { type Outcome, readOutcome } from "./outcome.ts";
import { FlagsPage, FlagsParts } from "./page.tsx";
import { INBOX_PLACE, type InboxQuery, type ListPlace } from "./query.ts";
import type { Draft } from "./told.ts";
import { type InboxView, openedOf, readInbox } from "./view.ts";
import { concernsRules, readWhyEmpty } from "./why_empty.ts";

/** What the flag pages need. */
export interface FlagPagesDeps extends PageDeps, SiteHeadDeps {}

/** A request about flags, with the inbox its address names. */
export type FlagVisit = Omit<Visit<SignedInActor, unknown, InboxQuery, URLSearchParams, unknown>, "found">;

/** A flag to be shown, and what came of an act on it. */
export interface Shown {
  readonly row: ChainedFlag;
  /** Why the act was refused. */
  readonly refused?: string | undefined;
  readonly outcome?: Outcome | undefined;
  readonly draft?: Draft | undefined;
  readonly status?: number;
  /** Whether an act was made, so that htmx gets the flag and the list together. */
  readonly acted?: boolean;
}

/** Where the thresholds behind a flag are tuned; only rules with thresholds in the constants document have a place. */
export function tuneHref(row: FlagRow): string | undefined {
  return ruleOf(row.rule)?.isTunable === true ? paths.tuneFlag(row.id) : undefined;
}

/** Reads a list of flags, and why there are none. */
export function inboxOf({ db, config }: FlagPagesDeps, place: ListPlace, visit: FlagVisit): InboxView {
  const { request, query, now } = visit;
  const all = unwatched(request, db, now);
  const known =
    place.site === null
      ? all
      : [...all.filter(({ asset }) => asset === ""), ...unwatchedOf(request, db, place.site)];
  const failures = known.filter(concernsRules);
  return readInbox(db, place, query, now, {
    unwatched: failures,
    whyEmpty: (site) =>
      site !== undefined && isHeldSilent(db, config.serviceAsset, site)
        ? { state: "silent" }
        : readWhyEmpty(db, { site, except: config.serviceAsset }, failures, now),
    tally: (site) =>
      site === undefined
        ? flagTally(request, db, now)
        : { ...(siteTallies(request, db, now).get(site) ?? NOTHING_OPEN), sites: 1 },
  });
}

/** Whether the flag about a site's silence is open; on its empty list that is a snoozed one. */
const isHeldSilent = (db: FlagPagesDeps["db"], asset: string, subject: string): boolean =>
  listHeld(db, { rule: STALE_INGEST, asset, subject }).length > 0;

/** A flag with what stands around it. */
export function articleOf(deps: FlagPagesDeps, row: ChainedFlag, { query, now }: FlagVisit): ArticleProps {
  return { flag: openedOf(deps.db, row, now), query, now, tuneHref: tuneHref(row) };
}

/** A flag as it is shown after an act or when it is opened: the whole page, or its parts for htmx. */
export function openedAnswer(deps: FlagPagesDeps, visit: FlagVisit, shown: Shown): Response {
  const { request, now, search } = visit;
  const { row, status = 200, acted = false } = shown;
  const view = inboxOf(deps, INBOX_PLACE, visit);
  const article = articleOf(deps, row, visit);
  const parts = { view, now, chance: chanceWords(deps.db, now), current: article.flag.row };
  const opened: ArticleProps = {
    ...article,
    refused: shown.refused,
    focus:
      shown.outcome !== undefined && shown.outcome.kind === "made" && shown.outcome.act !== "acknowledge",
    draft: shown.draft,
    opened: search.get("act") ?? undefined,
  };
  if (acted && isHtmx(request)) {
    const made = shown.outcome ?? null;
    const outcome =
      made?.kind === "made" && made.only !== undefined ? { ...made, only: article.flag.row } : made;
    return visit.part(<FlagsParts {...parts} opened={opened} outcome={outcome} asked="flag" />, { status });
  }
  const outcome = readOutcome(deps.db, search.get("told"));
  return visit.page(
    <FlagsPage shell={visit.shell} view={view} chance={parts.chance} opened={opened} outcome={outcome} />,
    { status },
  );
}
