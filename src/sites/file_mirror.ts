/**
 * The file that mirrors the constants in effect. A save lets its text wait beside the file, commits its version together with the
 * note that the file is pending, and only then puts the text in the place of the file. So a save that is rejected was not made,
 * and one that was made reaches its file at once, at the next look or at the next start.
 */

import { dirname } from "node:path";
import * as v from "valibot";
import {
  type FileFacts,
  type Files,
  publishFile,
  replaceFile,
  stageFile,
  unstageFile,
} from "../base/files.ts";
import { sha256Hex } from "../base/keys.ts";
import { logOf } from "../base/log.ts";
import { DamagedRow, StorageUnavailable } from "../base/storage_fault.ts";
import { findServiceFact, putServiceState } from "../store/service_state.ts";
import type { Db, Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import type { FoundBytes, GoodDocument, Refusal } from "./constants_parse.ts";
import { MAX_DOCUMENT_BYTES } from "./constants_schema.ts";

/** The constants that every rule uses now. */
export interface ConstantsInEffect extends GoodDocument {
  /** Id of the recorded version. */
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly tookEffectAt: number;
  readonly author: string;
}

/** What a mirror needs from outside. */
export interface MirrorDeps {
  /** `$DATA_DIR/constants.toml`. */
  readonly path: string;
  readonly files: Files;
  readonly db: Db;
  readonly writer: Pick<Writer, "write">;
}

/** A file with what shows whether it changed since. */
interface FoundFile extends FoundBytes {
  readonly facts: FileFacts;
}

const MODE = 0o600;

/** Saves in a row whose file could not follow, and whose texts are still known for it. */
const MOST_OVER = 50;

export class FileMirror {
  readonly #deps: MirrorDeps;
  #pending: PendingWrite | undefined;

  constructor(deps: MirrorDeps) {
    this.#deps = deps;
  }

  /** Continues the write that a version in effect left pending. Throws `DamagedRow` where its note cannot be read. */
  follow(version: number): void {
    const pending = findPending(this.#deps.db);
    this.#pending = pending?.version === version ? pending : undefined;
  }

  /** Whether what is in effect is still to be written. */
  get isBehind(): boolean {
    return this.#pending !== undefined;
  }

  /** Reads the file unless `unchanged` knows its facts; then the answer is `undefined`. */
  async read(
    unchanged: (facts: FileFacts) => boolean,
  ): Promise<{ readonly found: FoundFile } | { readonly refusal: Refusal } | undefined> {
    const { files, path } = this.#deps;
    try {
      const facts = await files.facts(path);
      if (facts === undefined) return refusal("missing", "is missing");
      if (unchanged(facts)) return undefined;
      const bytes = await files.read(path, MAX_DOCUMENT_BYTES + 1);
      return { found: { facts, bytes, digest: sha256Hex(bytes) } };
    } catch {
      return refusal("unreadable", "cannot be read");
    }
  }

  /** Writes a text where there is no file. Rejects with `StorageUnavailable`. */
  async fill(text: string): Promise<void> {
    const finding = await this.read(() => true);
    if (finding !== undefined && "refusal" in finding && finding.refusal.reason === "missing")
      await this.#put(text);
  }

  /** Takes the text away that a save left waiting beside the file. */
  clean(): Promise<void> {
    return unstageFile(this.#deps.files, this.#deps.path);
  }

  /** Commits a version ahead of its file, whose text has the digest `over` now: all of it or nothing. */
  async commit(
    text: string,
    over: string,
    now: number,
    record: (tx: Tx) => ConstantsInEffect,
  ): Promise<ConstantsInEffect> {
    const { files, path, writer } = this.#deps;
    // A save before this one may not have reached the file either.
    const overs = [...(this.#pending?.over ?? []).slice(-MOST_OVER), over];
    await orUnavailable(stageFile(files, path, new TextEncoder().encode(text), MODE));
    try {
      const saved = await writer.write((tx) => {
        const recorded = record(tx);
        notePending(tx, { version: recorded.version, over: overs }, now);
        return recorded;
      });
      this.#pending = { version: saved.version, over: overs };
      return saved;
    } catch (error) {
      await this.clean();
      throw error;
    }
  }

  /** Lets the file follow what was committed. When it cannot, the next look tries again: what is in effect is recorded. */
  publish(now: number): Promise<boolean> {
    return this.#settle(now, () => publishFile(this.#deps.files, this.#deps.path));
  }

  /** Writes the file of a saved version that could not be written before. Says whether the file can be judged. */
  async catchUp(current: { readonly text: string; readonly digest: string }, now: number): Promise<boolean> {
    if (this.#pending === undefined) return true;
    const { files, path } = this.#deps;
    const { over } = this.#pending;
    const finding = await this.read(() => false);
    if (finding === undefined || ("refusal" in finding && finding.refusal.reason !== "missing")) return false;
    const digest = "found" in finding ? finding.found.digest : undefined;
    return this.#settle(now, async () => {
      if (digest === current.digest) await files.syncFolder(dirname(path));
      else if (digest === undefined || over.includes(digest)) await this.#put(current.text);
    });
  }

  /** Notes that the file is written once `write` has done it; what fails is logged, and tried again. */
  async #settle(now: number, write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
      await this.#deps.writer.write((tx) => notePending(tx, undefined, now));
      this.#pending = undefined;
      return true;
    } catch (error) {
      const reason = String(error instanceof Error ? (error.cause ?? error) : error);
      const words = "a saved constants document is in effect, but its file could not be written yet";
      logOf("constants").warn(words, { reason });
      return false;
    }
  }

  #put(text: string): Promise<void> {
    const { files, path } = this.#deps;
    return orUnavailable(replaceFile(files, path, new TextEncoder().encode(text), MODE));
  }
}

function refusal(reason: "missing" | "unreadable", state: string): { readonly refusal: Refusal } {
  const problem = { line: 1, key: "", rule: reason, message: `the file ${state}` };
  return { refusal: { reason, problems: [problem], more: 0 } };
}

async function orUnavailable(step: Promise<void>): Promise<void> {
  try {
    await step;
  } catch (cause) {
    throw new StorageUnavailable("the constants document could not be written", { cause });
  }
}

const NAME = "constants.unwritten";

/** A version in effect whose file is to be written. `over` are the digests that may stand there; any other is a later edit. */
const PendingSchema = v.strictObject({
  version: v.pipe(v.number(), v.integer()),
  over: v.array(v.string()),
});

type PendingWrite = v.InferOutput<typeof PendingSchema>;

function findPending(db: Db): PendingWrite | undefined {
  return findServiceFact(db, NAME, PendingSchema);
}

function notePending(tx: Tx, pending: PendingWrite | undefined, now: number): void {
  putServiceState(tx, NAME, pending === undefined ? "" : JSON.stringify(pending), now);
}

/** What is wrong with the note of a pending write; nothing where it can be read. */
export function pendingFaults(db: Db): string[] {
  try {
    findPending(db);
    return [];
  } catch (error) {
    if (error instanceof DamagedRow) return [error.message];
    throw error;
  }
}
