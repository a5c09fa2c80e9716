/** What settings files say about modules. Read in the file-reader process, since anybody may have written them. */

import { relative } from "node:path/posix";
import { words } from "../../base/text.ts";
import { asObject, attempt, keysOf } from "../manifest/native.ts";
import { baseName, type Effort, folderOf, joinPath, type Tree } from "./facts.ts";

export interface PackageSettings {
  readonly kind: "package";
  readonly name?: string;
  /** Every path-like text outside of dependencies: entry points, programs, words of scripts, settings of tools. */
  readonly paths: readonly string[];
  /** `exports` and `imports`: key, then targets; a `*` stands in both. */
  readonly exports: readonly Mapping[];
  readonly imports: readonly Mapping[];
  readonly dependencies: readonly string[];
  readonly aliases: readonly Mapping[];
}

export interface PathSettings {
  readonly kind: "paths";
  readonly extends: readonly string[];
  readonly baseUrl?: string;
  readonly paths: readonly Mapping[];
  readonly files: readonly string[];
}

/** A tool's own settings, read as text. */
interface ConfigSettings {
  readonly kind: "config";
  readonly aliases: readonly Mapping[];
  /** Entry points that a bundler is given, also as patterns. */
  readonly entries: readonly string[];
}

/** What a Python project says about itself. */
interface DistributionSettings {
  readonly kind: "distribution";
  /** It is made for others to install and import. */
  readonly isPublished: boolean;
}

export type Settings = PackageSettings | PathSettings | ConfigSettings | DistributionSettings;

const MAX_ITEMS = 5_000;
const MAX_TEXT = 300;

/** Tools' settings whose text may hold aliases and entry points: `*.config.*`, and files of tools that name theirs in another way. */
const CONFIGS =
  /^(?:[\w.-]{1,60}\.config\.(?:[\w.-]{0,20}[cm]?[jt]s|json)|\.(?:babel|parcel)rc(?:\.[cm]?js(?:on)?)?|main\.[cm]?[jt]s|(?:angular|babel|build|config-overrides|electron|ember-cli|esbuild|gatsby|gulpfile|jest|karma|nx|project|quasar|rollup|vite|webpack|workspace)[\w.-]*\.(?:[cm]?[jt]s|json))$/;

const DISTRIBUTIONS = /^(pyproject\.toml|setup\.(py|cfg))$/;

/** Only who publishes a package sorts it for the readers of an index. */
const CLASSIFIER =
  /\b(?:Development Status|Programming Language|Intended Audience|Framework|Topic|Operating System) :: \w/;

