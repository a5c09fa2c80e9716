/**
 * Keeps the constants that are in effect: from the file, judged whole before they count, every version recorded. A document
 * with a mistake never takes effect; the last good one stays and `problem` says what is wrong and where.
 */
import { type Db, StorageUnavailable, type Writer } from "../db/mod.ts";
import { sha256Hex } from "../lib/digest.ts";
import type { Clock } from "../platform/clock.ts";
import { type FileFacts, type Files, replaceFile } from "../platform/files.ts";
import { parseConstants } from "./parse.ts";
import type { Problem } from "./problem.ts";
import { findDocument, type GoodDocument, judgeDocument, type Refusal } from "./read_document.ts";
import { type ConstantsInEffect, lastGoodDocument, recordVersion } from "./record.ts";

/** Author of a version that came from a text editor. */
export const FILE_AUTHOR = "file";
/** Author of a version that the service itself put in effect: the defaults, or an earlier good one. */
export const SERVICE_AUTHOR = "tower";

/** Why the file is not in effect. */
export interface ConstantsProblem extends Refusal {
  /** Since when the file has not been in effect, in milliseconds since the epoch. */
  readonly since: number;
}

/** The file as last seen, good or not: what an operator edits. */
export interface DocumentOnDisk {
  readonly text: string;
  readonly digest: string;
}

export type SaveResult =
  | { readonly ok: true; readonly current: ConstantsInEffect }
  | {
      readonly ok: false;
      readonly reason: "invalid";
      readonly problems: readonly Problem[];
      readonly more: number;
    }
  /** The file is no longer the one that was edited; `document` is what it holds now. */
  | { readonly ok: false; readonly reason: "conflict"; readonly document: DocumentOnDisk };

/** What the keeper needs from outside. */
export interface KeeperDeps {
  /** `$DATA_DIR/constants.toml`. */
  readonly path: string;
  readonly files: Files;
  readonly clock: Clock;
  readonly db: Db;
  readonly writer: Pick<Writer, "write">;
}

const MODE = 0o600;

/** A file that changed less than this before it was read may change again with the same facts: their clock is coarse. */
const SETTLED_MS = 2_000;

export class ConstantsKeeper {
  readonly #deps: KeeperDeps;
  #current: ConstantsInEffect;
  #problem: ConstantsProblem | undefined;
  #disk: DocumentOnDisk;
  /** Facts of the file that was judged, once they are old enough to be trusted. */
  #seen: FileFacts | undefined;
  /** Who saved a text that is not recorded yet. */
  #saved: { readonly digest: string; readonly author: string } | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #waiting: Promise<boolean> | undefined;

  private constructor(deps: KeeperDeps, current: ConstantsInEffect) {
    this.#deps = deps;
    this.#current = current;
    this.#disk = current;
  }

  /**
   * Reads the file, or writes it when there is none: the last good version (a lost file must not reset thresholds), else
   * the defaults. Rejects with `StorageUnavailable` when the file or its version cannot be written.
   */
  static async start(deps: KeeperDeps): Promise<ConstantsKeeper> {
    const now = deps.clock.now();
    const fallback = lastGoodDocument(deps.db);
    let finding = await findDocument(deps.files, deps.path, () => false);
    let author = FILE_AUTHOR;
    if (finding !== undefined && "refusal" in finding && finding.refusal.reason === "missing") {
      await put(deps, fallback.text);
      author = SERVICE_AUTHOR;
      finding = await findDocument(deps.files, deps.path, () => false);
    }
    const judgement = finding !== undefined && "found" in finding ? judgeDocument(finding.found) : undefined;
    const current = judgement?.ok
      ? await recordVersion(deps.writer, judgement.good, author, now)
      : await recordVersion(deps.writer, fallback, SERVICE_AUTHOR, now);
    const keeper = new ConstantsKeeper(deps, current);
    if (!judgement?.ok) await keeper.#look(now);
    return keeper;
  }

  /** The constants in effect. */
  current(): ConstantsInEffect {
    return this.#current;
  }

  /** Why the file is not in effect; `undefined` while it is. */
  get problem(): ConstantsProblem | undefined {
    return this.#problem;
  }

