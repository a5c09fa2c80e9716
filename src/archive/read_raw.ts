/** A report as it came, read: what its rows say, what is kept of them, and its bytes as they are stored. On a worker, since it works long. */

import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { SpoolFault } from "../base/files.ts";
import type { Fault } from "../providers/faults.ts";
import { readReport } from "../providers/providers.ts";
import type { RawPage, RawReport, ReadReport } from "../providers/report_families.ts";
import type { StoredObject } from "../store/objects.ts";
import { insightFold } from "./insight_fold.ts";
import type { InsightBody } from "./insights.ts";

/** What is to be read. */
export interface ReadQuestion {
  readonly raw: RawReport;
  /** Where its bytes go as they are stored: a file that is not there yet. */
  readonly into: string;
  /** What the report of its date said that is stored already (`ReadReport.content`): where this one says the same, nothing is written. */
  readonly known: string | undefined;
}

/** What reading came to. */
export type ReadAnswer =
  | {
      readonly ok: true;
      readonly read: ReadReport;
      /** Undefined where it says what is stored already. */
      readonly packed: StoredObject | undefined;
      /** Of a whole report. */
      readonly insight: InsightBody | undefined;
    }
  | { readonly ok: false; readonly fault: Fault };

/** The level at which everything is packed: the same bytes always make the same object. */
const LEVEL = 6;

/** Reads a report. Throws `SpoolFault`. */
export async function readRaw({ raw, into, known }: ReadQuestion): Promise<ReadAnswer> {
  const isWhole = raw.cut === undefined;
  const fold = insightFold(raw.asked.family);
  const read = await readReport(raw, (row) => {
    if (isWhole) fold.add(row);
  });
  if (!read.ok) return read;
  const { value } = read;
  return {
    ok: true,
    read: value,
    packed: value.content === known ? undefined : await packed(raw.pages, into),
    insight: isWhole ? fold.body(value.notes) : undefined,
  };
}

const NEWLINE = new Uint8Array([10]);

async function* bytesOf(pages: readonly RawPage[], seen: (piece: Uint8Array) => void) {
  for (const [place, { path }] of pages.entries()) {
    const pieces: AsyncIterable<Uint8Array> = Bun.file(path).stream();
    if (place > 0) {
      seen(NEWLINE);
      yield NEWLINE;
    }
    for await (const piece of pieces) {
      seen(piece);
      yield piece;
    }
  }
}

/** The bytes of all pages, packed into a file. */
async function packed(pages: readonly RawPage[], into: string): Promise<StoredObject> {
  const [plain, stored] = [new Bun.CryptoHasher("sha256"), new Bun.CryptoHasher("sha256")];
  let [bytes, storedBytes] = [0, 0];
  const source = bytesOf(pages, (piece) => {
    bytes += piece.byteLength;
    plain.update(piece);
  });
  async function* told(pieces: AsyncIterable<Uint8Array>) {
    for await (const piece of pieces) {
      storedBytes += piece.byteLength;
      stored.update(piece);
      yield piece;
    }
  }
  try {
    await pipeline(source, createGzip({ level: LEVEL }), told, createWriteStream(into, { mode: 0o600 }));
  } catch (error) {
    throw new SpoolFault(error);
  }
  return { sha256: plain.digest("hex"), bytes, storedBytes, storedSha256: stored.digest("hex") };
}
