/** Package lists of Go, Rust, Swift, Dart and Elixir. */

import { replaced, type Search, searchFor } from "../scan.ts";

// Helpers for reading package lists. A list that cannot be read holds nothing; nothing in it is ever run.

/** Packages named by one manifest, with the ecosystem they come from. */
export interface Manifest {
  readonly ecosystem: string;
  readonly names: readonly string[];
  /** The names under which the list itself is a package: siblings that depend on it install nothing. */
  readonly own?: readonly string[];
  /** Other lists that are part of this one, as it names them. */
  readonly includes?: readonly string[];
  /** A program made the list from another one, and it does not say which packages that one asked for. */
  readonly resolved?: true;
  /** What of the list cannot be known without running it. */
  readonly gap?: string;
}

/** A manifest's reader: `undefined` when the text is not what its name promises. */
export type ManifestReader = (text: string) => Manifest | undefined;

/** An object, or `undefined` for anything else. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

/** The value at a chain of keys. */
export function dig(value: unknown, ...keys: readonly string[]): unknown {
  let at = value;
  for (const key of keys) {
    const object = asObject(at);
    at = object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
  }
  return at;
}

/** The keys of an object; none for anything else. */
export function keysOf(value: unknown): string[] {
  return Object.keys(asObject(value) ?? {});
}

/** The names of a table, without those that are paths of the same repository. */
export function namesIn(table: unknown): string[] {
  return keysOf(table).filter((name) => dig(table, name, "path") === undefined);
}

/** The one name a list has, when it has one. */
export function ownName(name: unknown): Pick<Manifest, "own"> {
  return typeof name === "string" && name !== "" ? { own: [name] } : {};
}

/** The strings of a list; none for anything else. */
export function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Parses or gives `undefined`. */
export function attempt(parse: () => unknown): Readonly<Record<string, unknown>> | undefined {
  try {
    return asObject(parse());
  } catch {
    return undefined;
  }
}

/** More keys and tables than these are no package list; the parser's time grows with their square. */
const MAX_TOML_KEYS = 10_000;

/** Reads TOML, or gives `undefined`. Throws for more keys than a package list has: what it holds is then not known. */
export function readToml(text: string): Readonly<Record<string, unknown>> | undefined {
  let keys = 0;
  for (let at = 0; at < text.length; at++) if (text.charAt(at) === "=" || text.charAt(at) === "[") keys++;
  if (keys > MAX_TOML_KEYS) throw new Error("too many keys for a package list");
  return attempt(() => Bun.TOML.parse(text));
}

// Reading package lists that are programs or markup as text, in one pass: what is written may be made to be slow to
// read.

const LINE_END = /[\n\r\u2028\u2029]/;

/** The text without the lines that start with a comment; their ends stay. */
export function withoutCommentLines(text: string, opener: string): string {
  return text
    .split("\n")
    .map((line) => (line.trimStart().startsWith(opener) ? "" : line))
    .join("\n");
}

/** The text without what stands between `open` and `close`. What never closes stays. */
export function without(text: string, open: string, close: string): string {
  return replaced(text, parts(text, open, close).flat(), () => "");
}

/** What stands between each `open` and the next `close`. */
export function between(text: string, open: string, close: string): string[] {
  return parts(text, open, close).map(([start, end]) => text.slice(start + open.length, end - close.length));
}

function parts(text: string, open: string, close: string): (readonly [start: number, end: number])[] {
  const found: (readonly [number, number])[] = [];
  for (let start = text.indexOf(open); start >= 0; ) {
    const shut = text.indexOf(close, start + open.length);
    if (shut < 0) break;
    const end = shut + close.length;
    found.push([start, end]);
    start = text.indexOf(open, end);
  }
  return found;
}

/** Where the first visible character of each line stands. */
function* lineHeads(text: string): Generator<number> {
  let fresh = true;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (LINE_END.test(character)) fresh = true;
    else if (fresh && character.trim() !== "") {
      fresh = false;
      yield at;
    }
  }
}

/**
 * The first group of `pattern`, a sticky one, at the head of each line. A match that runs over lines takes them with it.
 * Linear as long as the pattern runs over nothing but white space, and over that once.
 */
export function matchHeads(text: string, pattern: RegExp): { group: string; end: number }[] {
  const found: { group: string; end: number }[] = [];
  let past = 0;
  for (const head of lineHeads(text)) {
    if (head < past) continue;
    pattern.lastIndex = head;
    const match = pattern.exec(text);
    if (match === null) continue;
    past = pattern.lastIndex;
    found.push({ group: match[1] ?? "", end: past });
  }
  return found;
}

