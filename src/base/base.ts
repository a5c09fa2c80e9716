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
