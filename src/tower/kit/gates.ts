/** The gates beside that of a signed-in operator. The one that asks for the password again is `confirm/confirmed_form.tsx`. */
import { DOOR_BYTES } from "../form.ts";
import type { Sessions, SignedIn } from "../session.ts";
import { routesBehind } from "./route.ts";

/** The pages before signing in: nobody is asked who they are, but a form must come from our own pages. */
export const door = routesBehind({
  form: { maxBytes: DOOR_BYTES },
  enter: (request, { sessions }: { readonly sessions: Sessions }): { readonly actor: null } => {
    sessions.assertOwnOrigin(request);
    return { actor: null };
  },
});

/** Whoever is signed in, with their session where there is one. */
export const own = routesBehind({
  enter: (request, { sessions }: { readonly sessions: Sessions }): SignedIn => sessions.signedIn(request),
});