/**
 * For each match of `open` the first `wanted` behind it that starts before `stop` does; the search goes on behind what was
 * found. All three look ahead over the text once.
 */
export function firstInside(text: string, open: RegExp, wanted: RegExp, stop: string): string[] {
  const opens = searchFor(text, open);
  const wanteds = searchFor(text, wanted);
  const stops = searchFor(text, stop);
  const found: string[] = [];
  for (let at = opens(0); at !== undefined; ) {
    const match = wanteds(at.end);
    if (match === undefined) break;
    const inside = comesBefore(match.at, stops, at.end);
    if (inside) found.push(match.group);
    at = opens(inside ? match.end : at.end);
  }
  return found;
}

/** Whether a place comes before the next `stop` behind `from`. */
function comesBefore(place: number, stop: Search, from: number): boolean {
  const next = stop(from);
  return next === undefined || place < next.at;
}

/** `go.mod`: required modules, without the indirect ones. */
export function readGoMod(text: string): Manifest | undefined {
  if (!/^module\s/m.test(text)) return undefined;
  const names: string[] = [];
  let block = false;
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    if (/^require\s*\($/.test(line)) block = true;
    else if (line === ")") block = false;
    else if (!/\/\/\s*indirect\b/.test(line)) {
      const name = (block ? /^([^\s/]\S*)\s+v\S+/ : /^require\s+(\S+)\s+v\S+/).exec(line)?.[1];
      if (name !== undefined) names.push(name);
    }
  }
  return { ecosystem: "go", names, ...ownName(/^module\s+(\S+)/m.exec(text)?.[1]) };
}

/** `Cargo.toml`: all dependency tables, also per target and of the workspace, without paths. */
export function readCargo(text: string): Manifest | undefined {
  const toml = readToml(text);
  if (toml === undefined) return undefined;
  const targets = dig(toml, "target");
  const holders = [toml, dig(toml, "workspace"), ...keysOf(targets).map((key) => dig(targets, key))];
  const names = holders.flatMap((holder) =>
    ["dependencies", "dev-dependencies", "build-dependencies"].flatMap((table) => crates(dig(holder, table))),
  );
  return { ecosystem: "cargo", names, ...ownName(dig(toml, "package", "name")) };
}

function crates(table: unknown): string[] {
  return namesIn(table)
    .filter((name) => dig(table, name, "workspace") !== true)
    .map((name) => String(dig(table, name, "package") ?? name));
}

/** `pubspec.yaml`: dependencies, without those of the SDK and without paths. */
export function readPubspec(text: string): Manifest | undefined {
  const yaml = attempt(() => Bun.YAML.parse(text));
  if (yaml === undefined) return undefined;
  const names = ["dependencies", "dev_dependencies"].flatMap((group) =>
    namesIn(yaml[group]).filter((name) => dig(yaml, group, name, "sdk") === undefined),
  );
  return { ecosystem: "pub", names, ...ownName(yaml["name"]) };
}

