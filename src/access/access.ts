/**
 * Room `access`: who may do what, and the record of what was done.
 *
 * - Signing in: `sign_in.ts` counts the guess (`throttle.ts`), checks the password (`passwords.ts`), opens a session (`sessions.ts`)
 *   and remembers the browser. A proxy may name the operator instead.
 * - The first operator comes in by a link that works once: `setup_link.ts`; operators themselves are in `operators.ts`.
 * - Tokens of programs and screens: `tokens.ts` issues, finds and revokes all kinds; `api_tokens.ts` are those of operators,
 *   `kiosk_tokens.ts` open the Wall and nothing else.
 * - Every act that changes something appends to the audit, a chain of keyed hashes: `audit.ts`.
 *
 * Begin with the interface `Access` below: it is all that routes know of this room; the pages implement it over the rest.
 */

import type { Endpoint, Filters, Json } from "../base/api_description.ts";
import type { ProblemCode } from "../base/problem.ts";
import { page, QUERY_REFUSALS } from "../base/query.ts";
import type { Core } from "../store/core.ts";
import type { Db } from "../store/store.ts";
import type { PasswordHasher } from "./passwords.ts";

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
   * `Problem`, or a `ResponseThrown` to the sign-in page.
   */
  page(request: Request): Actor;
  /** A signed-in operator, or a token whose scope covers the route. Throws a `Problem`. */
  api(request: Request, scope: Scope): Actor;
}

/** What a route that only reads works with; `authorizeRead` throws a `Problem`. */
export interface ReadDeps {
  readonly db: Db;
  readonly authorizeRead: (request: Request) => unknown;
}

/** A list of the read API as its route describes it: what all of them say alike stands here. */
export function listEndpoint<const Path extends string, F extends Filters>(of: {
  readonly id: string;
  readonly tag?: Endpoint["tag"];
  readonly path: Path;
  readonly summary: string;
  readonly description: string;
  readonly segments?: NonNullable<Endpoint["segments"]>;
  readonly filters: F;
  /** A row, and one as it may be answered. */
  readonly row: Json;
  readonly example: unknown;
  readonly shapes?: NonNullable<Endpoint["shapes"]>;
  /** What it refuses beside what every list does. */
  readonly refuses?: readonly ProblemCode[];
}) {
  const { tag = "Reading", row, example, refuses = [], ...rest } = of;
  const answer = {
    description: "One page, newest first.",
    shape: page(row),
    example: { items: [example], next: null },
  };
  return {
    ...rest,
    tag,
    method: "GET",
    listeners: ["tower"],
    open: "reader",
    answers: { 200: answer },
    refuses: [...READ_REFUSALS, ...refuses, ...QUERY_REFUSALS],
  } as const satisfies Endpoint;
}

/** What the acts of operators work with. */
export interface OperatorDeps extends Core {
  readonly passwords: PasswordHasher;
}

/** Who acts, and when (milliseconds since the epoch). */
export interface By {
  readonly actor: string;
  readonly now: number;
}

/** Where a request comes from. */
export interface Caller {
  readonly address: string;
  /** The browser's own name for itself. */
  readonly agent: string;
  /** Digest of the secret by which a browser is known again; undefined when it has none. */
  readonly device?: string | undefined;
}
