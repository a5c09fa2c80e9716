/** What settings files say about modules. Read in the file-reader process, since anybody may have written them. */
import { type Mapping, readConfigText } from "./config_text.ts";
import { parseWithComments } from "./json_text.ts";
import { baseName } from "./paths.ts";

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
export interface ConfigSettings {
  readonly kind: "config";
  readonly aliases: readonly Mapping[];
  /** Entry points that a bundler is given, also as patterns. */
  readonly entries: readonly string[];
}

/** What a Python project says about itself. */
export interface DistributionSettings {
  readonly kind: "distribution";
  /** It is made for others to install and import. */
  readonly isPublished: boolean;
}

export type Settings = PackageSettings | PathSettings | ConfigSettings | DistributionSettings;

const MAX_ITEMS = 5_000;
const MAX_TEXT = 300;

/** Tools' settings whose text may hold aliases and entry points. */
const CONFIGS =
  /^(?:(?:vite|vitest|webpack|rollup|nuxt|svelte|astro|babel|jest|next|vue|tsup|tsdown|unbuild|build|esbuild|rspack|rsbuild|rslib|farm|craco|metro|electron|remix|react-router|quasar|farm|rolldown|snowpack|parcel|umi|gulpfile|karma|cypress|playwright|wxt|plasmo|docusaurus|gatsby|windi|histoire|ember-cli|angular|nx|project|workspace|bunup|pkgroll|config-overrides)[\w.-]*\.(?:[cm]?[jt]s|json)|\.babelrc(?:\.[cm]?js(?:on)?)?|babel\.config\.json|[\w.-]{1,60}\.config\.[\w.-]{0,20}[cm]?[jt]s|main\.[cm]?[jt]s|\.parcelrc|gulpfile\.[cm]?js|esbuild[\w.-]*\.[cm]?[jt]s|build\.[cm]?[jt]s)$/;

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
  if (name === "package.json") {
    const value = parseWithComments(text);
    return isObject(value) ? readPackage(value, text) : undefined;
  }
  if (/^([tj]sconfig[\w.-]*\.json|deno\.jsonc?|import_map\.json)$/.test(name)) {
    const value = parseWithComments(text);
    return isObject(value) ? readPaths(value) : undefined;
  }
  if (DISTRIBUTIONS.test(name)) {
    return { kind: "distribution", isPublished: CLASSIFIER.test(text) && !/\bPrivate ::/.test(text) };
  }
  return { kind: "config", ...readConfigText(text) };
}

const DEPENDENCIES = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
const NO_PATHS = new Set([
  ...DEPENDENCIES,
  "description",
  "version",
  "license",
  "keywords",
  "engines",
  "repository",
  "homepage",
  "bugs",
  "resolutions",
  "overrides",
  "pnpm",
  "author",
  "imports",
  "exports",
]);

function readPackage(value: Fields, text: string): PackageSettings {
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
    dependencies: DEPENDENCIES.flatMap((kind) => {
      const list = value[kind];
      return isObject(list) ? Object.keys(list).slice(0, MAX_ITEMS) : [];
    }),
    aliases: isObject(value["jest"]) || isObject(value["alias"]) ? readConfigText(text).aliases : [],
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
  const keyed = isObject(value) && Object.keys(value).some((key) => key.startsWith(prefix));
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

function readPaths(value: Fields): PathSettings {
  const compiler = isObject(value["compilerOptions"]) ? value["compilerOptions"] : NO_FIELDS;
  const { baseUrl, paths } = compiler;
  const maps = [
    ...(isObject(paths) ? mappingsOf(paths, "") : []),
    ...(isObject(value["imports"]) ? mappingsOf(value["imports"], "") : []),
  ];
  return {
    kind: "paths",
    extends: textsBelow(value["extends"], [], 0),
    ...(typeof baseUrl === "string" ? { baseUrl: baseUrl.slice(0, MAX_TEXT) } : {}),
    paths: maps,
    files: [...textsBelow(value["files"], [], 0), ...textsBelow(value["exports"], [], 0)],
  };
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const NO_FIELDS: Fields = {};
