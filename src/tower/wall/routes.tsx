import { mounted } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { wallAddress } from "./address.ts";
import { type WallGateDeps, wall } from "./gate.ts";
import { WallPage } from "./page.tsx";
import { readWall, type WallReadDeps } from "./read.ts";

/** `/wall`. */
export function wallRoutes(deps: WallGateDeps & WallReadDeps) {
  return mounted(deps, [
    wall.get(paths.wall, { query: wallAddress }, ({ request, query, actor, now }) => (
      <WallPage
        // There is no frame around it that would count what is open.
        shell={deps.shellFor(request, null)}
        facts={readWall(deps, request, query, now)}
        query={query}
        isOperator={actor !== null}
      />
    )),
  ]);
}
