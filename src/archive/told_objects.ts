/** Reading objects anew, as it is told while it goes on. */
import type { Db } from "../db/mod.ts";
import type { ObjectFault, ObjectStore } from "../objects/contract.ts";
import type { StoreFaultKind } from "../objects/mod.ts";
import type { Config } from "../platform/config.ts";
import { isDamaged, type Looked, listDamage } from "./damage_store.ts";
import { lookAtObjects } from "./look_at_objects.ts";
import { type WrongCopy, wrongCopies } from "./manifest_copy.ts";
import { findObject, type NumberedObject, objectsBetween } from "./object_row_store.ts";
import { HOURS_OF_WEEK, namesOf, slotOf } from "./scrub_slots.ts";
import { type Verification, verifySteps } from "./verify.ts";

/** What is to be read: everything; or what has its turn in an hour, and what was damaged when it was last looked at. */
export type ObjectQuestion =
  | { readonly what: "everything" }
  | { readonly what: "hour"; readonly hour: number | undefined; readonly damaged: boolean };

/** What is told, in this order: what was found of a few objects, again and again; at last what all of it came to. */
export type ObjectTold =
  | { readonly looked: Looked; readonly done: number; readonly of: number | undefined }
  | { readonly verification: Verification }
  | { readonly storeFault: StoreFaultKind; readonly where: string; readonly why: string }
  | { readonly brokeOff: string };

/** Where a worker finds what it needs. */
export interface WorkerQuestion {
  readonly question: ObjectQuestion;
  readonly path: string;
  readonly archive: Pick<Config, "rawSignals" | "s3">;
}

/** Objects that are told of at once. */
const AT_ONCE = 64;
/** Damaged objects that are looked at again every hour. */
const MOST_DAMAGED = 500;

/** Reads and tells. Throws `StoreFault`. */
export async function* tellObjects(
  db: Db,
  objects: ObjectStore,
  question: ObjectQuestion,
): AsyncGenerator<ObjectTold> {
  yield* question.what === "everything" ? tellEverything(db, objects) : tellHour(db, objects, question);
}

type HourQuestion = Extract<ObjectQuestion, { readonly what: "hour" }>;

async function* tellHour(db: Db, objects: ObjectStore, question: HourQuestion): AsyncGenerator<ObjectTold> {
  const batch = new Batch(db);
  for await (const { object, fault } of lookAtObjects(objects, dueObjects(db, question))) {
    batch.add(object.sha256, fault);
    if (batch.isFull) yield batch.told();
  }
  const { hour } = question;
  if (hour === undefined) return yield batch.told();
  const part = { each: HOURS_OF_WEEK, from: slotOf(hour) };
  yield batch.told(undefined, await Array.fromAsync(wrongCopies(db, objects, part)));
}

function* dueObjects(db: Db, { hour, damaged }: HourQuestion): Generator<NumberedObject> {
  for (const { sha256 } of damaged ? listDamage(db, MOST_DAMAGED) : []) {
    const object = findObject(db, sha256);
    if (object !== undefined) yield object;
  }
  if (hour === undefined) return;
  const { from, to } = namesOf(hour);
  yield* objectsBetween(db, from, to);
}

async function* tellEverything(db: Db, objects: ObjectStore): AsyncGenerator<ObjectTold> {
  const batch = new Batch(db);
  for await (const step of verifySteps(db, objects)) {
    if ("verification" in step) {
      yield batch.told(undefined, step.verification.copies);
      yield step;
    } else {
      batch.add(step.sha256, step.fault);
      if (batch.isFull) yield batch.told(step.of);
    }
  }
}

/** Objects that were read and not told of yet. */
class Batch {
  readonly #db: Db;
  #damaged: { sha256: string; fault: ObjectFault }[] = [];
  #whole: string[] = [];
  #waiting = 0;
  #done = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  get isFull(): boolean {
    return this.#waiting >= AT_ONCE;
  }

  add(sha256: string, fault: ObjectFault | undefined): void {
    this.#waiting++;
    this.#done++;
    if (fault !== undefined) this.#damaged.push({ sha256, fault });
    else if (isDamaged(this.#db, sha256)) this.#whole.push(sha256);
  }

  told(of?: number, wrong: readonly WrongCopy[] = []): ObjectTold {
    const copies = wrong.map(({ run }) => run);
    const looked = { damaged: this.#damaged, whole: this.#whole, copies };
    [this.#damaged, this.#whole, this.#waiting] = [[], [], 0];
    return { looked, done: this.#done, of };
  }
}
