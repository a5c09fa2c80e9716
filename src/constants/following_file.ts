/**
 * The file follows what is in effect: a save lets its text wait on the disk, commits, and only then puts it in the place of the file.
 * So a save that is rejected was not made, and one that was made reaches its file, at the next look or the next start.
 */
import { dirname } from "node:path";
import type { Db, Tx, Writer } from "../db/mod.ts";
import { logOf } from "../platform/log.ts";
import {
  type DocumentPlace,
  publishDocument,
  putDocument,
  stageDocument,
  unstageDocument,
} from "./document_file.ts";
import { findDocument } from "./read_document.ts";
import type { ConstantsInEffect } from "./record.ts";
import { findUnwritten, markUnwritten, markWritten, type Unwritten } from "./unwritten.ts";

/** What a following file needs from outside. */
export interface FollowingDeps extends DocumentPlace {
  readonly db: Db;
  readonly writer: Pick<Writer, "write">;
}

/** Saves in a row whose file could not follow, and whose texts are still known for it. */
const MOST_OVER = 50;

export class FollowingFile {
  readonly #deps: FollowingDeps;
  #unwritten: Unwritten | undefined;

  /** `version` is the one in effect. Throws `DamagedRow` where it cannot be told whether its file was written. */
  constructor(deps: FollowingDeps, version: number) {
    this.#deps = deps;
    const unwritten = findUnwritten(deps.db);
    if (unwritten?.version === version) this.#unwritten = unwritten;
  }

  /** Whether what is in effect is still to be written. */
  get isBehind(): boolean {
    return this.#unwritten !== undefined;
  }

  /** Commits a version ahead of its file, whose text has the digest `over` now: all of it or nothing. */
  async commit(
    text: string,
    over: string,
    now: number,
    record: (tx: Tx) => ConstantsInEffect,
  ): Promise<ConstantsInEffect> {
    // A save before this one may not have reached the file either.
    const overs = [...(this.#unwritten?.over ?? []).slice(-MOST_OVER), over];
    await stageDocument(this.#deps, text);
    try {
      const saved = await this.#deps.writer.write((tx) => {
        const recorded = record(tx);
        markUnwritten(tx, { version: recorded.version, over: overs }, now);
        return recorded;
      });
      this.#unwritten = { version: saved.version, over: overs };
      return saved;
    } catch (error) {
      await unstageDocument(this.#deps);
      throw error;
    }
  }

  /** Lets the file follow what was committed. When it cannot, the next look tries again: what is in effect is recorded. */
  publish(now: number): Promise<boolean> {
    return this.#settle(now, () => publishDocument(this.#deps));
  }

  /** Writes the file of a saved version that could not be written before. Says whether the file can be judged. */
  async catchUp(current: { readonly text: string; readonly digest: string }, now: number): Promise<boolean> {
    if (this.#unwritten === undefined) return true;
    const { files, path } = this.#deps;
    const { over } = this.#unwritten;
    const finding = await findDocument(files, path, () => false);
    if (finding === undefined || ("refusal" in finding && finding.refusal.reason !== "missing")) return false;
    const digest = "found" in finding ? finding.found.digest : undefined;
    return this.#settle(now, async () => {
      if (digest === current.digest) await files.syncFolder(dirname(path));
      else if (digest === undefined || over.includes(digest)) await putDocument(this.#deps, current.text);
    });
  }

  /** Notes that the file is written once `write` has done it; what fails is logged, and tried again. */
  async #settle(now: number, write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
      await this.#deps.writer.write((tx) => markWritten(tx, now));
      this.#unwritten = undefined;
      return true;
    } catch (error) {
      const reason = String(error instanceof Error ? (error.cause ?? error) : error);
      const words = "a saved constants document is in effect, but its file could not be written yet";
      logOf("constants").warn(words, { reason });
      return false;
    }
  }
}
