/**
 * Repeated code from the pairs that the comparing tool found. Its own percentage counts overlapping pairs twice, so blocks are made
 * here: no line of a file stands in two of them, and every figure is a sum over them. Lines are lines of code: what is no code was
 * taken out of the copies that were compared, so it is left out of the lines that they are held against as well.
 */

import * as v from "valibot";
import type { LineRange } from "../scan.ts";

/** Things known by their numbers that are joined into groups; a group's root is its least member. */
export class Joined {
  readonly #parent: number[] = [];

  /** Adds the next number, a group of its own. */
  add(): number {
    const added = this.#parent.length;
    this.#parent.push(added);
    return added;
  }

  /** Makes the groups of both one. */
  join(a: number, b: number): void {
    const [first, second] = [this.root(a), this.root(b)];
    if (first !== second) this.#parent[Math.max(first, second)] = Math.min(first, second);
  }

  root(member: number): number {
    let at = member;
    for (;;) {
      const up = this.#parent[at] ?? at;
      const above = this.#parent[up] ?? up;
      if (above === up) return up;
      // Halving the way on every walk keeps long chains cheap.
      this.#parent[at] = above;
      at = above;
    }
  }
}

const Place = v.object({ name: v.string(), start: v.number(), end: v.number() });
const Report = v.object({ duplicates: v.array(v.object({ firstFile: Place, secondFile: Place })) });

/** Two parts of files that are alike. */
export interface Pair {
  readonly first: Span;
  readonly second: Span;
}

/** Where a block stands, and how many lines of code it has there. */
export interface BlockPlace {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly lines: number;
}

/** One block with every place where it stands, by path and line; `lines` is its longest place. */
export interface DuplicateBlock {
  readonly lines: number;
  readonly places: readonly BlockPlace[];
}

/** A block has at least so many lines of code in each of its places. */
export const MIN_LINES = 5;

/** The pairs of a report; `pathOf` knows the files by the names of their copies. `undefined`: not the tool's shape. */
export function readPairs(report: unknown, pathOf: ReadonlyMap<string, string>): readonly Pair[] | undefined {
  const parsed = v.safeParse(Report, report);
  if (!parsed.success) return undefined;
  const pairs: Pair[] = [];
  for (const { firstFile, secondFile } of parsed.output.duplicates) {
    const first = spanOf(firstFile, pathOf);
    const second = spanOf(secondFile, pathOf);
    if (first === undefined || second === undefined) return undefined;
    pairs.push({ first, second });
  }
  return pairs;
}

/** The tool names a part of a single-file component `<copy>.vue:typescript`; the lines are those of the whole file. */
function spanOf(raw: v.InferOutput<typeof Place>, pathOf: ReadonlyMap<string, string>): Span | undefined {
  const name = raw.name.replaceAll("\\", "/").split(":", 1)[0] ?? "";
  const path = pathOf.get(name);
  if (path === undefined || !Number.isSafeInteger(raw.start) || !Number.isSafeInteger(raw.end))
    return undefined;
  return { path, from: Math.max(1, raw.start), to: raw.end };
}

/** The blocks of a project, largest first: lines x (places - 1), then path. */
export function findBlocks(
  pairs: readonly Pair[],
  files: ReadonlyMap<string, CopiedFile>,
): readonly DuplicateBlock[] {
  const parts = new Parts();
  for (const pair of pairs) {
    const alike = placesOf(pair, files);
    for (const span of alike) parts.join(alike[0] ?? span, span);
  }
  const claimed = claim(parts.groups(), files);
  return claimed.map(toBlock).sort(byWeight);
}

/** Lines that would go if every block stood once. */
export function repeatedLines(blocks: readonly DuplicateBlock[]): number {
  let sum = 0;
  for (const { lines, places } of blocks) {
    sum -= lines;
    for (const place of places) sum += place.lines;
  }
  return sum;
}

/**
 * The places of a pair. Two that overlap are a run in which the same lines come again and again: its rounds are the places. Rounds
 * shorter than a block are the rows of a table, and nobody would write a row only once.
 */
function placesOf({ first, second }: Pair, files: ReadonlyMap<string, CopiedFile>): readonly Span[] {
  const { path } = first;
  const [from, next] = [first.from, second.from].sort((a, b) => a - b) as [number, number];
  const overlaps = path === second.path && next <= Math.min(first.to, second.to);
  if (!overlaps) return isLong(first, files) && isLong(second, files) ? [first, second] : [];
  const step = next - from;
  const to = Math.max(first.to, second.to);
  const rounds: Span[] = [];
  if (step < MIN_LINES) return rounds;
  for (let at = from; at <= to; at += step) {
    const round = { path, from: at, to: Math.min(to, at + step - 1) };
    if (isLong(round, files)) rounds.push(round);
  }
  return rounds;
}

