/** Days the heading of the flags looks back on. */

import { Problem } from "../../base/problem.ts";
import { countWords as countOf } from "../../base/text.ts";
import { addDays, utcDayOf } from "../../base/time.ts";
import type { ChainedFlag, FlagRow } from "../../flags/flags.ts";
import { NOTHING_OPEN } from "../../flags/inbox.ts";
import { findChainedFlag, listHeld } from "../../flags/queries.ts";
import { sumTallies } from "../../rules/tally.ts";
import { ruleOf, STALE_INGEST } from "../../sites/rule_catalogue.ts";
import type { Db } from "../../store/store.ts";
import { formatDecimal } from "../format.ts";
import type { PageDeps } from "../keyboard.tsx";
import {
  flagTally,
  get,
  mounted,
  type SignedInActor,
  siteTallies,
  unwatched,
  unwatchedOf,
  type Visit,
} from "../kit/route.ts";
import { paths } from "../paths.ts";
import { isHtmx, seeOther } from "../session.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import type { ArticleProps } from "./article.tsx";
import { FlagsPage, FlagsParts } from "./head.tsx";
import { type Draft, type Outcome, readOutcome } from "./outcome.ts";
import {
  concernsRules,
  INBOX_PLACE,
  type InboxQuery,
  type InboxView,
  inboxAddress,
  type ListPlace,
  openedOf,
  readInbox,
  readWhyEmpty,
  sitePlace,
} from "./why_empty.ts";

const CHANCE_DAYS = 30;

/** How many flags chance alone would raise, as a sentence; undefined while no test has run. */
export function chanceWords(db: Db, now: number): string | undefined {
  const { tests, raised, expected } = sumTallies(db, addDays(utcDayOf(now), 1 - CHANCE_DAYS));
  if (tests === 0) return undefined;
  return `Flow rules, ${CHANCE_DAYS} days: ${countOf(tests, "test")}, ${countOf(raised, "flag")}, about ${formatDecimal(expected)} expected by chance.`;
}

/** What a flag's pages and its acts answer with: the opened flag beside the list it was found in. */

/** What the flag pages need. */
export interface FlagPagesDeps extends PageDeps, SiteHeadDeps {}

/** A request about flags, with the inbox its address names. */
export type FlagVisit = Omit<Visit<SignedInActor, unknown, InboxQuery, URLSearchParams, unknown>, "found">;

/** A flag to be shown, and what came of an act on it. */
interface Shown {
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
function tuneHref(row: FlagRow): string | undefined {
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
  return { flag: openedOf(deps.db, row, now), query, tuneHref: tuneHref(row) };
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
  return visit.page(<FlagsPage view={view} chance={parts.chance} opened={opened} outcome={outcome} />, {
    status,
  });
}

/** `/flags`, `/flags/{id}` and the tab `/sites/{asset}/flags`. */

export function flagPages(deps: FlagPagesDeps) {
  const query = inboxAddress;
  return mounted(deps, [
    get(paths.flags, { query, find: () => null }, (visit) => listAnswer(deps, visit)),
    get(paths.siteFlags, { query, find: ({ asset }, at) => siteHead(deps, asset, at) }, (visit) =>
      listAnswer(deps, visit),
    ),
    get(paths.flag, { query }, (visit) => {
      const row = findChainedFlag(deps.db, visit.params.id);
      if (row === undefined) throw new Problem("not-found", "No such flag.");
      // The key t on a row of the list, which does not know whether its rule is tuned.
      const tune = visit.search.get("act") === "tune" ? tuneHref(row) : undefined;
      return tune === undefined ? openedAnswer(deps, visit, { row }) : seeOther(tune);
    }),
  ]);
}

/** The inbox, or the list of the site that was found. */
function listAnswer(
  deps: FlagPagesDeps,
  visit: FlagVisit & { readonly found: ReturnType<typeof siteHead> | null },
) {
  const { found: site, now, search } = visit;
  const view = inboxOf(deps, site === null ? INBOX_PLACE : sitePlace(site.asset), visit);
  const chance = chanceWords(deps.db, now);
  return (
    <FlagsPage
      view={view}
      site={site ?? undefined}
      chance={site === null ? chance : undefined}
      outcome={readOutcome(deps.db, search.get("told"))}
    />
  );
}
