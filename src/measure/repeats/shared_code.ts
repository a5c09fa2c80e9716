/**
 * Which files can hold code of one another, found before they are compared: the comparing tool takes some forty bytes of memory for
 * each byte it is given, so a large project is given to it in parts. No repeated block is lost by that. A block of the least
 * size is a run of tokens, every run that long holds a fingerprint that depends on nothing but its tokens, and files that have a
 * fingerprint in common are in one part.
 */

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Limits, runChild } from "../child.ts";
import type { Stage } from "../texts.ts";
import { Joined, type Pair, readPairs } from "./duplication.ts";

/** Tokens of a fingerprint, and of how many neighbours one is kept: every run of `GRAM + NEIGHBOURS - 1` tokens has one of them. */
const GRAM = 40;
const NEIGHBOURS = 11;

/** The shortest run of our tokens that is found; ours are at most as long as the comparing tool's. */
export const LEAST_TOKENS = GRAM + NEIGHBOURS - 1;

const FIRST_BASE = 0x2545f491;
const SECOND_BASE = 0x5bd1e995;
const FIRST_LAST = power(FIRST_BASE, GRAM);
const SECOND_LAST = power(SECOND_BASE, GRAM);

function power(base: number, times: number): number {
  let value = 1;
  for (let i = 0; i < times; i++) value = Math.imul(value, base);
  return value;
}

const SPACE = 0;
const SIGN = 1;
const WORD = 2;

/** Letters, digits, `_`, `$` and what is no ASCII make words; every other byte is a token by itself, white space none. */
const KIND = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte <= 32) return SPACE;
  return byte >= 128 || /[\w$]/.test(String.fromCharCode(byte)) ? WORD : SIGN;
});

/** Fingerprints of one text, one after the other. Made once: its rings are used again for every text. */
class Fingerprints {
  readonly #tokens = new Int32Array(GRAM);
  readonly #ranks = new Uint32Array(NEIGHBOURS);
  readonly #keys = new Int32Array(NEIGHBOURS);
  /** How many tokens there were, the sums over the newest of them, and which fingerprint was kept last. */
  #count = 0;
  #first = 0;
  #second = 0;
  #best = -1;

