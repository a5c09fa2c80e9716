/**
 * `.tower-measure` at the root of the commit: files and findings that the repository's own people want left out, each with their
 * reason. What an entry takes away is counted and told in the report, so that a lower figure never looks like a better one.
 */

import * as v from "valibot";
import { boundedList, fields, hasControl, readContract, rule, ruleMessage, text } from "../base/contract.ts";
import { RepositoryPath } from "../base/repository.ts";
import { BOUNDS, type CodebaseReport } from "../reports/measures.ts";
import { NotMeasurableError } from "./figures.ts";
import type { ObjectReader } from "./git/objects.ts";

// Patterns of paths as a measured repository writes them: `*` and `?` within one name, `**` across folders. No braces
// and no alternatives, so that the time to match grows with the length of the pattern and the path alone.

/** Matches whole paths. Characters of `literal` stand for themselves beside braces. */
function pathGlob(pattern: string, literal = ""): (path: string) => boolean {
  const escaped = [...pattern].map((one) => (`{}${literal}`.includes(one) ? `\\${one}` : one)).join("");
  const glob = new Bun.Glob(escaped.replace(/^!/, "\\!"));
  return (path) => glob.match(path);
}

/** Matches the file of that path and everything in the folder of that path. Brackets are common in names of files: no pattern. */
function fileOrFolder(pattern: string): (path: string) => boolean {
  const trimmed = pattern.replace(/\/+$/, "");
  if (!/[*?]/.test(trimmed)) return (path) => path === trimmed || path.startsWith(`${trimmed}/`);
  const file = pathGlob(trimmed, "[]");
  const folder = pathGlob(`${trimmed}/**`, "[]");
  return (path) => file(path) || folder(path);
}

export const IGNORE_FILE = ".tower-measure";
const MAX_BYTES = 64 * 1024;

/** What an entry can take away. */
const DISMISSIBLE = ["path", "unused-file", "unused-export", "duplicate", "complex-function"] as const;
type DismissalKind = (typeof DISMISSIBLE)[number];

/** Kinds of findings that have a name of their own beside their path. */
const NAMED: ReadonlySet<string> = new Set<DismissalKind>(["unused-export", "complex-function"]);

function line(max: number) {
  return v.pipe(
    text(max),
    rule<string>("blank", (value) => value.trim() !== "", "must not be empty"),
    rule<string>("control-character", (value) => !hasControl(value), "must not hold a control character"),
  );
}

const Entry = v.pipe(
  fields({
    kind: v.picklist(DISMISSIBLE, ruleMessage("kind", `must be one of ${DISMISSIBLE.join(", ")}`)),
    path: RepositoryPath,
    name: v.exactOptional(line(200)),
    reason: line(200),
  }),
  v.forward(
    v.check(
      ({ kind, name }) => name === undefined || NAMED.has(kind),
      ruleMessage("name", `only goes with ${[...NAMED].join(" and ")}`),
    ),
    ["name"],
  ),
);

const Document = fields({ ignore: v.exactOptional(boundedList(Entry, BOUNDS.dismissed)) });

type IgnoreEntry = v.InferOutput<typeof Entry>;
type Dismissed = NonNullable<CodebaseReport["dismissed"]>;

/** The text of a commit's `.tower-measure`; empty when there is none. Throws NotMeasurableError for one that is no such list. */
export async function readDismissals(objects: ObjectReader, commit: string): Promise<Dismissals> {
  const [info] = await objects.info([`${commit}:${IGNORE_FILE}`]);
  if (info === undefined) return new Dismissals([]);
  if (info.type !== "blob") throw refuse("it must be a file");
  if (info.size > MAX_BYTES) throw refuse("it is larger than 64 KiB");
  let bytes = new Uint8Array(0);
  for await (const content of objects.contents([info.oid])) bytes = content.slice();
  const entries = readIgnoreList(bytes);
  if (typeof entries === "string") throw refuse(entries);
  return new Dismissals(entries);
}

