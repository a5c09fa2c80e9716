/** The `linguist-*` attributes of the root .gitattributes file: patterns only, nothing else of the file is obeyed. */
import { pathGlob } from "./glob.ts";
import type { ObjectReader } from "./objects.ts";

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

/** The text of the root .gitattributes of a commit; empty when there is none, or a larger one. */
export async function rootAttributes(objects: ObjectReader, commit: string): Promise<string> {
  const [info] = await objects.info([`${commit}:.gitattributes`]);
  if (info?.type !== "blob" || info.size > MAX_BYTES) return "";
  let text = "";
  for await (const content of objects.contents([info.oid])) text = new TextDecoder().decode(content);
  return text;
}

/** Reads a .gitattributes text (gitattributes(5)); the last matching line wins for each attribute. */
export function readAttributes(text: string): AttributeLookup {
  const lines = text
    .split("\n", MAX_LINES)
    .map(readLine)
    .filter((line) => line !== undefined);
  return (path) => {
    const found: Record<AttributeName, boolean | undefined> = {
      vendored: undefined,
      generated: undefined,
      documentation: undefined,
    };
    for (const line of lines) {
      if (!line.matches(path)) continue;
      for (const [name, value] of line.sets) found[name] = value;
    }
    return found;
  };
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

/** A pattern without a slash matches the last segment; any other matches the whole path from the root. */
function pathMatcher(pattern: string): (path: string) => boolean {
  const inner = pattern.replace(/^\//, "");
  const matches = pathGlob(inner);
  if (inner === pattern && !inner.includes("/")) {
    return (path) => matches(path.slice(path.lastIndexOf("/") + 1));
  }
  return matches;
}
