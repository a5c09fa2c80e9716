/** The `linguist-*` attributes of a commit's .gitattributes files: patterns only, nothing else of the files is obeyed. */

import type { ObjectReader } from "./git/objects.ts";
import { pathGlob } from "./glob.ts";

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

const MAX_BYTES = 1024 * 1024;

/** The files of attributes of a commit that are obeyed, and how many lines of all of them together. */
const MAX_FILES = 500;

/** A .gitattributes file: its folder, empty for the root, and its text. */
export interface AttributeFile {
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
    if (info?.type !== "blob" || info.size > MAX_BYTES) continue;
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
  const only = files.every(({ folder }) => folder === "");
  return (path) => {
    const found: Record<AttributeName, boolean | undefined> = {
      vendored: undefined,
      generated: undefined,
      documentation: undefined,
    };
    apply(byFolder.get("") ?? [], path, found);
    for (let at = only ? -1 : path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
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