function refuse(fault: string): NotMeasurableError {
  return new NotMeasurableError(`${IGNORE_FILE}: ${fault}.`);
}

/** The entries of a list, or the first thing that is wrong with it: which entry, which field, which rule. */
export function readIgnoreList(bytes: Uint8Array): readonly IgnoreEntry[] | string {
  let document: unknown;
  try {
    document = Bun.TOML.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    return `it cannot be read as TOML${error instanceof SyntaxError ? ` (${plain(error.message)})` : ""}`;
  }
  const read = readContract(Document, document);
  if (!read.ok) {
    const [first] = read.errors;
    return first === undefined ? "it cannot be read" : `${place(first.pointer)} ${first.message}`;
  }
  const [unknown] = read.ignored;
  return unknown === undefined ? (read.value.ignore ?? []) : `${place(unknown)} is not known`;
}

/** `/ignore/1/path` in the words of somebody who counts entries from one. */
function place(pointer: string): string {
  const [, list = "", index, field] = pointer.split("/");
  if (list !== "ignore" || index === undefined) return list === "" ? "it" : plain(list);
  return `entry ${Number(index) + 1}${field === undefined ? "" : `: ${plain(field)}`}`;
}

/** The parser's words without what belongs to a terminal. */
function plain(words: string): string {
  return words
    .replace(/^TOML Parse error: /, "")
    .replace(/[^\x20-\x7e]/g, "?")
    .slice(0, 120);
}

/** What is left out of one run, and how often each entry was the reason. */
export class Dismissals {
  readonly #entries: readonly {
    readonly entry: IgnoreEntry;
    readonly matches: (path: string) => boolean;
    readonly found: Set<string>;
  }[];

  constructor(entries: readonly IgnoreEntry[]) {
    this.#entries = entries.map((entry) => ({
      entry,
      matches: fileOrFolder(entry.path),
      found: new Set(),
    }));
  }

  /** Whether an entry names the finding. */
  names(kind: DismissalKind, path: string, name?: string): boolean {
    return this.#naming(kind, path, name).length > 0;
  }

  /**
   * Whether an entry names the finding, which is then left out: every entry that names it counts it, once however often it is asked
   * for. `name` is what the finding is called, or what tells it from others of its path; `place` stands for places that are one
   * finding together.
   */
  dismisses(kind: DismissalKind, path: string, name?: string, place = path): boolean {
    const naming = this.#naming(kind, path, name);
    for (const { found } of naming) found.add(name === undefined ? place : `${place}\0${name}`);
    return naming.length > 0;
  }

  #naming(kind: DismissalKind, path: string, name: string | undefined) {
    return this.#entries.filter(
      ({ entry, matches }) =>
        entry.kind === kind && (entry.name === undefined || entry.name === name) && matches(path),
    );
  }

  /** The entries as the report holds them; `undefined` without any. */
  told(): Dismissed | undefined {
    if (this.#entries.length === 0) return undefined;
    return this.#entries.map(({ entry, found }) => ({ ...entry, count: found.size }));
  }
}

// The `linguist-*` attributes of a commit's .gitattributes files: patterns only, nothing else of the files is obeyed.

/** What a repository says about a path; `undefined` when it says nothing. */
export interface PathAttributes {
  readonly vendored: boolean | undefined;
  readonly generated: boolean | undefined;
  readonly documentation: boolean | undefined;
}

/** Looks a path up. */
export type AttributeLookup = (path: string) => PathAttributes;

type AttributeName = keyof PathAttributes;

interface AttributeLine {
  readonly matches: (path: string) => boolean;
  readonly sets: readonly (readonly [AttributeName, boolean | undefined])[];
}

const MAX_LINES = 2_000;
const MAX_LINE_LENGTH = 2_048;

const ATTRIBUTES_MAX_BYTES = 1024 * 1024;

/** The files of attributes of a commit that are obeyed, and how many lines of all of them together. */
const MAX_FILES = 500;