function isLong({ path, from, to }: Span, files: ReadonlyMap<string, CopiedFile>): boolean {
  return files.get(path)?.holds(from, to, MIN_LINES) === true;
}

/** Parts of files joined into groups: those that are alike, and those that are nearly the same part of one file. */
class Parts {
  readonly #joined = new Joined();
  readonly #spans: Span[] = [];
  readonly #known = new Map<string, Map<string, number>>();

  join(first: Span, second: Span): void {
    this.#joined.join(this.#add(first), this.#add(second));
  }

  #add(span: Span): number {
    const ofFile = this.#known.getOrInsert(span.path, new Map());
    return ofFile.getOrInsertComputed(`${span.from}-${span.to}`, () => {
      this.#spans.push(span);
      return this.#joined.add();
    });
  }

  /** The groups, each with the parts of one file that overlap by most of the longer one made one part. */
  groups(): Span[][] {
    const merged: { span: Span; member: number }[] = [];
    for (const [path, known] of this.#known) {
      const members = [...known.values()].sort((a, b) => this.#byLine(a, b));
      const open: { from: number; to: number; member: number }[] = [];
      for (const member of members) {
        const { from, to } = this.#spans[member] ?? { from: 0, to: 0 };
        const same = open.find((one) => isSamePart(one, { from, to }));
        if (same === undefined) {
          open.unshift({ from, to, member });
          // Parts that lie inside each other by the hundred would take the square of their number.
          const [gone] = open.splice(NEARBY);
          if (gone !== undefined)
            merged.push({ span: { path, from: gone.from, to: gone.to }, member: gone.member });
        } else {
          same.to = Math.max(same.to, to);
          this.#joined.join(same.member, member);
        }
      }
      for (const { from, to, member } of open) merged.push({ span: { path, from, to }, member });
    }
    const groups = Map.groupBy(merged, ({ member }) => this.#joined.root(member));
    return [...groups.values()].map((group) => group.map(({ span }) => span));
  }

  #byLine(a: number, b: number): number {
    const one = this.#spans[a];
    const other = this.#spans[b];
    return (one?.from ?? 0) - (other?.from ?? 0) || (other?.to ?? 0) - (one?.to ?? 0);
  }
}

/** Parts of a file that a further one is held against. */
const NEARBY = 16;

function isSamePart(a: LineRange, b: LineRange): boolean {
  const shared = Math.min(a.to, b.to) - Math.max(a.from, b.from) + 1;
  return shared * 2 >= Math.max(a.to - a.from, b.to - b.from) + 1;
}

/**
 * Gives every line of a file to the heaviest group that wants it. A place keeps its longest piece; one that keeps less than a block, or
 * much less than the others, is gone. A single place that is left goes to the block that took its copies: it is a part of them.
 */
function claim(groups: readonly Span[][], files: ReadonlyMap<string, CopiedFile>): BlockPlace[][] {
  const blocks: BlockPlace[][] = [];
  const ordered = groups
    .map((spans) => ({ spans: spans.sort(bySpan), weight: weightOf(spans, files) }))
    .sort((a, b) => b.weight - a.weight || bySpan(a.spans[0], b.spans[0]));
  for (const { spans } of ordered) {
    const kept: BlockPlace[] = [];
    let owner: number | undefined;
    for (const { path, from, to } of spans) {
      const place = freePlace(path, from, to, files);
      const before = kept.at(-1);
      if (place === undefined) owner ??= files.get(path)?.blockIn(from, to);
      // Parts of one group can lie inside each other.
      else if (before?.path !== path || before.endLine < place.startLine) kept.push(place);
    }
    const block = kept.length >= 2 ? blocks.push([]) - 1 : owner;
    const places = blocks[block ?? -1];
    if (block === undefined || places === undefined) continue;
    const least = secondLongest(kept.length >= 2 ? kept : places) / MUCH_LONGER;
    for (const place of kept) {
      if (place.lines < least) continue;
      files.get(place.path)?.take(place.startLine, place.endLine, block);
      places.push(place);
    }
  }
  return blocks;
}

/**
 * A place is told beside copies of at most so many times its length: beside 40 lines one of 6 asks what it does there. A single one may
 * be longer than all others, since it holds what they are.
 */
const MUCH_LONGER = 3;

function secondLongest(places: readonly BlockPlace[]): number {
  let first = 0;
  let second = 0;
  for (const { lines } of places) {
    second = Math.max(second, Math.min(first, lines));
    first = Math.max(first, lines);
  }
  return second;
}

