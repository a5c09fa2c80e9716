/** What keeps a store of objects from being used, told apart and in words of our own: a provider's may hold anything. */

import { PlainError } from "../lib/thrown.ts";

/**
 * `unreachable`: it did not answer, or not in time; `refused`: it does not let us in; `no_bucket`: there is no such bucket; `full`: it
 * takes no more; `absent`: nothing of an archive is where it should be; `failed`: anything else.
 */
export const STORE_FAULTS = ["unreachable", "refused", "no_bucket", "full", "absent", "failed"] as const;
export type StoreFaultKind = (typeof STORE_FAULTS)[number];

const WORDS: Readonly<Record<StoreFaultKind, string>> = {
  unreachable: "it cannot be reached, or does not answer in time",
  refused: "it does not let this Tower in",
  no_bucket: "there is no such bucket",
  full: "it is full",
  absent: "there is no archive: is it mounted, and the right place?",
  failed: "it does not do what it is asked",
};

/** A store that cannot be used now. `message` is for people: the store, and what keeps it; never a secret, never a provider's text. */
export class StoreFault extends PlainError {
  override readonly name = "StoreFault";
  readonly kind: StoreFaultKind;
  readonly where: string;
  readonly why: string;

  /** `why` where there is more to say than its kind says. */
  constructor(kind: StoreFaultKind, where: string, why: string = WORDS[kind]) {
    super(`the archive at ${where}: ${why}`);
    this.kind = kind;
    this.where = where;
    this.why = why;
  }
}