/** A .gitattributes file: its folder, empty for the root, and its text. */
interface AttributeFile {
  readonly folder: string;
  readonly text: string;
}

/** The .gitattributes files of a commit, the root's first; `paths` are those of its files. Larger ones are none. */
export async function readAttributeFiles(
  objects: ObjectReader,
  commit: string,
  paths: readonly string[],
): Promise<AttributeFile[]> {
  const folders = paths
    .filter((path) => path.endsWith(`/${NAME}`))
    .map((path) => path.slice(0, -NAME.length - 1));
  const wanted = ["", ...folders.sort((a, b) => a.length - b.length)].slice(0, MAX_FILES);
  const found = await objects.info(
    wanted.map((folder) => `${commit}:${folder === "" ? NAME : `${folder}/${NAME}`}`),
  );
  const files: AttributeFile[] = [];
  for (const [index, info] of found.entries()) {
    if (info?.type !== "blob" || info.size > ATTRIBUTES_MAX_BYTES) continue;
    for await (const content of objects.contents([info.oid])) {
      files.push({ folder: wanted[index] ?? "", text: new TextDecoder().decode(content) });
    }
  }
  return files;
}

const NAME = ".gitattributes";

/**
 * Reads .gitattributes files (gitattributes(5)), an outer folder's before those inside it. For each attribute the last matching line of
 * the innermost folder wins, and a pattern counts from its own folder.
 */
export function readAttributes(files: readonly AttributeFile[]): AttributeLookup {
  const byFolder = new Map<string, readonly AttributeLine[]>();
  let left = MAX_LINES;
  for (const { folder, text } of files) {
    const lines = text.split("\n", left);
    left -= lines.length;
    byFolder.set(
      folder,
      lines.map(readLine).filter((line) => line !== undefined),
    );
  }
  return (path) => {
    const found: Record<AttributeName, boolean | undefined> = {
      vendored: undefined,
      generated: undefined,
      documentation: undefined,
    };
    apply(byFolder.get("") ?? [], path, found);
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      const lines = byFolder.get(path.slice(0, at));
      if (lines !== undefined) apply(lines, path.slice(at + 1), found);
    }
    return found;
  };
}

function apply(
  lines: readonly AttributeLine[],
  path: string,
  found: Record<AttributeName, boolean | undefined>,
): void {
  for (const line of lines) {
    if (!line.matches(path)) continue;
    for (const [name, value] of line.sets) found[name] = value;
  }
}

function readLine(line: string): AttributeLine | undefined {
  const text = line.trim();
  if (text === "" || text.startsWith("#") || text.startsWith("!") || text.length > MAX_LINE_LENGTH)
    return undefined;
  const quoted = /^"((?:[^"\\]|\\.)*)"\s+(.*)$/.exec(text);
  const plain = /^(\S+)\s+(.*)$/.exec(text);
  const pattern = quoted?.[1]?.replace(/\\(["\\])/g, "$1") ?? plain?.[1];
  const words = (quoted?.[2] ?? plain?.[2] ?? "").split(/\s+/);
  const sets = words.map(readAttribute).filter((set) => set !== undefined);
  if (pattern === undefined || sets.length === 0) return undefined;
  return { matches: pathMatcher(pattern), sets };
}

function readAttribute(word: string): readonly [AttributeName, boolean | undefined] | undefined {
  const match = /^([-!]?)linguist-(vendored|generated|documentation)(?:=(.*))?$/.exec(word);
  if (match === null) return undefined;
  const name = match[2] as AttributeName;
  if (match[1] === "!") return [name, undefined];
  return [name, match[1] !== "-" && match[3] !== "false"];
}

/** A pattern without a slash matches the last segment; any other matches the whole path from the file's folder. */
function pathMatcher(pattern: string): (path: string) => boolean {
  const inner = pattern.replace(/^\//, "");
  const matches = pathGlob(inner);
  if (inner === pattern && !inner.includes("/")) {
    return (path) => matches(path.slice(path.lastIndexOf("/") + 1));
  }
  return matches;
}
