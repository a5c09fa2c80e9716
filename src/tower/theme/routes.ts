import { Elysia } from "elysia";
import { DOOR_BYTES, readForm } from "../form.ts";
import { ownPath } from "../own_path.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../respond.ts";
import type { Sessions } from "../session.ts";
import { themeOf } from "../shell.ts";
import { THEME_COOKIE } from "../shell_for.ts";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** `POST /theme`: keeps the look in a cookie, signed in or not. */
export function themeRoutes({ sessions }: { readonly sessions: Sessions }) {
  return new Elysia({ name: "theme" }).post(
    paths.theme,
    async ({ request }) => {
      sessions.assertOwnOrigin(request);
      const form = await readForm(request, DOOR_BYTES);
      const response = seeOther(ownPath(form.get("to")));
      const cookie = new Bun.Cookie(THEME_COOKIE, themeOf(form.get("theme") ?? undefined), {
        path: "/",
        httpOnly: true,
        sameSite: "strict",
        secure: sessions.transport(request) === "https",
        maxAge: YEAR_SECONDS,
      });
      response.headers.append("set-cookie", cookie.serialize());
      return response;
    },
    { parse: "none" },
  );
}
