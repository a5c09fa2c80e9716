/** Reports in the archive of an opened data folder, as its job leaves them: objects that are safe, and rows that name them. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Opened } from "../../src/app/boot.ts";
import { recordReport } from "../../src/archive/manifest.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import { openObjectStore } from "../../src/store/directory_store.ts";
import { reportOf } from "./archived.ts";
import { type MadeObject, objectHolding, spooled } from "./objects.ts";

/** The day of the first report. */
const FIRST = 20_700;

/** Archives reports that hold these texts, one a day. */
export async function archiveTexts(
  { deps }: Opened,
  texts: readonly string[],
  from = FIRST,
): Promise<MadeObject[]> {
  const store = openObjectStore(deps.config);
  const objects = texts.map((text) => objectHolding(text));
  for (const [place, object] of objects.entries()) {
    const file = spooled(deps.config.dataDir, object);
    await store.put(object, file);
    rmSync(file);
    await deps.writer.write((tx) => {
      recordReport(
        tx,
        reportOf({ date: from + place, object: { ...object, content: object.sha256, rows: 3, secrets: 0 } }),
      );
    });
  }
  return objects;
}

/** Texts that are all different, and that gzip leaves some hundred bytes of. */
export const textsNumbered = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) =>
    Array.from({ length: 20 + n }, (_, line) => sha256Hex(`${from + n} ${line}`)).join("\n"),
  );

/** Where an object lies in a folder that is laid out as an archive. */
export const objectIn = (folder: string, { sha256 }: { readonly sha256: string }): string =>
  join(folder, "objects", sha256.slice(0, 2), `${sha256}.gz`);
