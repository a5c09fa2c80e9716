/**
 * The file that mirrors the constants in effect. A save lets its text wait beside the file, commits its version, and only then puts the
 * text in the place of the file. So a save that is rejected was not made, and one that was made reaches its file at once, at the next look
 * or at the next start: what waits beside the file belongs to a save that was made where it is the text in effect.
 */

import { dirname } from "node:path";
import { type Files, replaceFile, stagedPath, stageFile, unstageFile } from "../base/files.ts";
import { sha256Hex } from "../base/keys.ts";
import { logOf } from "../base/log.ts";
import { StorageUnavailable } from "../base/storage_fault.ts";
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

/** A file with when it changed. */
interface FoundFile extends FoundBytes {
  readonly changedAt: number;
}

const MODE = 0o600;

export class FileMirror {
  readonly #deps: MirrorDeps;
  #isBehind = false;

  constructor(deps: MirrorDeps) {
    this.#deps = deps;
  }

  /** Continues the write of a version in effect that did not reach its file; what waits for any other is taken away. */
  async resume({ digest }: { readonly digest: string }): Promise<void> {
    const { files, path } = this.#deps;
    const waiting = await files.read(stagedPath(path), MAX_DOCUMENT_BYTES + 1).catch(() => undefined);
    this.#isBehind = waiting !== undefined && sha256Hex(waiting) === digest;
    if (!this.#isBehind) await unstageFile(files, path);
  }

  /** Whether what is in effect is still to be written. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Reads the file. */
  async read(): Promise<{ readonly found: FoundFile } | { readonly refusal: Refusal }> {
    const { files, path } = this.#deps;
    try {
      const changedAt = await files.changedAt(path);
      if (changedAt === undefined) return refusal("missing", "is missing");
      const bytes = await files.read(path, MAX_DOCUMENT_BYTES + 1);
      return { found: { changedAt, bytes, digest: sha256Hex(bytes) } };
    } catch {
      return refusal("unreadable", "cannot be read");
    }
  }

  /** Writes a text where there is no file. Rejects with `StorageUnavailable`. */
  async fill(text: string): Promise<void> {
    const finding = await this.read();
    if ("found" in finding || finding.refusal.reason !== "missing") return;
    const { files, path } = this.#deps;
    await orUnavailable(replaceFile(files, path, new TextEncoder().encode(text), MODE));
  }

  /** Commits a version ahead of its file: all of it or nothing. */
  async commit(text: string, record: (tx: Tx) => ConstantsInEffect): Promise<ConstantsInEffect> {
    const { files, path, writer } = this.#deps;
    await orUnavailable(this.#stage(text));
    try {
      const saved = await writer.write(record);
      this.#isBehind = true;
      return saved;
    } catch (error) {
      await unstageFile(files, path);
      throw error;
    }
  }

  /**
   * Lets the file follow what was committed. Says whether the file can be judged: where it cannot be written, the next look tries again.
   * A file that changed after the save is a later edit, and goes before.
   */
  async catchUp({ text, digest }: Pick<GoodDocument, "text" | "digest">): Promise<boolean> {
    if (!this.#isBehind) return true;
    const { files, path } = this.#deps;
    const finding = await this.read();
    if ("refusal" in finding && finding.refusal.reason !== "missing") return false;
    const file = "found" in finding ? finding.found : undefined;
    try {
      const waiting = await files.changedAt(stagedPath(path));
      if (file !== undefined && waiting !== undefined && file.changedAt > waiting) {
        await unstageFile(files, path);
      } else {
        if (file?.digest !== digest) {
          if (waiting === undefined) await this.#stage(text);
          await files.rename(stagedPath(path), path);
        }
        await files.syncFolder(dirname(path));
      }
      this.#isBehind = false;
      return true;
    } catch (error) {
      const words = "a saved constants document is in effect, but its file could not be written yet";
      logOf("constants").warn(words, { reason: String(error) });
      return false;
    }
  }

  #stage(text: string): Promise<void> {
    const { files, path } = this.#deps;
    return stageFile(files, path, new TextEncoder().encode(text), MODE);
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
