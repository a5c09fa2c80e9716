/** What a flag's pages and its acts answer with: the opened flag beside the list it was found in. */
import type { Db } from "../../db/mod.ts";
import { type ChainedFlag, type FlagRow, tallyInbox } from "../../flags/mod.ts";
import { ruleOf } from "../../rules/mod.ts";
import { flagTally } from "../kit/once.ts";
import type { SignedInActor } from "../kit/route.ts";
import type { Visit } from "../kit/visit.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { isHtmx } from "../respond.ts";
import type { ArticleProps } from "./article.tsx";
import { bulkWords } from "./bulk.tsx";
import { chanceWords } from "./chance_words.ts";
import { FlagsPage, FlagsParts } from "./page.tsx";
import { INBOX_PLACE, type InboxQuery, type ListPlace } from "./query.ts";
import type { ActNotice, Draft } from "./told.ts";
import { type InboxView, openedOf, readInbox, readWhyEmpty } from "./view.ts";

/** What the flag pages need. */
export interface FlagPagesDeps extends PageDeps {
  readonly db: Db;
  /** The service's own site is not one that an operator added. */
  readonly config: { readonly serviceAsset: string };
}

/** A request about flags, with the inbox its address names. */
export type FlagVisit = Omit<Visit<SignedInActor, unknown, InboxQuery, URLSearchParams, unknown>, "found">;

/** A flag to be shown, and what came of an act on it. */
export interface Shown {
  readonly row: ChainedFlag;
  readonly told?: ActNotice | undefined;
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
  return readInbox(db, place, query, now, {
    whyEmpty: (site) => readWhyEmpty(db, site, config.serviceAsset, now),
    tally: (site) => (site === undefined ? flagTally(request, db, now) : tallyInbox(db, now, site)),
  });
}

/** A flag with what stands around it. */
export function articleOf(deps: FlagPagesDeps, row: ChainedFlag, { query, now }: FlagVisit): ArticleProps {
  return { flag: openedOf(deps.db, row), query, now, tuneHref: tuneHref(row) };
}

/** A flag as it is shown after an act or when it is opened: the whole page, or its parts for htmx. */
export function openedAnswer(deps: FlagPagesDeps, visit: FlagVisit, shown: Shown): Response {
  const { request, now, search } = visit;
  const { row, status = 200, acted = false } = shown;
  const view = inboxOf(deps, INBOX_PLACE, visit);
  const parts = { view, now, chance: chanceWords(deps.db, now), current: row };
  const opened: ArticleProps = {
    ...articleOf(deps, row, visit),
    told: shown.told,
    draft: shown.draft,
    opened: search.get("act") ?? undefined,
  };
  if (acted && isHtmx(request)) {
    return visit.part(<FlagsParts {...parts} opened={opened} asked="flag" />, { status });
  }
  const words = bulkWords(search.get("told"));
  const told = words === undefined ? undefined : <p>{words}</p>;
  return visit.page(
    <FlagsPage shell={visit.shell} view={view} chance={parts.chance} opened={opened} told={told} />,
    { status },
  );
}
