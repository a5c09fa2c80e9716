/**
 * Keeps the constants that are in effect: from the file, judged whole before they count, every version recorded. A document
 * with a mistake never takes effect; the last good one stays and `problem` says what is wrong and where.
 */
import { isStorageFailure } from "../db/mod.ts";
import { sha256Hex } from "../lib/digest.ts";
import type { Clock } from "../platform/clock.ts";
import type { FileFacts } from "../platform/files.ts";
import { logOf } from "../platform/log.ts";
import { isMissing, putDocument, unstageDocument } from "./document_file.ts";
import { type FollowingDeps, FollowingFile } from "./following_file.ts";
import { parseConstants } from "./parse.ts";
import type { Problem } from "./problem.ts";
import { findDocument, type GoodDocument, judgeDocument, type Refusal } from "./read_document.ts";
import {
  type ConstantsInEffect,
  FILE_AUTHOR,
  findInEffect,
  lastGoodDocument,
  recordSave,
  type Saver,
  SERVICE_AUTHOR,
  takeUp,
} from "./record.ts";
import { brokenSince, refusalWords, tellStanding, unwrittenWords } from "./standing.ts";

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
export interface KeeperDeps extends FollowingDeps {
  readonly clock: Clock;
}

/** A file that changed less than this before it was read may change again with the same facts: their clock is coarse. */
const SETTLED_MS = 2_000;

export class ConstantsKeeper {
  readonly #deps: KeeperDeps;
  readonly #file: FollowingFile;
  #current: ConstantsInEffect;
  #problem: ConstantsProblem | undefined;
  #disk: DocumentOnDisk;
  /** Facts of the file that was judged, once they are old enough to be trusted. */
  #seen: FileFacts | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #waiting: Promise<boolean> | undefined;

  private constructor(deps: KeeperDeps, current: ConstantsInEffect) {
    this.#deps = deps;
    this.#current = current;
    this.#disk = current;
    this.#file = new FollowingFile(deps, current.version);
  }

  /**
   * Takes the last good version up, and then looks at the file as ever: a lost one is written anew, since that must not reset
   * thresholds. Where no version can be taken up the file is the first, else the defaults; rejects with `StorageUnavailable`
   * when that cannot be written down.
   */
  static async start(deps: KeeperDeps): Promise<ConstantsKeeper> {
    const now = deps.clock.now();
    await unstageDocument(deps);
    const good = lastGoodDocument(deps.db);
    const standing = findInEffect(deps.db, good);
    const keeper = new ConstantsKeeper(deps, standing ?? (await begin(deps, good, now)));
    try {
      if (await isMissing(deps)) await putDocument(deps, keeper.#current.text);
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
        const good = { text: written, digest, constants: parsed.constants };
        this.#current = await this.#file.commit(written, this.#disk.digest, now, (tx) =>
          recordSave(tx, good, by, now),
        );
        this.#disk = this.#current;
        this.#problem = undefined;
        this.#seen = undefined;
        await this.#file.publish(now);
        await this.#tell(now);
      }
      return { ok: true, current: this.#current };
    });
  }

  async #look(now: number): Promise<boolean> {
    const changed = (await this.#file.catchUp(this.#current, now)) && (await this.#judgeFile(now));
    await this.#tell(now);
    return changed;
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
    const wrong = this.#file.isBehind ? unwrittenWords(version) : refused;
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
  if (await isMissing(deps)) await putDocument(deps, otherwise.text);
  const finding = await findDocument(deps.files, deps.path, () => false);
  const judged =
    finding !== undefined && "found" in finding ? judgeDocument(finding.found, otherwise.digest) : undefined;
  const ofFile = judged?.ok === true && judged.good.digest !== otherwise.digest;
  return deps.writer.write((tx) =>
    ofFile ? takeUp(tx, judged.good, FILE_AUTHOR, now) : takeUp(tx, otherwise, SERVICE_AUTHOR, now),
  );
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
