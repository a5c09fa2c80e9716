import type { SiteTokenBook } from "../assets/mod.ts";
import type { ApiTokenBook } from "../operators/mod.ts";
import type { Actor } from "../platform/access.ts";
import type { Clock } from "../platform/clock.ts";
import { Problem } from "../platform/problem.ts";
import { bearerToken, TOKEN_REFUSALS, unauthenticated } from "../platform/receive.ts";

/** What posting is refused for where no browser can sign in. */
export const ANNOTATION_TOKEN_REFUSALS = [...TOKEN_REFUSALS, "insufficient-scope"] as const;

/** Who may post where no browser can sign in. */
export interface AnnotationTokens {
  readonly apiTokens: ApiTokenBook;
  readonly siteTokens: SiteTokenBook;
  readonly clock: Clock;
}

/** The operator whose token has the scope `annotations`. Throws a `Problem`; a site's own token is known, but does not cover this. */
export function authorizeAnnotationToken(request: Request, tokens: AnnotationTokens): Actor {
  const token = bearerToken(request);
  if (token === undefined) throw unauthenticated();
  const known = tokens.apiTokens.find(token);
  if (known === undefined) {
    if (tokens.siteTokens.find(token) === undefined) throw unauthenticated();
    throw new Problem(
      "insufficient-scope",
      "A site's token sends reports; annotations need an operator's token.",
    );
  }
  if (!known.scopes.includes("annotations")) {
    throw new Problem("insufficient-scope", "The token needs the scope annotations.");
  }
  tokens.apiTokens.noteUse(known, tokens.clock.now());
  return { name: known.operator, id: `token:${known.id}` };
}
