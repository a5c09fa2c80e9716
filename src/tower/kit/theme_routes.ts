import { themeOf } from "../keyboard.tsx";
import { ownPath, paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import type { DoorDeps } from "../settings/sign_in.tsx";
import { THEME_COOKIE } from "../shell_for.ts";
import { door, mounted } from "./route.ts";

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