function freePlace(
  path: string,
  from: number,
  to: number,
  files: ReadonlyMap<string, CopiedFile>,
): BlockPlace | undefined {
  const file = files.get(path);
  const free = file?.free(from, to);
  if (file === undefined || free === undefined) return undefined;
  const [startLine, endLine] = free;
  const lines = file.count(startLine, endLine);
  return lines < MIN_LINES ? undefined : { path, startLine, endLine, lines };
}

function weightOf(spans: readonly Span[], files: ReadonlyMap<string, CopiedFile>): number {
  const longest = spans.reduce((most, { path, from, to }) => {
    return Math.max(most, files.get(path)?.count(from, to) ?? 0);
  }, 0);
  return longest * (spans.length - 1);
}

function toBlock(group: readonly BlockPlace[]): DuplicateBlock {
  const places = [...group].sort((a, b) => compareText(a.path, b.path) || a.startLine - b.startLine);
  return { lines: places.reduce((most, { lines }) => Math.max(most, lines), 0), places };
}

export function byWeight(a: DuplicateBlock, b: DuplicateBlock): number {
  const weight = (block: DuplicateBlock) => block.lines * (block.places.length - 1);
  return (
    weight(b) - weight(a) ||
    compareText(a.places[0]?.path ?? "", b.places[0]?.path ?? "") ||
    (a.places[0]?.startLine ?? 0) - (b.places[0]?.startLine ?? 0)
  );
}

function bySpan(a: Span | undefined, b: Span | undefined): number {
  if (a === undefined || b === undefined) return 0;
  return compareText(a.path, b.path) || a.from - b.from || b.to - a.to;
}

/** Text order by UTF-16 unit, the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

// The compared copies that hold repeated code: which of their lines are code, and which a finding has taken already.

const CODE = 1;
const TAKEN = 2;
/** The first line of a taken part. */
const START = 4;

/** A part of a file; lines count from 1, the last one belongs to it. */
interface Span {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** One compared file, line by line. */
export class CopiedFile {
  readonly #lines: Uint8Array;
  /** The blocks of the taken parts, by first line. */
  readonly #blocks = new Map<number, number>();

  /** The bytes of a copy that holds nothing but code. */
  constructor(copy: Uint8Array) {
    let count = 1;
    for (const byte of copy) if (byte === 10) count++;
    this.#lines = new Uint8Array(count);
    let line = 0;
    for (const byte of copy) {
      if (byte === 10) line++;
      else if (byte > 32) this.#lines[line] = CODE;
    }
  }

  /** Lines of code in a part. */
  count(from: number, to: number): number {
    let count = 0;
    for (let line = from; line <= Math.min(to, this.#lines.length); line++)
      if (((this.#lines[line - 1] ?? 0) & CODE) !== 0) count++;
    return count;
  }

  /** Whether a part has at least so many lines of code; looks no further than that. */
  holds(from: number, to: number, lines: number): boolean {
    let missing = lines;
    for (let line = from; line <= to && line <= this.#lines.length && missing > 0; line++)
      if (((this.#lines[line - 1] ?? 0) & CODE) !== 0) missing--;
    return missing <= 0;
  }

  /** The longest piece of a part that no finding has taken, from code to code; `undefined` when nothing is left. */
  free(from: number, to: number): readonly [from: number, to: number] | undefined {
    let best: readonly [number, number] | undefined;
    let most = 0;
    let start = 0;
    let end = 0;
    let count = 0;
    const last = Math.min(to, this.#lines.length);
    for (let line = from; line <= last + 1; line++) {
      const mark = line > last ? TAKEN : (this.#lines[line - 1] ?? TAKEN);
      if ((mark & TAKEN) !== 0) {
        if (count > most) {
          most = count;
          best = [start, end];
        }
        count = 0;
      } else if (mark === CODE) {
        if (count++ === 0) start = line;
        end = line;
      }
    }
    return best;
  }

  /** Gives a free part to a block. */
  take(from: number, to: number, block: number): void {
    for (let line = from; line <= to; line++) this.#lines[line - 1] = (this.#lines[line - 1] ?? 0) | TAKEN;
    this.#lines[from - 1] = (this.#lines[from - 1] ?? 0) | START;
    this.#blocks.set(from, block);
  }

  /** The block that has the first taken line of a part. */
  blockIn(from: number, to: number): number | undefined {
    let line = from;
    while (line <= to && ((this.#lines[line - 1] ?? 0) & TAKEN) === 0) line++;
    if (line > to) return undefined;
    while (line > 1 && ((this.#lines[line - 1] ?? 0) & START) === 0) line--;
    return this.#blocks.get(line);
  }
}