  /** The file as last seen; while it is missing or unreadable, the text in effect. */
  document(): DocumentOnDisk {
    return { text: this.#disk.text, digest: this.#disk.digest };
  }

  /**
   * Rereads the file when it changed; says whether another version took effect. Costs one `stat` when nothing changed, so it
   * can run before each judging. Rejects with `StorageUnavailable` when a version cannot be recorded; the next call tries
   * again.
   */
  refresh(now: number = this.#deps.clock.now()): Promise<boolean> {
    this.#waiting ??= this.#inTurn(() => {
      this.#waiting = undefined;
      return this.#look(now);
    });
    return this.#waiting;
  }

  /**
   * Writes an operator's text and puts it in effect. `expectedDigest` is that of the `document()` that was edited. Rejects
   * with `StorageUnavailable` when the file or its version cannot be written; a text that reached the file takes effect
   * under its author as soon as it can be recorded.
   */
  save(text: string, author: string, expectedDigest: string): Promise<SaveResult> {
    return this.#inTurn(async () => {
      const now = this.#deps.clock.now();
      this.#seen = undefined;
      await this.#look(now);
      if (this.#disk.digest !== expectedDigest) {
        return { ok: false, reason: "conflict", document: this.document() };
      }
      const written = withLineEndsOf(this.#disk.text, text);
      const parsed = parseConstants(written);
      if (!parsed.ok) return { ok: false, reason: "invalid", problems: parsed.problems, more: parsed.more };
      const digest = sha256Hex(written);
      if (digest !== this.#disk.digest || this.#problem !== undefined) {
        this.#saved = { digest, author };
        this.#seen = undefined;
        await put(this.#deps, written);
        await this.#takeEffect({ text: written, digest, constants: parsed.constants }, now);
      }
      return { ok: true, current: this.#current };
    });
  }

  async #look(now: number): Promise<boolean> {
    const { path, files } = this.#deps;
    const finding = await findDocument(files, path, (facts) => sameFacts(this.#seen, facts));
    if (finding === undefined) return false;
    if ("refusal" in finding) {
      this.#seen = undefined;
      return this.#refuse(finding.refusal, { text: this.#current.text, digest: this.#current.digest }, now);
    }
    const { facts, digest } = finding.found;
    let changed = false;
    if (
      digest !== this.#disk.digest ||
      this.#problem?.reason === "missing" ||
      this.#problem?.reason === "unreadable"
    ) {
      const judgement = judgeDocument(finding.found);
      changed = judgement.ok
        ? await this.#takeEffect(judgement.good, now)
        : this.#refuse(judgement.refusal, { text: judgement.text, digest }, now);
    }
    this.#seen = facts.changedAt + SETTLED_MS <= now ? facts : undefined;
    return changed;
  }

  async #takeEffect(good: GoodDocument, now: number): Promise<boolean> {
    const before = this.#current.version;
    const author = this.#saved?.digest === good.digest ? this.#saved.author : FILE_AUTHOR;
    this.#current = await recordVersion(this.#deps.writer, good, author, now);
    this.#disk = this.#current;
    this.#saved = undefined;
    this.#problem = undefined;
    return this.#current.version !== before;
  }

  #refuse(refusal: Refusal, disk: DocumentOnDisk, now: number): false {
    this.#disk = disk;
    this.#problem = { ...refusal, since: this.#problem?.since ?? now };
    return false;
  }

  /** One step after another: nothing may come between a save's look at the file and its writing. */
  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(step);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

async function put(deps: KeeperDeps, text: string): Promise<void> {
  try {
    await replaceFile(deps.files, deps.path, new TextEncoder().encode(text), MODE);
  } catch (cause) {
    throw new StorageUnavailable("the constants document could not be written", { cause });
  }
}

function sameFacts(a: FileFacts | undefined, b: FileFacts): boolean {
  return (
    a !== undefined &&
    a.size === b.size &&
    a.inode === b.inode &&
    a.modifiedAt === b.modifiedAt &&
    a.changedAt === b.changedAt
  );
}

/** A form sends CRLF whatever it was given; without this every save from the Tower would change every line. */
function withLineEndsOf(model: string, text: string): string {
  const bare = text.replaceAll("\r\n", "\n");
  return model.includes("\r\n") ? bare.replaceAll("\n", "\r\n") : bare;
}
