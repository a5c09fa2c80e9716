/** Who may ask: what routes need to know about operators and tokens, without knowing how sessions work. */

/** What an operator API token may be scoped to. */
export type Scope = "annotations" | "ledger" | "health:read" | "read";

/** Who acts. */
export interface Actor {
  /** The operator's name. */
  readonly name: string;
  /** For the audit: `operator:<name>` or `token:<key id>`. */
  readonly id: string;
}

/** What `Access.api` refuses a reading for. */
export const READ_REFUSALS = ["unauthenticated", "insufficient-scope"] as const;
/** What it refuses an act for: one that a browser sent must come from our own pages. */
export const ACT_REFUSALS = [...READ_REFUSALS, "cross-origin"] as const;

/** The checks before a route does anything. */
export interface Access {
  /**
   * The signed-in operator of a page or an act. On an unsafe method the request must come from our own pages. Throws a
   * `Problem`, or a `Detour` to the sign-in page.
   */
  page(request: Request): Actor;
  /** A signed-in operator, or a token whose scope covers the route. Throws a `Problem`. */
  api(request: Request, scope: Scope): Actor;
}
