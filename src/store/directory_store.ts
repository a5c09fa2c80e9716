/** The archive in a directory of this machine, for this user alone. */

import { constants, type Dirent, type Stats } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Ids, randomToken, systemIds } from "../base/base.ts";
import type { Config } from "../base/config.ts";
import { replaceFile, systemFiles } from "../base/files.ts";
import { bucketOf } from "../base/setting.ts";
import { isFull, storageFault } from "../base/storage_fault.ts";
import { codeOf } from "../base/text.ts";
import { holds } from "./object_check.ts";
import {
  type FileFolder,
  type Findable,
  type ListedObject,
  ObjectMissing,
  type ObjectStore,
  ObjectUnreadable,
  objectAt,
  type PutHow,
  pathOf,
  pathOfFile,
  pathOfObject,
  type Readable,
  type StoredObject,
  StoreFault,
} from "./objects.ts";
import { S3Store } from "./s3_store.ts";

const TEMPORARY = ".tmp-";
const PIECE_BYTES = 256 * 1024;
/** What a system says of one file alone: a part of the disk does not read, its sums are wrong, or it is no file. All others may be fine. */
const OF_ONE_FILE = /^(?:EIO|EUCLEAN|EBADMSG|EISDIR|ELOOP|ENXIO)$/;
/** No link is followed, and a pipe to which nobody writes is waited for no more than any other file. */
const TO_READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export class DirectoryStore implements ObjectStore {
  readonly kind = "directory";
  readonly where: string;
  readonly #ids: Ids;
  /** Folders whose own names the disk is known to have. A folder that is there may be one that a killed process made and did not wait for. */
  readonly #settled = new Set<string>();

  constructor(path: string, ids: Ids) {
    this.where = path;
    this.#ids = ids;
  }

  async put(object: StoredObject, file: string, how: PutHow = {}): Promise<"stored" | "there"> {
    const path = join(this.where, pathOf(object));
    try {
      await this.#settle(dirname(path));
      if (how.anew !== true && (await holds(this, object, (await this.#facts(path))?.size))) {
        // Whoever brought it may have been killed before the disk had its name.
        await systemFiles.syncFolder(dirname(path));
        return "there";
      }
      if (how.given !== true || !(await moved(file, path))) await this.#write(object, file, path);
      return "stored";
    } catch (error) {
      throw this.#fault(error);
    }
  }

  async isAbsent(): Promise<boolean> {
    for (const folder of ["objects", "packs"]) {
      if ((await this.#facts(join(this.where, folder))) !== undefined) return false;
    }
    return true;
  }

  async find(object: Findable): Promise<ListedObject | undefined> {
    const facts = await this.#facts(join(this.where, pathOf(object)));
    return facts?.isFile() === true ? listed(object.sha256, facts) : undefined;
  }

  async *read(object: Readable): AsyncGenerator<Uint8Array> {
    const { sha256, place, storedBytes } = object;
    yield* this.#bytesOf(pathOf(object), sha256, place && { from: place.start, bytes: storedBytes });
  }

  async *readFile(name: string): AsyncGenerator<Uint8Array> {
    yield* this.#bytesOf(pathOfFile(name), name);
  }

  async *list(): AsyncGenerator<ListedObject> {
    for await (const { path, facts } of this.#files("objects/")) {
      const sha256 = objectAt(path);
      if (sha256 !== undefined) yield listed(sha256, facts);
    }
  }

  async remove(sha256: string): Promise<void> {
    const path = join(this.where, pathOfObject(sha256));
    try {
      // A removal that a power cut takes back leaves what nobody reads: the disk is not waited for.
      await rm(path);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw this.#fault(error);
    }
  }

  async putFile(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.where, pathOfFile(name));
    try {
      await this.#settle(dirname(path));
      await replaceFile(systemFiles, path, bytes, 0o400);
    } catch (error) {
      throw this.#fault(error);
    }
  }

  async *listFiles(folder: FileFolder): AsyncGenerator<string> {
    for await (const { path } of this.#files(folder)) if (!isTemporary(path)) yield path;
  }

  async *halfWritten(): AsyncGenerator<string> {
    for (const folder of ["objects/", "packs/", "manifest/"]) {
      for await (const { path } of this.#files(folder)) if (isTemporary(path)) yield path;
    }
  }

  async sweep(): Promise<number> {
    let swept = 0;
    for await (const path of this.halfWritten()) {
      try {
        await rm(join(this.where, path), { force: true });
      } catch (error) {
        throw this.#fault(error);
      }
      swept++;
    }
    return swept;
  }

  async *#bytesOf(path: string, name: string, part?: FilePart): AsyncGenerator<Uint8Array> {
    let file: FileHandle;
    try {
      file = await open(join(this.where, path), TO_READ);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw this.#unread(error, name);
      // A file system that is not mounted has no objects at all: that is not this one's loss.
      if (await this.isAbsent()) throw new StoreFault("absent", this.where);
      throw new ObjectMissing(name);
    }
    try {
      const facts = await file.stat();
      if (!facts.isFile()) throw new ObjectUnreadable(name);
      yield* this.#pieces(file, (error) => this.#unread(error, name), part ?? { from: 0, bytes: facts.size });
    } finally {
      await file.close();
    }
  }

  #unread(error: unknown, name: string): Error {
    return OF_ONE_FILE.test(codeOf(error)) ? new ObjectUnreadable(name) : this.#fault(error);
  }

  /** Temporary file in the same folder, length and digest, fsync, rename, fsync of the folder. A failed fsync is never tried again. */
  async #write(object: StoredObject, from: string, path: string): Promise<void> {
    const temporary = join(dirname(path), `${TEMPORARY}${object.sha256}-${randomToken(this.#ids, 9)}`);
    try {
      await this.#copy(object, from, temporary);
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
    try {
      await systemFiles.syncFolder(dirname(path));
    } catch (error) {
      // A second fsync may say yes to what the first one lost: the next put begins anew.
      await rm(path, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  async #copy(object: StoredObject, from: string, to: string): Promise<void> {
    const source = await open(from, "r");
    try {
      const target = await open(to, "wx", 0o400);
      try {
        const hash = new Bun.CryptoHasher("sha256");
        for await (const piece of this.#pieces(source, (error) => this.#fault(error))) {
          hash.update(piece);
          await target.writeFile(piece);
        }
        const { size } = await target.stat();
        if (size !== object.storedBytes || hash.digest("hex") !== object.storedSha256) {
          throw new StoreFault("failed", this.where, "what was to be stored changed on its way");
        }
        await target.sync();
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
  }

  async *#pieces(
    file: FileHandle,
    faultOf: (error: unknown) => Error,
    { from, bytes }: FilePart = { from: 0, bytes: Number.POSITIVE_INFINITY },
  ): AsyncGenerator<Uint8Array> {
    for (let done = 0; done < bytes; ) {
      const most = Math.min(PIECE_BYTES, bytes - done);
      const { bytesRead, buffer } = await file
        .read(new Uint8Array(most), 0, most, from + done)
        .catch((error) => {
          throw faultOf(error);
        });
      if (bytesRead === 0) return;
      done += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** Makes a folder below ours, for this user alone, and waits until the disk has the names of all that lead to it. */
  async #settle(folder: string): Promise<void> {
    if (this.#settled.has(folder)) return;
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let path = folder; !this.#settled.has(path); path = dirname(path)) {
      const above = dirname(path);
      if (above === path) break;
      await systemFiles.syncFolder(above);
      this.#settled.add(path);
      // Above our own folder only what was made now can be missing.
      if (path === this.where && (made === undefined || made.startsWith(`${this.where}/`))) break;
      if (path === made) break;
    }
  }

  async *#files(folder: string): AsyncGenerator<{ readonly path: string; readonly facts: Stats }> {
    let entries: Dirent[];
    try {
      entries = await readdir(join(this.where, folder), { withFileTypes: true });
    } catch (error) {
      if (codeOf(error) === "ENOENT") return;
      throw this.#fault(error);
    }
    for (const entry of entries) {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory()) yield* this.#files(`${path}/`);
      const facts = entry.isFile() ? await this.#facts(join(this.where, path)) : undefined;
      if (facts !== undefined) yield { path, facts };
    }
  }

  /** Undefined where nothing is there. */
  async #facts(path: string): Promise<Stats | undefined> {
    try {
      return await stat(path);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw this.#fault(error);
    }
  }

  #fault(error: unknown): StoreFault {
    if (error instanceof StoreFault) return error;
    if (isFull(error)) return new StoreFault("full", this.where);
    const kind = /^(?:EACCES|EPERM|EROFS)$/.test(codeOf(error)) ? "refused" : "failed";
    return new StoreFault(kind, this.where, storageFault(error));
  }
}

/** Gives a file another name, after the disk has its bytes; false where that name is on another disk. */
async function moved(from: string, path: string): Promise<boolean> {
  const file = await open(from, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await rename(from, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EXDEV") return false;
    throw error;
  }
}

interface FilePart {
  readonly from: number;
  readonly bytes: number;
}

const isTemporary = (path: string) => (path.split("/").at(-1) ?? "").startsWith(TEMPORARY);

const listed = (sha256: string, { size }: Stats): ListedObject => ({
  sha256,
  storedBytes: size,
});

/** The store that the settings name. Nothing is asked of it, and nothing begins to exist, before something is stored. */
export function openObjectStore(
  { rawSignals, s3 }: Pick<Config, "rawSignals" | "s3">,
  ids: Ids = systemIds,
): ObjectStore {
  const bucket = bucketOf(rawSignals);
  return bucket === undefined || s3 === undefined
    ? new DirectoryStore(rawSignals, ids)
    : new S3Store(rawSignals, bucket, s3);
}
