/**
 * Keeps the constants that are in effect: from the file, judged whole before they count, every version recorded. A document
 * with a mistake never takes effect; the last good one stays and `problem` says what is wrong and where.
 */
import { dirname } from "node:path";
import type { AuditDetail } from "../audit/mod.ts";
import { type Db, isStorageFailure, StorageUnavailable, type Tx, type Writer } from "../db/mod.ts";
import { sha256Hex } from "../lib/digest.ts";
import type { Clock } from "../platform/clock.ts";
import {
  type FileFacts,
  type Files,
  publishFile,
  replaceFile,
  stageFile,
  unstageFile,
} from "../platform/files.ts";
import { logOf } from "../platform/log.ts";
import { parseConstants } from "./parse.ts";
import type { Problem } from "./problem.ts";
import { findDocument, type GoodDocument, judgeDocument, type Refusal } from "./read_document.ts";
import {
  auditConstants,
  type ConstantsInEffect,
  findInEffect,
  lastGoodDocument,
  recordVersion,
} from "./record.ts";
import { brokenSince, refusalWords, tellStanding, unwrittenWords } from "./standing.ts";
import { findUnwritten, markUnwritten, markWritten, type Unwritten } from "./unwritten.ts";

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

/** Who saves, with what belongs into the same transaction. */
export interface Saver {
  readonly author: string;
  /** What the audit row says beside the version. */
  readonly detail?: AuditDetail;
  readonly also?: (tx: Tx, version: number) => void;
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

/** Saves in a row whose file could not follow, and whose texts are still known for it. */
const MOST_OVER = 50;

export class ConstantsKeeper {
  readonly #deps: KeeperDeps;
  #current: ConstantsInEffect;
  #problem: ConstantsProblem | undefined;
  #disk: DocumentOnDisk;
  /** Facts of the file that was judged, once they are old enough to be trusted. */
  #seen: FileFacts | undefined;
  /** The version in effect, while its file is still to be written. */
  #unwritten: Unwritten | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #waiting: Promise<boolean> | undefined;

  private constructor(deps: KeeperDeps, current: ConstantsInEffect) {
    this.#deps = deps;
    this.#current = current;
    this.#disk = current;
    const unwritten = findUnwritten(deps.db);
    if (unwritten?.version === current.version) this.#unwritten = unwritten;
  }

  /**
   * Takes the last good version up, and then looks at the file as ever: a lost one is written anew, since that must not reset
   * thresholds. Where no version can be taken up the file is the first, else the defaults; rejects with `StorageUnavailable`
   * when that cannot be written down.
   */
  static async start(deps: KeeperDeps): Promise<ConstantsKeeper> {
    const now = deps.clock.now();
    await unstageFile(deps.files, deps.path);
    const good = lastGoodDocument(deps.db);
    const standing = findInEffect(deps.db, good);
    const keeper = new ConstantsKeeper(deps, standing ?? (await begin(deps, good, now)));
    try {
      if (await isMissing(deps)) await put(deps, keeper.#current.text);
      await keeper.#look(now);
    } catch (error) {
      if (!isStorageFailure(error)) throw error;
      logOf("constants").error("the last good constants are used", { reason: String(error) });
    }
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
   * Puts an operator's text in effect. `expectedDigest` is that of the `document()` that was edited. The text waits on the disk
   * before anything else; then its version, its audit row and what the saver adds are one transaction; then the file follows. So a
   * rejection (`StorageUnavailable`) means that nothing was saved and nothing will be, and an answer that it all is.
   */
  save(text: string, by: Saver, expectedDigest: string): Promise<SaveResult> {
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
        await this.#commit({ text: written, digest, constants: parsed.constants }, by, now);
        await this.#publish(now);
        await this.#tell(now);
      }
      return { ok: true, current: this.#current };
    });
  }

  async #commit(good: GoodDocument, by: Saver, now: number): Promise<void> {
    const { files, path, writer } = this.#deps;
    // A save before this one may not have reached the file either.
    const over = [...(this.#unwritten?.over ?? []).slice(-MOST_OVER), this.#disk.digest];
    await orUnavailable(stageFile(files, path, bytesOf(good.text), MODE));
    try {
      this.#current = await writer.write((tx) => {
        const saved = recordVersion(tx, good, by.author, now);
        const detail = { version: saved.version, ...by.detail };
        auditConstants(tx, "save", { at: now, actor: by.author, detail });
        by.also?.(tx, saved.version);
        markUnwritten(tx, { version: saved.version, over }, now);
        return saved;
      });
    } catch (error) {
      await unstageFile(files, path);
      throw error;
    }
    this.#disk = this.#current;
    this.#problem = undefined;
    this.#seen = undefined;
    this.#unwritten = { version: this.#current.version, over };
  }

