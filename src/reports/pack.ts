/**
 * The form of a pack: the ids and lengths of its bodies on one line, then the bodies as they were sent, one after another, all of it
 * one zstd frame. Reports of one site repeat each other, so that together they take a tenth of their bytes.
 */
import { checksumOf } from "../lib/checksum.ts";

/** A pack as it is stored. */
export interface Pack {
  readonly id: number;
  readonly asset: string;
  readonly first: number;
  readonly last: number;
  readonly bodies: number;
  readonly bytes: number;
  readonly data: Uint8Array;
  readonly checksum: number;
}

/** A body with the id of its report. */
export interface PackedBody {
  readonly id: number;
  readonly body: Buffer;
}

/** A pack takes no more bodies from here on: one of them is to be read within a millisecond or two. */
export const FULL = { bodies: 64, bytes: 512 * 1024 } as const;

/** A full pack is made once and kept; the one that still grows is made anew with every report. */
const LEVELS = { full: 15, growing: 9 } as const;

const NEWLINE = 0x0a;
/** Compresses bodies on another thread. */
export function packOf(bodies: readonly PackedBody[], isFull: boolean): Promise<Buffer> {
  return Bun.zstdCompress(contentOf(bodies), { level: isFull ? LEVELS.full : LEVELS.growing });
}

function contentOf(bodies: readonly PackedBody[]): Buffer {
  // Each id as its distance from the one before: sites report in turn, so that the distances repeat.
  const steps = bodies.map(({ id }, place) => id - (bodies[place - 1]?.id ?? 0));
  const head = `${JSON.stringify([steps, bodies.map(({ body }) => body.byteLength)])}\n`;
  return Buffer.concat([Buffer.from(head), ...bodies.map(({ body }) => body)]);
}

/** The bodies of a stored pack. Throws where its bytes are not those that were written. */
export function unpackStored({ data, checksum }: Pick<Pack, "data" | "checksum">): PackedBody[] {
  if (checksumOf(data) !== checksum) throw new Error("it is not as it was written");
  return unpack(data);
}

/** The bodies of a pack, in the order of their reports. Throws when it is not what `packOf` made. */
export function unpack(data: Uint8Array): PackedBody[] {
  const content = Bun.zstdDecompressSync(data);
  const end = content.indexOf(NEWLINE);
  const head: unknown = JSON.parse(content.toString("utf8", 0, end));
  if (!isHead(head)) throw new Error("a pack of bodies has no head");
  const [steps, lengths] = head;
  let [id, at] = [0, end + 1];
  const bodies = steps.map((step, place) => {
    id += step;
    const from = at;
    at += lengths[place] ?? 0;
    return { id, body: content.subarray(from, at) };
  });
  if (at !== content.byteLength) throw new Error("a pack of bodies is not as long as its head says");
  return bodies;
}

function isHead(head: unknown): head is readonly [readonly number[], readonly number[]] {
  const isNumbers = (part: unknown) => Array.isArray(part) && part.every(Number.isSafeInteger);
  return (
    Array.isArray(head) && head.length === 2 && head.every(isNumbers) && head[0].length === head[1].length
  );
}
