/** Objects with their rows in the manifest, as the archive's job leaves them. */

import { recordReport } from "../../src/archive/manifest.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import type { ObjectStore } from "../../src/store/objects.ts";
import type { Db } from "../../src/store/store.ts";
import type { Writer } from "../../src/store/writer.ts";
import { HARBOR_PAGES, reportOf } from "./archived.ts";
import { type MadeObject, spooled } from "./objects.ts";

interface Ground {
  readonly writer: Pick<Writer, "write">;
  readonly store: { readonly db: Db };
}

/** Each attempt begins at a moment of its own: two of one moment are one. */
let attempts = 0;

/** Names an object in the manifest. */
export async function nameObject(
  { writer }: Ground,
  object: MadeObject,
  { date = 20_770, asset = HARBOR_PAGES.asset, run = 1 } = {},
): Promise<void> {
  const { sha256, bytes, storedBytes, storedSha256 } = object;
  const row = {
    sha256,
    bytes,
    storedBytes,
    storedSha256,
    content: sha256Hex(`rows of ${sha256}`),
    rows: 1,
    secrets: 0,
  };
  const target = { ...HARBOR_PAGES, asset };
  const attemptedAt = 1_795_000_000_000 + attempts++;
  await writer.write(
    (tx) => void recordReport(tx, reportOf({ object: row, date, target, run, attemptedAt })),
  );
}

/** Stores an object and names it. `spool` is a folder. */
export async function archiveObject(
  ground: Ground & { readonly objects: ObjectStore },
  spool: string,
  object: MadeObject,
  named: Parameters<typeof nameObject>[2] = {},
): Promise<void> {
  await ground.objects.put(object, spooled(spool, object));
  await nameObject(ground, object, named);
}
