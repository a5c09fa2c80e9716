import type { Db } from "../db/mod.ts";
import { openIn } from "../flags/mod.ts";
import { countMonitoringFailures } from "../monitoring/mod.ts";
import type { Actor } from "../platform/access.ts";
import type { Clock } from "../platform/clock.ts";
import { cookieOf, takeNotice } from "./cookies.ts";
import { dayRuleOf } from "./day_marks.ts";
import { flagTally, lastHeard, momentOf } from "./kit/once.ts";
import { isUnsafe } from "./origin.ts";
import { NAV, type PageAssets, type Shell, themeOf } from "./shell.ts";

/** The name of the theme's cookie. */
export const THEME_COOKIE = "theme";

/** What cannot be read must not take the pages away, System health least of all. */
function unwatchedCount(db: Db): number | "unknown" {
  try {
    return countMonitoringFailures(db)
      .values()
      .reduce((sum, failures) => sum + failures, 0);
  } catch {
    return "unknown";
  }
}

/** Makes the shell of a page from the request: theme, place, notice and the count of open flags. */
export function shellMaker(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly assets: PageAssets;
  readonly version: string;
  readonly isSample: boolean;
  /** What the operator must know about the service itself. */
  readonly warnings?: () => readonly string[];
}): (request: Request, actor: Actor | null) => Shell {
  return (request, actor) => {
    const url = new URL(request.url);
    const now = momentOf(request, deps.clock);
    const open = actor === null ? 0 : openIn(flagTally(request, deps.db, now));
    return {
      assets: deps.assets,
      theme: themeOf(cookieOf(request, THEME_COOKIE)),
      nav: NAV.map((item) => (item.id === "flags" ? { ...item, count: open } : item)),
      operator: actor?.name ?? null,
      now,
      version: deps.version,
      isSample: deps.isSample,
      here: `${url.pathname}${url.search}`,
      dayRule: actor === null ? null : dayRuleOf(lastHeard(request, deps.db, now), now),
      answersForm: isUnsafe(request.method),
      notice: takeNotice(request),
      unwatched: actor === null ? null : unwatchedCount(deps.db),
      warnings: actor === null ? [] : (deps.warnings?.() ?? []),
    };
  };
}
