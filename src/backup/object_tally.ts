import { FAULT_WORDS, reportsOfObject } from "../archive/mod.ts";
import type { Db } from "../db/mod.ts";
import { dayOfNumber } from "../lib/day_number.ts";
import { countWords } from "../lib/plural.ts";
import type { ObjectFault, ObjectStore, StoredObject } from "../objects/contract.ts";

/** Most objects that are named of those that lack. */
const MOST_NAMED = 20;

/** What was found of the objects that a manifest names. */
export interface ObjectsTold {
  /** How many there are, and the length of their gzip bytes. */
  readonly named: number;
  readonly bytes: number;
  /** How many are not there whole. */
  readonly lacking: number;
  /** Which, and why: twenty at most, and how many more. */
  readonly faults: readonly string[];
}

/** What is wrong with an object, and where, as the rest of a sentence that begins with it. */
export const objectFaultWords = (fault: ObjectFault, { where }: Pick<ObjectStore, "where">): string =>
  `${FAULT_WORDS[fault]} in ${where}`;

/** Counts objects, and names those that lack, in memory that does not grow with them. */
export class ObjectTally {
  readonly #faults: string[] = [];
  readonly #meant: (sha256: string) => string;
  #named = 0;
  #bytes = 0;
  #lacking = 0;

  /** `meant` says what an object holds, for people. */
  constructor(meant: (sha256: string) => string) {
    this.#meant = meant;
  }

  name({ storedBytes }: StoredObject): void {
    this.#named++;
    this.#bytes += storedBytes;
  }

  /** `why` is the rest of a sentence that begins with its name; undefined where what keeps all of them is told once. */
  lack({ sha256 }: StoredObject, why: string | undefined): void {
    this.#lacking++;
    if (why === undefined || this.#faults.length >= MOST_NAMED) return;
    this.#faults.push(`object ${sha256}${this.#meant(sha256)} ${why}`);
  }

  get named(): number {
    return this.#named;
  }

  /** `reason` is what kept all that is not named. */
  told(reason?: string): ObjectsTold {
    const [named, bytes, lacking] = [this.#named, this.#bytes, this.#lacking];
    const more = lacking - this.#faults.length;
    const rest =
      reason === undefined
        ? `and ${countWords(more, "more object")}`
        : `${countWords(more, "object")}: ${reason}`;
    return { named, bytes, lacking, faults: more === 0 ? this.#faults : [...this.#faults, rest] };
  }
}

/**
 * Says which report an object is, in brackets after its name: the newest that it is of. Nothing where the manifest cannot tell, as
 * where a database is damaged: its name is told all the same.
 */
export function reportHeld(db: Db): (sha256: string) => string {
  return (sha256) => {
    try {
      const [newest] = reportsOfObject(db, sha256, 1);
      if (newest === undefined) return "";
      const { target, date } = newest;
      return ` (${target.asset}, ${target.provider} ${target.family}, ${dayOfNumber(date)})`;
    } catch {
      return "";
    }
  };
}
