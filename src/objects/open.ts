import type { Config } from "../platform/config.ts";
import { type Ids, systemIds } from "../platform/ids.ts";
import { bucketOf } from "../platform/object_setting.ts";
import type { ObjectStore } from "./contract.ts";
import { DirectoryStore } from "./directory_store.ts";
import { S3Store } from "./s3_store.ts";

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
