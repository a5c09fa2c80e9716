import { findChainedFlag } from "../../flags/mod.ts";
import { Problem } from "../../platform/problem.ts";
import { get, mounted } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../respond.ts";
import { siteHead } from "../site_head.ts";
import { type FlagPagesDeps, type FlagVisit, inboxOf, openedAnswer, tuneHref } from "./answer.tsx";
import { chanceWords } from "./chance_words.ts";
import { readOutcome } from "./outcome.ts";
import { FlagsPage } from "./page.tsx";
import { INBOX_PLACE, inboxAddress, sitePlace } from "./query.ts";

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
      shell={visit.shell}
      view={view}
      site={site ?? undefined}
      chance={site === null ? chance : undefined}
      outcome={readOutcome(deps.db, search.get("told"))}
    />
  );
}
