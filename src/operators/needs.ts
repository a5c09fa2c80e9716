import type { Store, Writer } from "../db/mod.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import type { PasswordHasher } from "./password_hasher.ts";

/** What the acts of operators work with. */
export interface OperatorDeps {
  readonly store: Store;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly ids: Ids;
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
