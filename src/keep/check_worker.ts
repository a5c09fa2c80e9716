/** The worker of `checkOnWorker`: one check, then it ends. */

import "../base/low_priority.ts";
import type { Config } from "../base/config.ts";
import { MacKey, type MacKeyMaterial } from "../base/keys.ts";
import { openObjectStore } from "../store/directory_store.ts";
import { checkDatabase, checkObjects } from "./keep.ts";

declare const self: Worker;

/** What to check. */
export interface CheckRequest {
  readonly path: string;
  readonly auditKey: MacKeyMaterial | undefined;
  /** Where the objects of the archive lie. */
  readonly archive: Pick<Config, "rawSignals" | "s3">;
}

self.onmessage = async ({ data: { path, auditKey, archive } }: MessageEvent<CheckRequest>) => {
  const found = checkDatabase(path, auditKey === undefined ? undefined : new MacKey(auditKey));
  const objects = await checkObjects(path, openObjectStore(archive));
  self.postMessage([...found, ...objects]);
};