  /** Lets the file follow what was committed. When it cannot, the next look tries again: what is in effect is recorded. */
  async #publish(now: number): Promise<void> {
    const { files, path, writer } = this.#deps;
    try {
      await publishFile(files, path);
      await writer.write((tx) => markWritten(tx, now));
      this.#unwritten = undefined;
    } catch (error) {
      logUnwritten(error);
    }
  }

  async #look(now: number): Promise<boolean> {
    const changed = (await this.#catchUp(now)) && (await this.#judgeFile(now));
    await this.#tell(now);
    return changed;
  }

  /** Writes the file of a saved version that could not be written before. Says whether the file can be judged. */
  async #catchUp(now: number): Promise<boolean> {
    if (this.#unwritten === undefined) return true;
    const { files, path, writer } = this.#deps;
    const finding = await findDocument(files, path, () => false);
    if (finding === undefined || ("refusal" in finding && finding.refusal.reason !== "missing")) return false;
    const digest = "found" in finding ? finding.found.digest : undefined;
    try {
      if (digest === this.#current.digest) await files.syncFolder(dirname(path));
      else if (digest === undefined || this.#unwritten.over.includes(digest)) {
        await put(this.#deps, this.#current.text);
      }
      await writer.write((tx) => markWritten(tx, now));
    } catch (error) {
      logUnwritten(error);
      return false;
    }
    this.#unwritten = undefined;
    return true;
  }

  async #judgeFile(now: number): Promise<boolean> {
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
      const judgement = judgeDocument(finding.found, this.#current.digest);
      changed = judgement.ok
        ? await this.#takeEffect(judgement.good, now)
        : this.#refuse(judgement.refusal, { text: judgement.text, digest }, now);
    }
    this.#seen = facts.changedAt + SETTLED_MS <= now ? facts : undefined;
    return changed;
  }

  async #takeEffect(good: GoodDocument, now: number): Promise<boolean> {
    const before = this.#current.version;
    this.#current = await this.#deps.writer.write((tx) => takeUp(tx, good, FILE_AUTHOR, now));
    this.#disk = this.#current;
    this.#problem = undefined;
    return this.#current.version !== before;
  }

  #refuse(refusal: Refusal, disk: DocumentOnDisk, now: number): false {
    this.#disk = disk;
    const since = this.#problem?.since ?? brokenSince(this.#deps.db) ?? now;
    this.#problem = { ...refusal, since };
    return false;
  }

  #tell(now: number): Promise<void> {
    const { version } = this.#current;
    const refused = this.#problem === undefined ? undefined : refusalWords(this.#problem, version);
    const wrong = this.#unwritten === undefined ? refused : unwrittenWords(version);
    return tellStanding(this.#deps, wrong, { at: now, version });
  }

  /** One step after another: nothing may come between a save's look at the file and its writing. */
  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(step);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

/** The first version: the file's, or `otherwise`, which is then written where there is no file. */
async function begin(deps: KeeperDeps, otherwise: GoodDocument, now: number): Promise<ConstantsInEffect> {
  if (await isMissing(deps)) await put(deps, otherwise.text);
  const finding = await findDocument(deps.files, deps.path, () => false);
  const judged =
    finding !== undefined && "found" in finding ? judgeDocument(finding.found, otherwise.digest) : undefined;
  const ofFile = judged?.ok === true && judged.good.digest !== otherwise.digest;
  return deps.writer.write((tx) =>
    ofFile ? takeUp(tx, judged.good, FILE_AUTHOR, now) : takeUp(tx, otherwise, SERVICE_AUTHOR, now),
  );
}

/** Records that a document takes effect that nobody saved in the Tower, with an audit row where it is a new version. */
function takeUp(tx: Tx, good: GoodDocument, author: string, now: number): ConstantsInEffect {
  const standing = findInEffect(tx, good);
  if (standing !== undefined) return standing;
  const taken = recordVersion(tx, good, author, now);
  const actor = author === SERVICE_AUTHOR ? "service" : author;
  auditConstants(tx, "change", { at: now, actor, detail: { version: taken.version } });
  return taken;
}

async function isMissing({ files, path }: KeeperDeps): Promise<boolean> {
  const finding = await findDocument(files, path, () => true);
  return finding !== undefined && "refusal" in finding && finding.refusal.reason === "missing";
}

function put({ files, path }: KeeperDeps, text: string): Promise<void> {
  return orUnavailable(replaceFile(files, path, bytesOf(text), MODE));
}

async function orUnavailable(step: Promise<void>): Promise<void> {
  try {
    await step;
  } catch (cause) {
    throw new StorageUnavailable("the constants document could not be written", { cause });
  }
}

function logUnwritten(error: unknown): void {
  logOf("constants").warn("a saved constants document is in effect, but its file could not be written yet", {
    reason: String(error instanceof Error ? (error.cause ?? error) : error),
  });
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
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
