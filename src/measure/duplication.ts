/**
 * Repeated code from jscpd's pairs. jscpd's own percentage counts overlapping pairs twice and parts of one file
 * twice, so lines are counted here: a line is repeated when it lies in a later copy of some block.
 */
import * as v from "valibot";

const Place = v.object({ name: v.string(), start: v.number(), end: v.number() });
const Report = v.object({
  duplicates: v.array(v.object({ firstFile: Place, secondFile: Place, lines: v.number() })),
});

/** One block with every place where it stands. */
export interface DuplicateBlock {
  readonly lines: number;
  readonly places: readonly { readonly path: string; readonly startLine: number }[];
}

export interface Duplication {
  readonly duplicatedLines: number;
  /** Per cent of the physical lines of the code files, two decimals. */
  readonly percent: number;
  /** Largest first: lines x (places - 1), then path. */
  readonly blocks: readonly DuplicateBlock[];
}

/** Reads a report; `physical` holds the physical lines of every staged code file. `undefined`: not jscpd's shape. */
export function readDuplication(
  report: unknown,
  physical: ReadonlyMap<string, number>,
): Duplication | undefined {
  const parsed = v.safeParse(Report, report);
  if (!parsed.success) return undefined;
  const pairs = parsed.output.duplicates.map(({ firstFile, secondFile }) => ({
    first: place(firstFile, physical),
    second: place(secondFile, physical),
  }));
  let total = 0;
  for (const lines of physical.values()) total += lines;
  const repeated = new Map<string, Span[]>();
  const groups = new Groups();
  for (const { first, second } of pairs) {
    if (first === undefined || second === undefined) return undefined;
    const spans = repeated.get(second.path) ?? [];
    repeated.set(second.path, spans);
    spans.push([second.startLine, Math.min(second.endLine, physical.get(second.path) ?? 0)]);
    groups.join(first, second);
  }
  let duplicatedLines = 0;
  for (const spans of repeated.values()) duplicatedLines += countCovered(spans);
  const percent = total === 0 ? 0 : Math.round((duplicatedLines / total) * 10_000) / 100;
  return { duplicatedLines, percent, blocks: groups.blocks() };
}

/** First and last line. */
type Span = readonly [first: number, last: number];

/** How many lines lie in at least one span. Spans can overlap by the thousand, so no line is looked at by itself. */
function countCovered(spans: Span[]): number {
  let covered = 0;
  let reached = 0;
  for (const [first, last] of spans.sort((a, b) => a[0] - b[0])) {
    covered += Math.max(0, last - Math.max(reached, first - 1));
    reached = Math.max(reached, last);
  }
  return covered;
}

interface PlaceOf {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** jscpd names a part of a single-file component `src/x.vue:typescript`; the lines are those of the whole file. */
function place(raw: v.InferOutput<typeof Place>, physical: ReadonlyMap<string, number>): PlaceOf | undefined {
  const name = raw.name.replaceAll("\\", "/");
  const path = physical.has(name) ? name : name.slice(0, Math.max(0, name.lastIndexOf(":")));
  if (!physical.has(path) || !Number.isSafeInteger(raw.start) || !Number.isSafeInteger(raw.end))
    return undefined;
  return { path, startLine: Math.max(1, raw.start), endLine: raw.end };
}

/** Places joined into blocks: all copies of one block are connected by pairs. */
class Groups {
  readonly #parent = new Map<string, string>();
  readonly #places = new Map<string, PlaceOf>();

  join(first: PlaceOf, second: PlaceOf): void {
    const a = this.#root(this.#add(first));
    const b = this.#root(this.#add(second));
    if (a !== b) this.#parent.set(b, a);
  }

  #add(where: PlaceOf): string {
    const key = `${where.startLine}:${where.path}`;
    const known = this.#places.get(key);
    if (known === undefined || known.endLine < where.endLine) this.#places.set(key, where);
    if (!this.#parent.has(key)) this.#parent.set(key, key);
    return key;
  }

  #root(key: string): string {
    let at = key;
    for (;;) {
      const up = this.#parent.get(at) ?? at;
      const above = this.#parent.get(up) ?? up;
      if (above === up) return up;
      // Halving the way on every walk keeps long chains of copies cheap.
      this.#parent.set(at, above);
      at = above;
    }
  }

  blocks(): DuplicateBlock[] {
    const members = new Map<string, PlaceOf[]>();
    for (const [key, where] of this.#places) {
      const root = this.#root(key);
      const group = members.get(root) ?? [];
      group.push(where);
      members.set(root, group);
    }
    return [...members.values()].map(toBlock).sort(byWeight);
  }
}

function toBlock(group: readonly PlaceOf[]): DuplicateBlock {
  const places = group
    .map(({ path, startLine }) => ({ path, startLine }))
    .sort((a, b) => compareText(a.path, b.path) || a.startLine - b.startLine);
  const lines = group.reduce((most, { startLine, endLine }) => Math.max(most, endLine - startLine + 1), 0);
  return { lines, places };
}

function byWeight(a: DuplicateBlock, b: DuplicateBlock): number {
  const weight = (block: DuplicateBlock) => block.lines * (block.places.length - 1);
  return (
    weight(b) - weight(a) ||
    compareText(a.places[0]?.path ?? "", b.places[0]?.path ?? "") ||
    (a.places[0]?.startLine ?? 0) - (b.places[0]?.startLine ?? 0)
  );
}

/** Text order by UTF-16 unit, the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