/** Whether a file holds settings that say where modules lie. */
export function isSettings(path: string): boolean {
  const name = baseName(path);
  if (/(^|\/)node_modules\//.test(path)) return false;
  if (name === "package.json" || /^deno\.jsonc?$/.test(name) || name === "import_map.json") return true;
  if (/^[tj]sconfig[\w.-]*\.json$/.test(name) || DISTRIBUTIONS.test(name)) return true;
  return CONFIGS.test(name);
}

/** Reads one settings file; `undefined` when it holds nothing that can be read. */
export function readSettings(path: string, text: string): Settings | undefined {
  const name = baseName(path);
  // As tools have it: with comments, and with commas before a closing bracket.
  const json = () => attempt(() => Bun.JSONC.parse(text));
  if (name === "package.json") return readPackage(json(), text);
  if (/^([tj]sconfig[\w.-]*\.json|deno\.jsonc?|import_map\.json)$/.test(name)) return readPaths(json());
  if (DISTRIBUTIONS.test(name)) {
    return { kind: "distribution", isPublished: CLASSIFIER.test(text) && !/\bPrivate ::/.test(text) };
  }
  return { kind: "config", ...readConfigText(text) };
}

const DEPENDENCIES = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
const NO_PATHS = new Set(
  words(`
  description version license keywords engines repository homepage bugs resolutions overrides pnpm author imports
  exports
`),
);

function readPackage(value: Fields | undefined, text: string): PackageSettings | undefined {
  if (value === undefined) return undefined;
  const paths: string[] = [];
  for (const [key, field] of Object.entries(value)) {
    if (!NO_PATHS.has(key)) gatherWords(field, paths, 0);
  }
  const name = value["name"];
  return {
    kind: "package",
    ...(typeof name === "string" ? { name: name.slice(0, MAX_TEXT) } : {}),
    paths,
    exports: mappingsOf(value["exports"], "."),
    imports: mappingsOf(value["imports"], "#"),
    dependencies: DEPENDENCIES.flatMap((kind) => keysOf(value[kind]).slice(0, MAX_ITEMS)),
    aliases: (asObject(value["jest"]) ?? asObject(value["alias"])) ? readConfigText(text).aliases : [],
  };
}

/** Words of every text below a field. */
function gatherWords(value: unknown, words: string[], depth: number): void {
  if (depth > 8 || words.length >= MAX_ITEMS) return;
  if (typeof value === "string") {
    for (const [word] of value.slice(0, 5_000).matchAll(/[\w@$.*{},/-]{1,300}/g)) {
      if (/[./]/.test(word) || words.length < 50) words.push(word);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      // `browser` and tools' maps name files in their keys as well.
      if (key.startsWith("./")) words.push(key.slice(0, MAX_TEXT));
      gatherWords(inner, words, depth + 1);
    }
  }
}

/** `exports` may be one target, conditions, or a map of both. */
function mappingsOf(value: unknown, prefix: string): Mapping[] {
  if (value === undefined || value === null) return [];
  const keyed = keysOf(value).some((key) => key.startsWith(prefix));
  const entries = keyed ? Object.entries(value as Fields) : [[".", value] as const];
  return entries
    .slice(0, MAX_ITEMS)
    .map(([key, target]) => ({ key: key.slice(0, MAX_TEXT), targets: textsBelow(target, [], 0) }));
}

function textsBelow(value: unknown, texts: string[], depth: number): string[] {
  if (depth > 8 || texts.length >= 100) return texts;
  if (typeof value === "string") texts.push(value.slice(0, MAX_TEXT));
  else if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) textsBelow(inner, texts, depth + 1);
  }
  return texts;
}

function readPaths(value: Fields | undefined): PathSettings | undefined {
  if (value === undefined) return undefined;
  const { baseUrl, paths } = asObject(value["compilerOptions"]) ?? NO_FIELDS;
  const maps = [paths, value["imports"]].flatMap((map) => mappingsOf(asObject(map), ""));
  return {
    kind: "paths",
    extends: textsBelow(value["extends"], [], 0),
    ...(typeof baseUrl === "string" ? { baseUrl: baseUrl.slice(0, MAX_TEXT) } : {}),
    paths: maps,
    files: [...textsBelow(value["files"], [], 0), ...textsBelow(value["exports"], [], 0)],
  };
}

type Fields = Readonly<Record<string, unknown>>;

const NO_FIELDS: Fields = {};

// Compilers' settings may extend others of the tree.