  /** Tells each fingerprint that is kept, in the order of the text, as two numbers of 32 bits. */
  each(bytes: Uint8Array, tell: (key: number, rank: number) => void): void {
    this.#tokens.fill(0);
    [this.#count, this.#first, this.#second, this.#best] = [0, 0, 0, -1];
    for (let at = 0; at < bytes.length; ) {
      const end = tokenEnd(bytes, at);
      if (KIND[bytes[at] ?? 0] !== SPACE) {
        this.#add(hashOf(bytes, at, end));
        if (this.#keeps())
          tell(this.#keys[this.#best % NEIGHBOURS] ?? 0, this.#ranks[this.#best % NEIGHBOURS] ?? 0);
      }
      at = end;
    }
  }

  /** The sums run along: the newest token goes in, the one that is `GRAM` tokens old goes out. */
  #add(token: number): void {
    const slot = this.#count++ % GRAM;
    const gone = this.#tokens[slot] ?? 0;
    this.#tokens[slot] = token;
    this.#first = (Math.imul(this.#first, FIRST_BASE) + token - Math.imul(gone, FIRST_LAST)) | 0;
    this.#second = (Math.imul(this.#second, SECOND_BASE) + token - Math.imul(gone, SECOND_LAST)) | 0;
  }

  /** Whether the newest token makes another fingerprint the one to keep: the least of the neighbours, the last of several. */
  #keeps(): boolean {
    const index = this.#count - GRAM;
    if (index < 0) return false;
    const rank = mix(this.#first) >>> 0;
    this.#ranks[index % NEIGHBOURS] = rank;
    this.#keys[index % NEIGHBOURS] = mix(this.#second);
    if (index < NEIGHBOURS - 1) return false;
    const had = this.#best;
    if (had <= index - NEIGHBOURS) this.#best = leastOf(this.#ranks, index);
    else if (rank <= (this.#ranks[had % NEIGHBOURS] ?? 0)) this.#best = index;
    return this.#best !== had;
  }
}

/** Where the token, or the byte of white space, that begins at a place ends. */
function tokenEnd(bytes: Uint8Array, from: number): number {
  let end = from + 1;
  if (KIND[bytes[from] ?? 0] !== WORD) return end;
  while (end < bytes.length && KIND[bytes[end] ?? 0] === WORD) end++;
  return end;
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return mix(hash);
}

function leastOf(ranks: Uint32Array, index: number): number {
  let best = index - NEIGHBOURS + 1;
  for (let at = best + 1; at <= index; at++) {
    if ((ranks[at % NEIGHBOURS] ?? 0) <= (ranks[best % NEIGHBOURS] ?? 0)) best = at;
  }
  return best;
}

/** Spreads the bits of a number over all of it. */
function mix(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** Files are numbers of 18 bits, more than one run may read; the other 14 tell fingerprints with one key apart. */
const FILE_BITS = 18;
const FILE_MASK = (1 << FILE_BITS) - 1;

/** For each fingerprint the file that had it first, in eight bytes. */
class FirstFiles {
  #keys = new Int32Array(1 << 12);
  /** The number of the file plus one, below bits of the rank; 0 where there is nothing. */
  #files = new Int32Array(1 << 12);
  #size = 0;

  /** The file that had the fingerprint before, or -1. */
  add(key: number, rank: number, file: number): number {
    if (this.#size * 4 >= this.#keys.length * 3) this.#grow();
    const tag = rank << FILE_BITS;
    const slot = this.#slot(key, tag);
    const known = this.#files[slot] ?? 0;
    if (known !== 0) return (known & FILE_MASK) - 1;
    this.#keys[slot] = key;
    this.#files[slot] = tag | (file + 1);
    this.#size++;
    return -1;
  }

  /** Where the fingerprint is, or would be. */
  #slot(key: number, tag: number): number {
    const mask = this.#keys.length - 1;
    let slot = key & mask;
    for (; ; slot = (slot + 1) & mask) {
      const held = this.#files[slot] ?? 0;
      if (held === 0 || (this.#keys[slot] === key && (held & ~FILE_MASK) === tag)) return slot;
    }
  }

  #grow(): void {
    const [keys, files] = [this.#keys, this.#files];
    this.#keys = new Int32Array(keys.length * 2);
    this.#files = new Int32Array(files.length * 2);
    for (let at = 0; at < keys.length; at++) {
      const held = files[at] ?? 0;
      if (held === 0) continue;
      const slot = this.#slot(keys[at] ?? 0, held & ~FILE_MASK);
      this.#keys[slot] = keys[at] ?? 0;
      this.#files[slot] = held;
    }
  }
}

/** Gathers texts, and says which of them belong together. */
export class SharedCode {
  readonly #fingerprints = new Fingerprints();
  readonly #first = new FirstFiles();
  readonly #files = new Joined();
  readonly #bytes: number[] = [];
  /** Files with a fingerprint that stands somewhere else, or twice in themselves. */
  readonly #shared: boolean[] = [];

  /** Adds the next text. */
  add(bytes: Uint8Array): void {
    const file = this.#files.add();
    this.#bytes.push(bytes.length);
    this.#shared.push(false);
    this.#fingerprints.each(bytes, (key, rank) => {
      const known = this.#first.add(key, rank, file);
      if (known < 0) return;
      this.#shared[file] = true;
      this.#shared[known] = true;
      this.#files.join(known, file);
    });
  }

  /**
   * The texts that have something in common with another or within themselves, by their numbers, in parts of about so many bytes.
   * Texts that belong together are in one part, also when that makes it larger. The first text of a part comes before the next part's.
   */
  parts(maxBytes: number): number[][] {
    const groups = new Map<number, number[]>();
    for (const [file, isShared] of this.#shared.entries())
      if (isShared) groups.getOrInsert(this.#files.root(file), []).push(file);
    const parts: number[][] = [];
    let room = 0;
    for (const group of groups.values()) {
      const size = group.reduce((sum, file) => sum + (this.#bytes[file] ?? 0), 0);
      if (parts.length === 0 || size > room) {
        parts.push([]);
        room = maxBytes;
      }
      parts.at(-1)?.push(...group);
      room -= size;
    }
    return parts.map((part) => part.sort((a, b) => a - b));
  }
}

// Comparing the code of all files: at once, or in parts where one run of the tool would take more memory than a machine
// has to spare.

/** Most code for one run of the tool, which takes thirty to fifty times as much memory. */
const PART_BYTES = 8 * 1024 * 1024;

const NO_FILE = "jscpd found no file that it can compare.";

/** The pairs among the copies below `code`, or why they are not known. `pathOf` knows the files by the names of their copies. */
export async function comparePairs(
  program: string,
  stage: Stage,
  pathOf: ReadonlyMap<string, string>,
  signal: AbortSignal,
  partBytes = PART_BYTES,
): Promise<readonly Pair[] | string> {
  const copies = [...pathOf.keys()];
  let size = 0;
  for (const copy of copies) if (size <= partBytes) size += Bun.file(stage.codePath(copy)).size;
  if (size <= partBytes) return pairsIn("code", program, stage, pathOf, signal);
  const pairs: Pair[] = [];
  for (const part of await partsOf(stage, copies, partBytes, signal)) {
    for (const copy of part) move(stage.codePath(copy), join(stage.root, "part", copy));
    const found = await pairsIn("part", program, stage, pathOf, signal);
    if (typeof found !== "string") for (const pair of found) pairs.push(pair);
    else if (found !== NO_FILE) return found;
    for (const copy of part) move(join(stage.root, "part", copy), stage.codePath(copy));
    rmSync(join(stage.root, "part"), { recursive: true });
  }
  return pairs;
}

/** The copies that can hold a pair, in parts that share nothing with each other. */
async function partsOf(stage: Stage, copies: readonly string[], partBytes: number, signal: AbortSignal) {
  const shared = new SharedCode();
  for (const copy of copies) {
    signal.throwIfAborted();
    shared.add(await Bun.file(stage.codePath(copy)).bytes());
  }
  return shared.parts(partBytes).map((part) => part.flatMap((index) => copies[index] ?? []));
}

function move(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  renameSync(from, to);
}

// Calling jscpd: fixed parameters, a configuration of our own, an empty working folder, an empty environment.

/**
 * Parameters of the duplication search: jscpd's documented sizes; comments do not count. It skips a larger file without a word, so the
 * largest size is above that of any copy: one of 1 MiB grows where it holds bytes that are no text.
 */
export const DUPLICATION_PARAMETERS = { minTokens: 50, minLines: 5, mode: "weak", maxSize: "4mb" } as const;

const TIMEOUT_MS = 300_000;
const MAX_OUTPUT = 16 * 1024 * 1024;
const MAX_REPORT_MB = 128;

/**
 * Staged files of the largest repositories measured took 0.33 GB, their whole trees 1.3. The report holds source text, so its
 * size needs a limit as well.
 */
const LIMITS: Limits = { memoryMb: 2048, cpuSeconds: 600, fileMb: MAX_REPORT_MB };

/** `jscpd <version>` as the program says it, or `undefined` when it cannot be run. */
export async function jscpdVersion(
  program: string,
  cwd: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const result = await runChild({ ...CALL, command: [program, "--version"], cwd, env: {}, signal });
  if (!result.ok || result.code !== 0) return undefined;
  return /^jscpd \d[\w.+-]{0,40}$/.exec(new TextDecoder().decode(result.stdout).trim())?.[0];
}

const CALL = { limits: LIMITS, timeoutMs: TIMEOUT_MS, maxBytes: MAX_OUTPUT } as const;

/** The pairs in one folder of the stage. */
async function pairsIn(
  folder: "code" | "part",
  program: string,
  stage: Stage,
  pathOf: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<readonly Pair[] | string> {
  const { minTokens, minLines, mode, maxSize } = DUPLICATION_PARAMETERS;
  const [config, output, cwd] = ["duplicates.json", "duplicates", "cwd"].map((name) =>
    join(stage.root, name),
  ) as [string, string, string];
  // A report of an earlier part must not be taken for one that was never written.
  rmSync(output, { recursive: true, force: true });
  writeFileSync(config, JSON.stringify(DUPLICATION_PARAMETERS), { mode: 0o600 });
  const sizes = `-k ${minTokens} -l ${minLines} -m ${mode} -z ${maxSize} --workers 2`.split(" ");
  const fixed = ["-c", config, "--no-gitignore", "-r", "json,silent", "-o", output];
  const command = [program, ...sizes, ...fixed, join(stage.root, folder)];
  // Without a home of its own it asks the machine for the user's, and reads the ignore rules of the user's git.
  const result = await runChild({ ...CALL, command, cwd, env: { HOME: cwd }, signal });
  if (!result.ok) return REASONS[result.reason];
  if (result.code !== 0) return `jscpd ended with code ${result.code}.`;
  if (result.stderr.includes("analyzed no files")) return NO_FILE;
  const file = Bun.file(join(output, "jscpd-report.json"));
  if (!(await file.exists())) return "jscpd wrote no report.";
  if (file.size > MAX_REPORT_MB * 1024 * 1024) return "jscpd's report is larger than the output limit.";
  const report: unknown = await file.json().catch(() => undefined);
  if (report === undefined) return "jscpd's report is not JSON.";
  return readPairs(report, pathOf) ?? "jscpd's report has an unknown shape.";
}

const REASONS = {
  missing: "jscpd cannot be started.",
  killed: "jscpd went over its memory, time or size limit, or broke.",
  timeout: "jscpd did not finish within 5 minutes.",
  "too-large": "jscpd wrote more than the output limit.",
} as const;
