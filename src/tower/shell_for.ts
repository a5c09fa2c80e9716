import type { Db } from "../db/mod.ts";
import { countOpenBySeverity } from "../flags/mod.ts";
import type { Actor } from "../platform/access.ts";
import type { Clock } from "../platform/clock.ts";
import { cookieOf, takeNotice } from "./cookies.ts";
import { NAV, type PageAssets, type Shell, themeOf } from "./shell.ts";

/** The name of the theme's cookie. */
export const THEME_COOKIE = "theme";

/** Makes the shell of a page from the request: theme, place, notice and the count of open flags. */
export function shellMaker(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly assets: PageAssets;
  readonly version: string;
}): (request: Request, actor: Actor | null) => Shell {
  return (request, actor) => {
    const url = new URL(request.url);
    const open = actor === null ? 0 : countOpenBySeverity(deps.db).reduce((sum, { count }) => sum + count, 0);
    return {
      assets: deps.assets,
      theme: themeOf(cookieOf(request, THEME_COOKIE)),
      nav: NAV.map((item) => (item.id === "flags" ? { ...item, count: open } : item)),
      operator: actor?.name ?? null,
      now: deps.clock.now(),
      version: deps.version,
      here: `${url.pathname}${url.search}`,
      dayRule: null,
      notice: takeNotice(request),
    };
  };
}