/** The settings with those they extend: what the file says itself comes first. */
export function withExtended(
  path: string,
  one: PathSettings,
  settings: ReadonlyMap<string, Settings>,
  tree: Tree,
  effort: Effort,
): PathSettings {
  const folder = folderOf(path);
  const paths = [...one.paths];
  let { baseUrl } = one;
  const seen = new Set([path]);
  const queue = one.extends.map((name) => joinPath(folder, name));
  for (let index = 0; index < queue.length && index < 20; index++) {
    const name = queue[index];
    const found = [name, `${name}.json`, `${name}/tsconfig.json`].find(
      (each) => each !== undefined && tree.has(each),
    );
    const base = found === undefined || seen.has(found) ? undefined : settings.get(found);
    if (found === undefined || base?.kind !== "paths") continue;
    seen.add(found);
    const back = relative(`/${folder}`, `/${folderOf(found)}`) || ".";
    for (const { key, targets } of base.paths) {
      effort.hold(targets.length + 1);
      paths.push({ key, targets: targets.map((target) => `${back}/${base.baseUrl ?? "."}/${target}`) });
    }
    if (base.baseUrl !== undefined) baseUrl ??= `${back}/${base.baseUrl}`;
    queue.push(...base.extends.map((inner) => joinPath(folderOf(found), inner)));
  }
  const own = one.baseUrl ?? ".";
  const based = one.paths.map(({ key, targets }) => ({
    key,
    targets: targets.flatMap((t) => [`${own}/${t}`, t]),
  }));
  return {
    ...one,
    paths: [...based, ...paths.slice(one.paths.length)],
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}

// Aliases and entry points in a tool's settings that are a program: read as text, never run.

/** A name, and what it stands for. */
export interface Mapping {
  readonly key: string;
  readonly targets: readonly string[];
}

const MAX_NAMED = 500;

/** Pairs and finds of one text that are looked at. */
const MAX_PAIRS = 5_000;

/** The longest value that is read. */
const MAX_VALUE = 400;

/** The name before `"@": path.resolve(__dirname, "src")`, `'^@/(.*)$': '<rootDir>/src/$1'`. */
const PAIR = /(?:^|[\s{,])["']?([\^@~$#\w][\w@~$#^*.()/\\-]{0,80})["']?\s{0,10}:/gm;
const FIND =
  /\bfind\s{0,5}:\s{0,5}(?:["'`]([^"'`\n]{1,80})["'`]|\/\^?([^\n/]{1,80})\/)\s{0,5},\s{0,40}replacement\s{0,5}:/g;
const QUOTED = /["'`]([^"'`\n]{1,200})["'`]/g;
const ENTRIES = /\b(?:entry|entries|entryPoints|entrypoints|input)["']?\s{0,5}[:=]\s{0,5}([^;]{1,1500})/g;

/** Reads both from one text. What they name is looked up later: a pair that names nothing of the tree is none. */
function readConfigText(text: string): { aliases: Mapping[]; entries: string[] } {
  const aliases: Mapping[] = [];
  const add = (key: string, at: number) => {
    const value = valueAt(text, at);
    const parts = quoted(value).map((part) => part.replace(/^(?:<rootDir>|\$\{[^}]*\})\/?/, "./"));
    const plain = plainKey(key);
    if (parts.length === 0 || plain === "" || aliases.length >= MAX_NAMED) return;
    const whole = /^\s*\[/.test(value) ? parts : [parts.join("/"), parts.at(-1) ?? ""];
    aliases.push({ key: plain, targets: [...new Set(whole)].map(plainTarget) });
  };
  let pairs = 0;
  for (const pattern of [PAIR, FIND]) {
    for (const { 0: whole, 1: key, 2: found = "", index } of text.matchAll(pattern)) {
      if (pairs++ > MAX_PAIRS) break;
      add(key ?? found, index + whole.length);
    }
  }
  const entries = new Set<string>();
  for (const { index, 1: value = "" } of text.matchAll(ENTRIES)) {
    // Hints for bundling ahead name what a tool looks through.
    if (/optimizeDeps["']?\s{0,5}:\s{0,5}\{[^}]{0,300}$/.test(text.slice(Math.max(0, index - 400), index)))
      continue;
    const end = value.search(/\n\s{0,8}[}\]]|\n\s*\w+\s*:/);
    for (const part of quoted(end > 0 ? value.slice(0, end) : value)) {
      if (entries.size < MAX_NAMED && /[./]/.test(part)) entries.add(part);
    }
  }
  return { aliases, entries: [...entries] };
}

/** What stands behind a colon, up to the comma or the brace that ends it; nothing of an object. */
function valueAt(text: string, from: number): string {
  let depth = 0;
  let quote = "";
  const end = Math.min(text.length, from + MAX_VALUE);
  let at = from;
  for (; at < end; at++) {
    const char = text.charAt(at);
    if (quote !== "") {
      if (char === quote || char === "\n") quote = "";
    } else if (char === '"' || char === "'" || char === "`") quote = char;
    else if (char === "(" || char === "[") depth++;
    else if (char === ")" || char === "]") depth--;
    else if (char === "{" || char === ";" || depth < 0 || (depth === 0 && (char === "," || char === "}")))
      break;
  }
  return text.slice(from, at);
}

function quoted(text: string): string[] {
  return [...text.matchAll(QUOTED)].map(([, part = ""]) => part);
}

/** `^@/(.*)$` and `@/*` are both `@`. */
function plainKey(key: string): string {
  return key
    .replace(/^\^|\$$/g, "")
    .replace(/\\/g, "")
    .replace(/\/?\(?\.?\*\)?\/?$/, "");
}

function plainTarget(target: string): string {
  return target.replace(/\/?(?:\$1|\*)$/, "").replace(/\/$/, "");
}
