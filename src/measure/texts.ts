/** The texts of one commit, one behind the other in one file. */
import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";

/** A whole file, or the part of a file that is one text. */
export interface TextPlace {
  readonly file: string;
  readonly at?: number;
  readonly size?: number;
}

/** Bytes gathered before they are written. */
const BUFFER_BYTES = 1024 * 1024;

/** Where a text begins, times this, plus its size: one number for each of many thousand texts. */
const SIZE_UNIT = 2 ** 21;

export class Texts {
  readonly #file: string;
  readonly #places = new Map<string, number>();
  readonly #buffer = Buffer.alloc(BUFFER_BYTES);
  #fd: number | undefined;
  #written = 0;
  #held = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Adds a text; false when there is one of this path. */
  add(path: string, bytes: Uint8Array): boolean {
    if (this.#places.has(path)) return false;
    this.#places.set(path, (this.#written + this.#held) * SIZE_UNIT + bytes.length);
    if (this.#held + bytes.length > BUFFER_BYTES) this.flush();
    if (bytes.length > BUFFER_BYTES) this.#write(bytes);
    else {
      this.#buffer.set(bytes, this.#held);
      this.#held += bytes.length;
    }
    return true;
  }

  /** Writes what is gathered: before anybody reads. */
  flush(): void {
    this.#write(this.#buffer.subarray(0, this.#held));
    this.#held = 0;
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      this.#fd ??= openSync(this.#file, "wx+", 0o600);
      const count = writeSync(this.#fd, bytes, at, bytes.length - at, this.#written);
      this.#written += count;
      at += count;
    }
  }

  placeOf(path: string): TextPlace {
    const place = this.#places.get(path);
    if (place === undefined) throw new Error(`not staged: ${path}`);
    return { file: this.#file, at: Math.floor(place / SIZE_UNIT), size: place % SIZE_UNIT };
  }

  /** The bytes of a text, valid until the next one is read. */
  read(path: string): Uint8Array {
    const { at = 0, size = 0 } = this.placeOf(path);
    if (size === 0) return new Uint8Array(0);
    if (this.#fd === undefined) throw new Error("nothing was written");
    const bytes = size > BUFFER_BYTES ? Buffer.alloc(size) : this.#buffer.subarray(0, size);
    readWhole(this.#fd, bytes, at);
    return bytes;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** The text at a place, decoded. */
export function readText({ file, at = 0, size }: TextPlace): string {
  if (size === undefined) return decode(readFileSync(file));
  const bytes = Buffer.allocUnsafe(size);
  const fd = openSync(file, "r");
  try {
    readWhole(fd, bytes, at);
  } finally {
    closeSync(fd);
  }
  return decode(bytes);
}

function readWhole(fd: number, bytes: Uint8Array, from: number): void {
  for (let at = 0; at < bytes.length; ) {
    const count = readSync(fd, bytes, at, bytes.length - at, from + at);
    if (count === 0) throw new Error("a staged text is cut off");
    at += count;
  }
}

const DECODER = new TextDecoder();

export function decode(bytes: Uint8Array): string {
  return DECODER.decode(bytes);
}