/** `mix.exs`: the `{:name, …}` tuples of its `deps` function, read as text. */
export function readMix(text: string): Manifest | undefined {
  const deps = mixDeps(withoutCommentLines(text, "#"));
  if (deps === undefined) return undefined;
  const local = searchFor(deps, /\b(?:path|in_umbrella):/g);
  const closes = searchFor(deps, "}");
  const tuples = [...deps.matchAll(/\{\s*:(\w+)\s*,/g)].filter(({ index, 0: { length } }) => {
    const path = local(index + length);
    return path === undefined || !comesBefore(path.at, closes, index + length);
  });
  return { ecosystem: "hex", names: tuples.map((tuple) => tuple[1] ?? "") };
}

/** The body of the first `def deps` or `defp deps`, up to the first line that starts with `end`. */
function mixDeps(text: string): string | undefined {
  const head = searchFor(text, /defp?\s+deps\b/g)(0);
  const body = head === undefined ? undefined : searchFor(text, /\bdo\b/g)(head.end);
  const firstEnd = body === undefined ? undefined : text.indexOf("\n", body.end);
  if (body === undefined || firstEnd === undefined || firstEnd < 0) return undefined;
  for (const at of lineHeads(text.slice(firstEnd))) {
    if (/^end(?!\w)/.test(text.slice(firstEnd + at, firstEnd + at + 4)))
      return text.slice(body.end, firstEnd + at);
  }
  return undefined;
}

/** `Package.swift`: the addresses of its packages, read as text. */
export function readPackageSwift(text: string): Manifest | undefined {
  if (!/\bPackage\s*\(/.test(text)) return undefined;
  const plain = withoutCommentLines(text, "//");
  const urls = firstInside(plain, /\.package\s*\(/g, /url:\s*"([^"]+)"/g, ")");
  return { ecosystem: "swift", names: urls.map((url) => url.toLowerCase().replace(/\.git$/, "")) };
}

// Package lists of JavaScript.

const LOCAL = /^(workspace|file|link|portal):/;

/** `"a": "npm:real@1"` installs `real`. */
const ALIAS = /^npm:(@?[^@]+)/;

/** `package.json`: what it installs by name, without peers. A version from a catalogue is a version like any other. */
export function readPackageJson(text: string): Manifest | undefined {
  const json = attempt(() => JSON.parse(text));
  if (json === undefined) return undefined;
  const names: string[] = [];
  for (const group of ["dependencies", "devDependencies", "optionalDependencies"]) {
    for (const [name, version] of Object.entries(asObject(json[group]) ?? {})) {
      if (typeof version !== "string") names.push(name);
      else if (!LOCAL.test(version)) names.push(ALIAS.exec(version)?.[1] ?? name);
    }
  }
  return { ecosystem: "npm", names, ...ownName(json["name"]) };
}

/** `deno.json`: what its import map takes from a registry. */
export function readDenoJson(text: string): Manifest | undefined {
  const json = attempt(() => Bun.JSONC.parse(text));
  if (json === undefined) return undefined;
  const imports = dig(json, "imports");
  const names = keysOf(imports).flatMap((key) => {
    // `react/jsx-runtime` is a file of `react`.
    const [, registry, name] = /^(npm|jsr):\/?(@[^@/]+\/[^@/]+|[^@/]+)/.exec(String(dig(imports, key))) ?? [];
    if (name === undefined) return [];
    return [registry === "npm" ? name : `jsr:${name}`];
  });
  return { ecosystem: "npm", names };
}

// Package lists of PHP and Ruby.

/** `composer.json`: names with a slash, which leaves out PHP itself and its extensions. */
export function readComposer(text: string): Manifest | undefined {
  const json = attempt(() => JSON.parse(text));
  if (json === undefined) return undefined;
  const names = [...keysOf(json["require"]), ...keysOf(json["require-dev"])];
  return {
    ecosystem: "composer",
    names: names.filter((name) => name.includes("/")).map((name) => name.toLowerCase()),
    ...ownName(typeof json["name"] === "string" ? json["name"].toLowerCase() : undefined),
  };
}

/** `Gemfile`: `gem "name"` lines, read as text. What its `gemspec` line takes is read from the gemspec. */
export function readGemfile(text: string): Manifest {
  // The bracket takes the white space behind it, so that a run of it is read once.
  return { ecosystem: "gem", names: outside(text, matchHeads(text, /gem\s*(?:\(\s*)?["']([^"']+)["']/y)) };
}

/** The lines that do not name a path of the same repository. */
function outside(text: string, found: readonly { group: string; end: number }[]): string[] {
  const own = found.filter(({ end }) => {
    const line = text.slice(end, text.indexOf("\n", end) < 0 ? text.length : text.indexOf("\n", end));
    return !/\bpath:|:path\s*=>/.test(line);
  });
  return own.map(({ group }) => group);
}

/** `*.gemspec`: the dependencies that it adds, for users and for development, read as text. */
export function readGemspec(text: string): Manifest {
  const added = matchHeads(
    text,
    /\w+\.add_(?:runtime_|development_)?dependency\s*(?:\(\s*)?["']([^"']+)["']/y,
  );
  const [name] = matchHeads(text, /\w+\.name\s*=\s*["']([^"']+)["']/y);
  return { ecosystem: "gem", names: added.map(({ group }) => group), ...ownName(name?.group) };
}

/** `Podfile`: `pod "Name/Part"` lines, read as text. */
export function readPodfile(text: string): Manifest {
  const pods = outside(text, matchHeads(text, /pod\s*(?:\(\s*)?["']([^"'/]+)/y));
  return { ecosystem: "cocoapods", names: pods };
}
