/**
 * Room `base`: what knows nothing of the product. Time and numbers (`time.ts`, `statistics.ts`), text (`text.ts`), files (`files.ts`),
 * settings (`config.ts`), keys (`keys.ts`), the log (`log.ts`) and HTTP both ways.
 *
 * - A request comes in: `http_handler.ts` (listener, host, refusals, Elysia as its router) → `receive.ts` (body, strict JSON,
 *   `contract.ts`) or `query.ts` (filters, pages of a list); a refusal is a `Problem` of `problem.ts`.
 * - A request goes out: `http_client.ts` to addresses of settings, `outbound.ts` to those that an operator typed.
 * - A start reads `config.ts` (each setting one line of its table, of the kinds in `setting.ts`).
 *
 * This file holds the two doors of everything that is not the same at each run: the clock, and chance. Begin here, then `http_handler.ts`.
 */

/** The one door to wall-clock time. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** The one door to randomness. */
export interface Ids {
  /** A UUID of version 7: unique, and later ones sort after earlier ones. */
  uuid(): string;
  /** Random bytes from the system's cryptographic source. */
  bytes(length: number): Uint8Array;
}

export const systemIds: Ids = {
  uuid: () => Bun.randomUUIDv7(),
  bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
};

/** `length` random bytes as unpadded base64url text. */
export function randomToken(ids: Ids, length: number): string {
  return Buffer.from(ids.bytes(length)).toString("base64url");
}

/** Worked out once of a thing for as long as it is this very one. */
export function onceOf<Of extends object, Result>(work: (of: Of) => Result): (of: Of) => Result {
  const done = new WeakMap<Of, Result>();
  return (of) => {
    const known = done.get(of);
    if (known !== undefined) return known;
    const result = work(of);
    done.set(of, result);
    return result;
  };
}
