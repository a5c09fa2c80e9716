/** Objects as the archive's job makes them, and stores of each kind to put them into. */

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { sha256Hex } from "../../src/base/keys.ts";
import { DirectoryStore } from "../../src/store/directory_store.ts";
import type { ObjectStore, StoredObject } from "../../src/store/objects.ts";
import { S3Store } from "../../src/store/s3_store.ts";
import { seededIds } from "./ids.ts";
import { BUCKET, startS3 } from "./s3_server.ts";

/** An object with its bytes. */
export interface MadeObject extends StoredObject {
  readonly content: Buffer;
  readonly gzip: Buffer;
}

/** The object that holds this content. */
export function objectHolding(content: string | Buffer): MadeObject {
  const bytes = Buffer.from(content);
  const gzip = gzipSync(bytes);
  return {
    content: bytes,
    gzip,
    sha256: sha256Hex(bytes),
    bytes: bytes.length,
    storedBytes: gzip.length,
    storedSha256: sha256Hex(gzip),
  };
}

/** The object as the job hands it over: its gzip bytes in a file of a folder. */
export function spooled(folder: string, object: MadeObject): string {
  const path = join(folder, `spooled-${object.sha256.slice(0, 12)}`);
  writeFileSync(path, object.gzip);
  return path;
}

export interface TestStore {
  readonly store: ObjectStore;
  /** Puts an object in as the job does. */
  put(object: MadeObject, how?: { readonly anew?: boolean }): Promise<"stored" | "there">;
  /** Where the bytes of an object, or of the file of a path, lie, behind the store's back. */
  fileOf(name: string): string;
  /** Takes away all that the store stands on, or puts it back. */
  takeAway(): Promise<void>;
  putBack(): Promise<void>;
  close(): Promise<void>;
}

const keyOf = (name: string) => (name.includes("/") ? name : `objects/${name.slice(0, 2)}/${name}.gz`);

function over(folder: string, store: ObjectStore, rest: Omit<TestStore, "store" | "put">): TestStore {
  const spool = join(folder, "spool");
  mkdirSync(spool, { recursive: true });
  return {
    ...rest,
    store,
    put: async (object, how) => {
      const file = spooled(spool, object);
      const what = await store.put(object, file, how);
      rmSync(file);
      return what;
    },
  };
}

/** A store in a directory. */
export async function directoryStore(folder: string): Promise<TestStore> {
  const path = join(folder, "raw");
  const away = join(folder, "away");
  return over(folder, new DirectoryStore(path, seededIds()), {
    fileOf: (sha256) => join(path, keyOf(sha256)),
    takeAway: async () => {
      if (existsSync(path)) renameSync(path, away);
    },
    putBack: async () => {
      if (existsSync(away)) renameSync(away, path);
    },
    close: async () => undefined,
  });
}

/** A store in a bucket. */
export async function bucketStore(folder: string): Promise<TestStore> {
  const data = join(folder, "s3");
  const first = await startS3(data);
  let server: typeof first | undefined = first;
  const store = new S3Store(`s3://${BUCKET}/raw`, { bucket: BUCKET, prefix: "raw" }, first.settings);
  const close = async () => {
    await server?.close();
    server = undefined;
  };
  return over(folder, store, {
    fileOf: (sha256) => first.fileOf(`raw/${keyOf(sha256)}`),
    takeAway: close,
    putBack: async () => {
      server ??= await startS3(data, Number(new URL(first.settings.endpoint).port));
    },
    close,
  });
}
