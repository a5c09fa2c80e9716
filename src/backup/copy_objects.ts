import { rm } from "node:fs/promises";
import { atOnce } from "../lib/at_once.ts";
import { messageOf } from "../lib/thrown.ts";
import type { ObjectStore, StoredObject } from "../objects/contract.ts";
import { fetchObject, UnwritableCopy } from "./fetch_object.ts";
import { type ObjectsTold, ObjectTally, objectFaultWords } from "./object_tally.ts";

/** What was copied beside a backup. */
export interface CopiedObjects extends ObjectsTold {
  /** Those that were not there before, and the length of their gzip bytes. */
  readonly copied: number;
  readonly copiedBytes: number;
  /** Whether none was to be copied. */
  readonly leftOut: boolean;
}

/** What to copy. */
export interface ObjectsToCopy {
  readonly named: Iterable<StoredObject>;
  readonly from: ObjectStore;
  readonly into: ObjectStore;
  /** What an object holds, for people. */
  readonly meant: (sha256: string) => string;
  /** A file that is not there yet, on the disk that the objects are copied to. */
  readonly temporary: () => string;
  /** Is told how far it is, often. */
  readonly onDone?: (done: { readonly objects: number; readonly copied: number }) => void;
}

/** Copied at once: most of the time of one is waiting for a disk. */
const AT_ONCE = 8;
/** After so many in a row that the archive gives no answer for, it is asked no more. */
const MOST_UNANSWERED = 3;

/**
 * Copies every object that is not there yet in the length that it was stored in, and judges it on the way. What is damaged or missing
 * in the archive lacks, by name, and the others are copied all the same. Where the archive cannot be read, or what is copied to takes
 * no more, the rest lacks. Never throws for any of these.
 */
export async function copyObjects(wanted: ObjectsToCopy): Promise<CopiedObjects> {
  const { named, from, into, meant, temporary, onDone } = wanted;
  const tally = new ObjectTally(meant);
  let [copied, copiedBytes, unanswered] = [0, 0, 0];
  let ended: string | undefined;
  /** Why an object could not be copied; undefined where it was. `null` where what keeps all of them is told once. */
  const copy = async (object: StoredObject, anew: boolean): Promise<string | null | undefined> => {
    const path = temporary();
    try {
      const fault = await fetchObject(from, object, path);
      unanswered = 0;
      if (fault !== undefined) return objectFaultWords(fault, from);
    } catch (error) {
      if (error instanceof UnwritableCopy) {
        ended ??= error.message;
        return null;
      }
      if (++unanswered >= MOST_UNANSWERED) ended ??= messageOf(error);
      return ended === undefined ? `could not be read: ${messageOf(error)}` : null;
    }
    try {
      await into.put(object, path, { anew });
      copied++;
      copiedBytes += object.storedBytes;
      return undefined;
    } catch (error) {
      ended ??= messageOf(error);
      return null;
    } finally {
      await rm(path, { force: true });
    }
  };
  await atOnce(named, AT_ONCE, async (object) => {
    tally.name(object);
    const there = await lengthIn(into, object);
    if (there !== object.storedBytes) {
      const why = ended === undefined ? await copy(object, there !== undefined) : null;
      if (why !== undefined) tally.lack(object, why ?? undefined);
    }
    onDone?.({ objects: tally.named, copied });
  });
  return { ...tally.told(ended), copied, copiedBytes, leftOut: false };
}

/** The length of what is there of an object; undefined where nothing is, or that cannot be told. */
async function lengthIn(store: ObjectStore, { sha256 }: StoredObject): Promise<number | undefined> {
  try {
    return (await store.find(sha256))?.storedBytes;
  } catch {
    return undefined;
  }
}
