import { door } from "../kit/gates.ts";
import { mounted } from "../kit/route.ts";
import { ownPath } from "../own_path.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../respond.ts";
import { themeOf } from "../shell.ts";
import { THEME_COOKIE } from "../shell_for.ts";
import type { DoorDeps } from "../sign_in/let_in.ts";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** `POST /theme`: keeps the look in a cookie, signed in or not. */
export function themeRoutes(deps: DoorDeps) {
  return mounted(deps, [
    door.post(paths.theme, {}, ({ form, request }) => {
      const response = seeOther(ownPath(form.get("to")));
      const cookie = new Bun.Cookie(THEME_COOKIE, themeOf(form.get("theme") ?? undefined), {
        path: "/",
        httpOnly: true,
        sameSite: "strict",
        secure: deps.sessions.transport(request) === "https",
        maxAge: YEAR_SECONDS,
      });
      response.headers.append("set-cookie", cookie.serialize());
      return response;
    }),
  ]);
}
