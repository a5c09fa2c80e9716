import { Problem } from "../../platform/problem.ts";
import {
  LONGEST_NAME,
  linkNameOf,
  listWallLinks,
  makeWallLink,
  NameTaken,
  revokeWallLink,
  type WallLinkBook,
} from "../../wall_links/mod.ts";
import type { Refused } from "../component/field.tsx";
import { confirmed } from "../confirm/confirmed_form.tsx";
import { withNotice } from "../cookies.ts";
import { typedInto } from "../form.ts";
import type { FreshTokens } from "../fresh_tokens.ts";
import { own } from "../kit/gates.ts";
import { mounted } from "../kit/route.ts";
import type { Visit } from "../kit/visit.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../respond.ts";
import type { SignedIn } from "../session.ts";
import type { DoorDeps } from "../sign_in/let_in.ts";
import { WallLinksPage } from "./links_page.tsx";

/** What the page of the links needs. */
export interface WallLinkRouteDeps extends DoorDeps {
  readonly wallLinks: WallLinkBook;
  readonly freshTokens: FreshTokens;
  readonly config: { readonly tower: { readonly publicUrl: string | undefined } };
}

type LinksVisit = Pick<
  Visit<SignedIn, unknown, unknown, unknown, unknown>,
  "request" | "shell" | "who" | "now" | "page"
>;

/** `/settings/wall`: make and revoke links to the Wall. */
export function wallLinkRoutes(deps: WallLinkRouteDeps) {
  const { post } = confirmed();
  return mounted(deps, [
    own.get(paths.wallLinks, {}, (visit) => page(deps, visit)),
    post(paths.wallLinks, {}, async (visit) => {
      const { name: typed } = typedInto(visit.form, { name: "" });
      const refused = (name: string) => page(deps, visit, { values: { name: typed }, errors: { name } });
      const name = linkNameOf(typed);
      if (name === undefined)
        return refused(`A name is words on one line, at most ${LONGEST_NAME} characters.`);
      try {
        const { token } = await makeWallLink(deps, name, visit.by);
        deps.freshTokens.keep(visit.who, { kind: "wall", name, token }, visit.now);
      } catch (error) {
        if (error instanceof NameTaken)
          return refused("There is a link of this name. Revoke it first, or choose another.");
        throw error;
      }
      return seeOther(paths.wallLinks);
    }),
    post(paths.revokeWallLink, {}, async ({ params: { id }, by }) => {
      if (await revokeWallLink(deps, id, by))
        return seeOther(withNotice(paths.wallLinks, "wall-link-revoked"));
      throw new Problem("not-found", "No such link is in force; it may have been revoked before.");
    }),
  ]);
}

function page(
  deps: WallLinkRouteDeps,
  { request, shell, who, now, page: answer }: LinksVisit,
  filled: { readonly values: { readonly name: string }; readonly errors: Refused } = {
    values: { name: "" },
    errors: {},
  },
): Response {
  const { store, wallLinks, freshTokens, config } = deps;
  const scheme = deps.sessions.transport(request) === "https" ? "https" : "http";
  const here = `${scheme}://${request.headers.get("host") ?? new URL(request.url).host}`;
  const base = config.tower.publicUrl ?? here;
  const issued = freshTokens.list(who, ["wall"], now);
  const links = listWallLinks(store.db).map((link) => ({
    id: link.id,
    name: link.name,
    issued: { at: link.createdAt, by: link.createdBy },
    lastUsedAt: wallLinks.lastUse(link, link.lastUsedAt),
  }));
  return answer(
    <WallLinksPage
      shell={shell}
      links={links}
      issued={issued}
      addressOf={(token) => new URL(paths.wallOpenedBy(token), base).href}
      isOnlyHere={config.tower.publicUrl === undefined && deps.sessions.transport(request) === "loopback"}
      filled={filled}
    />,
    { status: filled.errors["name"] === undefined ? 200 : 422, noStore: issued.length > 0 },
  );
}
