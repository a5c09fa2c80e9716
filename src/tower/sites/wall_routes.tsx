/** Who may see the Wall: whoever is signed in, and a screen that was opened with a link. */

import type { Actor } from "../../access/access.ts";
import { ResponseThrown } from "../../base/problem.ts";
import type { PageGround } from "../ground.ts";
import { Glyph } from "../kit/glyph.tsx";
import { within } from "../kit/here.ts";
import { hereOf, mounted, routesBehind } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { hostOf, htmlPage, isRefresh, seeOther, type Transport } from "../session.ts";
import { readWall, WallDocument, WallPage, wallAddress } from "./wall.tsx";

/**
 * The cookie of a screen that was opened with a link: it comes back to the Wall alone, and opens nothing else. Lax, since a link may
 * be followed from mail; it only reads.
 */

/** The longest that browsers keep a cookie, in seconds: 400 days. Whoever opens the link again has it anew. */
const LIFE_S = 400 * 24 * 60 * 60;

/** A cookie goes to every port of its host, so it is named after the port that is asked. */
function nameFor(request: Request): string {
  return `tower_wall${/:(\d+)$/.exec(hostOf(request))?.[1] ?? ""}`;
}

/** The token of the link that a request carries. */
function wallTokenOf(request: Request): string | undefined {
  const header = request.headers.get("cookie");
  return header === null ? undefined : (new Bun.CookieMap(header).get(nameFor(request)) ?? undefined);
}

/** The `Set-Cookie` of a link. */
function wallCookie(token: string, request: Request, transport: Transport): string {
  return new Bun.Cookie(nameFor(request), token, {
    path: paths.wall,
    httpOnly: true,
    sameSite: "lax",
    secure: transport === "https",
    maxAge: LIFE_S,
  }).serialize();
}

/** What a screen says that may not see the Wall, or no longer. `data-why` is what an open Wall says of itself (`public/wall.js`). */

function TurnedAway({ hadLink }: { readonly hadLink: boolean }) {
  return (
    <WallDocument theme={null} title="Wall, signed out">
      <main class="tiles none">
        <h1>
          <Glyph name="s-disconnected" />
          <span data-why>
            {hadLink
              ? "This screen is signed out: its link does not work any more."
              : "This screen is signed out: its session is over."}
          </span>
        </h1>
        <p>
          An operator makes a new link in Tower under Settings, Kiosk links. This screen shows the Wall again
          once it was opened with that.
        </p>
      </main>
    </WallDocument>
  );
}

/** Who looks: an operator, or nobody by name. */
interface Looker {
  readonly actor: Actor | null;
}

/** The parameter of an address that holds a link's token (`paths.wallOpenedBy`), until it stands in a cookie. */
const LINK_PARAM = "link";

const wall = routesBehind({
  enter: (request, deps: PageGround): Looker => {
    takeLink(request, deps);
    const found = deps.sessions.find(request);
    if (found !== undefined) return { actor: found.actor };
    const token = wallTokenOf(request);
    const link = token === undefined ? undefined : deps.kioskTokens.find(token);
    if (link === undefined) throw turnedAway(request, deps, token !== undefined);
    deps.kioskTokens.noteUse(link, deps.clock.now());
    return { actor: null };
  },
});

/** A link's token goes into a cookie and out of the address: it is to stand in no history and no Referer. A proxy's log has this one request. */
function takeLink(request: Request, deps: PageGround): void {
  const url = new URL(request.url);
  const token = url.searchParams.get(LINK_PARAM);
  if (token === null) return;
  if (deps.kioskTokens.find(token) === undefined) throw turnedAway(request, deps, true);
  url.searchParams.delete(LINK_PARAM);
  const answer = seeOther(`${url.pathname}${url.search}`);
  answer.headers.append("set-cookie", wallCookie(token, request, deps.sessions.transport(request)));
  throw new ResponseThrown(answer);
}

/**
 * The answer to who may not see it. A person without a link goes to the sign-in page; a screen is told what is the matter, and stays
 * where it is: there is nobody in front of it who could sign in.
 */
function turnedAway(request: Request, deps: PageGround, hadLink: boolean): ResponseThrown {
  if (!hadLink && !isRefresh(request)) {
    deps.sessions.page(request);
  }
  return within(
    hereOf(request, deps, null),
    () => new ResponseThrown(htmlPage(request, <TurnedAway hadLink={hadLink} />, { status: 401 })),
  );
}

/** `/wall`. */

export function wallRoutes(deps: PageGround) {
  return mounted(deps, [
    wall.get(paths.wall, { query: wallAddress }, ({ request, query, actor, now }) => (
      <WallPage facts={readWall(deps, request, query, now)} query={query} isOperator={actor !== null} />
    )),
  ]);
}
