/** Who may see the Wall: whoever is signed in, and a screen that was opened with a link. */
import type { Actor } from "../../platform/access.ts";
import type { Clock } from "../../platform/clock.ts";
import { Detour } from "../../platform/problem.ts";
import type { WallLinkBook } from "../../wall_links/mod.ts";
import { routesBehind } from "../kit/route.ts";
import { htmlPage, isRefresh, seeOther } from "../respond.ts";
import type { Sessions } from "../session.ts";
import type { Shell } from "../shell.ts";
import { wallCookie, wallTokenOf } from "./link_cookie.ts";
import { TurnedAway } from "./turned_away.tsx";

export interface WallGateDeps {
  readonly sessions: Sessions;
  readonly wallLinks: WallLinkBook;
  readonly clock: Clock;
  readonly shellFor: (request: Request, actor: Actor | null) => Shell;
}

/** Who looks: an operator, or nobody by name. */
export interface Looker {
  readonly actor: Actor | null;
}

/** The parameter of an address that holds a link's token (`paths.wallOpenedBy`), until it stands in a cookie. */
const LINK_PARAM = "link";

export const wall = routesBehind({
  enter: (request, deps: WallGateDeps): Looker => {
    takeLink(request, deps);
    const found = deps.sessions.find(request);
    if (found !== undefined) return { actor: found.actor };
    const token = wallTokenOf(request);
    const link = token === undefined ? undefined : deps.wallLinks.find(token);
    if (link === undefined) throw turnedAway(request, deps, token !== undefined);
    deps.wallLinks.noteUse(link, deps.clock.now());
    return { actor: null };
  },
});

/** A link's token goes into a cookie and out of the address: it is to stand in no history and no Referer. A proxy's log has this one request. */
function takeLink(request: Request, deps: WallGateDeps): void {
  const url = new URL(request.url);
  const token = url.searchParams.get(LINK_PARAM);
  if (token === null) return;
  if (deps.wallLinks.find(token) === undefined) throw turnedAway(request, deps, true);
  url.searchParams.delete(LINK_PARAM);
  const answer = seeOther(`${url.pathname}${url.search}`);
  answer.headers.append("set-cookie", wallCookie(token, request, deps.sessions.transport(request)));
  throw new Detour(answer);
}

/**
 * The answer to who may not see it. A person without a link goes to the sign-in page; a screen is told what is the matter, and stays
 * where it is: there is nobody in front of it who could sign in.
 */
function turnedAway(request: Request, deps: WallGateDeps, hadLink: boolean): Detour {
  if (!hadLink && !isRefresh(request)) {
    deps.sessions.page(request);
  }
  const shell = deps.shellFor(request, null);
  return new Detour(htmlPage(request, TurnedAway({ shell, hadLink }), { status: 401 }));
}
