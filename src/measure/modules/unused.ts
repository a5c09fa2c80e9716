/** Which modules and exports nothing uses. Pure, but for the texts, which come through `Texts`. */

import { autoImportWords, searchWords } from "./auto_imports.ts";
import {
  baseName,
  Effort,
  folderOf,
  foldersUp,
  type ModuleFacts,
  type Resolve,
  stemOf,
  TooMuchError,
  type Tree,
} from "./facts.ts";
import { buildGraph, type Graph, type UnusedExport, unusedExports } from "./graph.ts";
import { indexOfMentions, newPlace, type Place, take } from "./mention_index.ts";
import { TextReader } from "./mention_reader.ts";
import { pythonResolver } from "./resolve_python.ts";
import { scriptResolver } from "./resolve_script.ts";
import { moduleRoots, type RootInput, type Roots } from "./roots.ts";
import { spokenLines, textKind } from "./spoken_lines.ts";

// Which files other files name, beside what they import: plug-ins loaded by name or by folder, scripts of templates,
// programs of settings and of task lists. Only for the files that imports do not reach. Each text is passed over once,
// and a mention is kept with the text that holds it: one in a text that is itself unused saves nothing.

type Mentions = ReturnType<typeof searchMentions>;

/**
 * Prepares the search. `all` are the paths of the tree, `packages` the names of packages that others made: a path through one of them
 * is theirs.
 */
export function searchMentions(
  candidates: readonly string[],
  all: readonly string[],
  packages: ReadonlySet<string>,
) {
  const index = indexOfMentions(candidates, all);
  const open = new Set(candidates);
  const hits = new Map<string, Set<Place>>();
  return {
    /** Whether the text of a file can name a candidate. */
    reads: (path: string) => open.size > 0 && textKind(path) !== undefined,
    /** Looks through one text. What a module imports is known: a word for which `isImport` holds names nothing else. */
    read: (path: string, text: string, isImport: (word: string) => boolean = () => false) => {
      const kind = open.size === 0 ? undefined : textKind(path);
      if (kind === undefined) return;
      const reader = new TextReader(index, { path, kind, packages, isImport });
      for (const line of spokenLines(path, text)) reader.readLine(line);
      const found = new Set(reader.places());
      for (const named of reader.files) if (open.has(named)) found.add(newPlace([named]));
      if (found.size > 0) hits.set(path, found);
    },
    /** The candidates that the text of a file names; each is given once, to whoever asks first. */
    takeNamedBy: (path: string) =>
      [...(hits.get(path) ?? [])].flatMap(take).filter((one) => open.delete(one)),
  };
}

// Which files are reached from the roots. Pure; each edge is walked once.

/** Who names files without importing them. */
interface Naming {
  /** The files that a file names. They count once the file is reached; each may be given once only, to whoever asks first. */
  readonly namedBy: (path: string) => readonly string[];
  /** The files that a framework imports because a file holds their names: reached with it, and no roots. */
  readonly usedBy?: (path: string) => readonly string[];
  /** Files that a text names which is no module. */
  readonly always: readonly string[];
  /** Files that such a text makes a framework import. */
  readonly used?: readonly string[];
}

const NOBODY: Naming = { namedBy: () => [], always: [] };

/** Everything reached; a file that is named counts as a root from then on, and what it imports is reached as well. */
export function reach(
  roots: Iterable<string>,
  edges: ReadonlyMap<string, readonly string[]>,
  naming: Naming = NOBODY,
): { readonly reached: ReadonlySet<string>; readonly roots: ReadonlySet<string> } {
  const all = new Set<string>(roots);
  for (const path of naming.always) all.add(path);
  const reached = new Set([...all, ...(naming.used ?? [])]);
  const open = [...reached];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const named = naming.namedBy(path);
    for (const next of named) all.add(next);
    for (const next of [...(edges.get(path) ?? []), ...(naming.usedBy?.(path) ?? []), ...named]) {
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(next);
    }
  }
  return { reached, roots: all };
}

// Files that stand on their own by custom: nothing has to use them, and nobody would remove them for that.

/** Folders whose files are there to be read, copied or tried. */
const SIDE_FOLDERS: readonly RegExp[] = [
  // Settings of tools.
  /(^|\/)\.[^/]+(\/|\.[cm]?[jt]s$)/,
  // To be read or tried.
  /(^|\/)([\w-]+[-_])?(examples?|samples?|demos?|playgrounds?|sandbox|scenarios)\//,
  // Samples that the articles of a site show.
  /(^|\/)content\/([^/]+\/)*\+?assets\//,
  // Measured by hand.
  /(^|\/)(bench|benchmarks?)\//,
  // A package that tries the others.
  /^(.*\/)?packages\/[\w-]+-tests?\//,
  // What tests read.
  /(^|\/)(fixtures?|__fixtures__|testdata|test[-_]data|__mocks__|cassettes|goldens?)\//,
  // What a generator copies.
  /\{\{|\}\}|(^|\/)(scaffolds?|scaffolding|boilerplates?|cookiecutter[^/]*|archetypes?)\//,
  /(^|\/)(?<!(?:src|app|components|pages|resources|views)\/)([\w-]*[-_])?templates?\//,
];

/** Documentation with its own tools; but a package of that name is an application's part. */
const DOCUMENTATION = /^(.*?\/)?(docs?|documentation)\//;

/** Tells the files that are never called unused. `paths` are those of the tree. */
export function sideFiles(paths: readonly string[]): (path: string) => boolean {
  const packages = new Set(paths.flatMap((path) => (path.endsWith("/__init__.py") ? [folderOf(path)] : [])));
  const isDocumentation = (path: string) => {
    const folder = DOCUMENTATION.exec(path)?.[0].slice(0, -1);
    return folder !== undefined && !packages.has(folder);
  };
  return (path) =>
    path.endsWith(".pyi") || isDocumentation(path) || SIDE_FOLDERS.some((pattern) => pattern.test(path));
}

// The paths of one commit as those who resolve names ask for them.

export function treeOf(paths: readonly string[]): Tree {
  const files = new Set(paths);
  const folders = new Set<string>([""]);
  const stems = new Set<string>();
  for (const path of paths) {
    for (let dot = path.indexOf(".", path.lastIndexOf("/") + 1); dot >= 0; dot = path.indexOf(".", dot + 1)) {
      stems.add(path.slice(0, dot));
    }
    for (let folder = folderOf(path); !folders.has(folder); folder = folderOf(folder)) folders.add(folder);
  }
  return {
    paths,
    has: (path) => files.has(path),
    hasFolder: (path) => folders.has(path),
    hasStem: (path) => stems.has(path),
  };
}

interface UnusedInput extends Omit<RootInput, "isSide"> {
  /** Every staged path of the tree. */
  readonly paths: readonly string[];
  /** Gives every staged text once of those that are needed. */
  readonly eachText: (
    read: (path: string, text: string) => void,
    isNeeded: (path: string) => boolean,
  ) => Promise<void>;
}

export interface UnusedCode {
  readonly files: readonly string[];
  readonly exports: readonly UnusedExport[];
  /** Folders of which a program loads every file, and how many files that keeps off the list. */
  readonly loaded: ReadonlyMap<string, number>;
}

/** What is unused, or why that is not known. */
export async function findUnused(input: UnusedInput): Promise<UnusedCode | string> {
  try {
    return await search(input, new Effort());
  } catch (error) {
    if (error instanceof TooMuchError) return error.message;
    throw error;
  }
}

async function search(input: UnusedInput, effort: Effort): Promise<UnusedCode | string> {
  const { facts, own } = input;
  const tree = treeOf(input.paths);
  const isSide = sideFiles(input.paths);
  const scripts = scriptResolver(tree, input.settings, effort);
  const roots = moduleRoots({ ...input, isSide }, tree, scripts, effort);
  const python = pythonResolver(tree);
  const graph = buildGraph(facts, (path) => (path.endsWith(".py") ? python : scripts.resolve), tree, effort);
  const first = reach(roots.all, graph.edges);
  if (![...own].some((path) => first.reached.has(path))) return "No entry point was found.";
  const candidates = [...own].filter((path) => facts.has(path) && !first.reached.has(path));
  const words = wordsOf(candidates, input, roots);
  const mentions = searchMentions(candidates, input.paths, scripts.foreign);
  await input.eachText(
    (path, text) => {
      words.search.read(path, text);
      mentions.read(path, text, importsOf(path, input, graph, scripts.resolve));
    },
    (path) => !words.search.isEmpty || mentions.reads(path),
  );
  const naming = namingOf(input, words, mentions, loadedByName(candidates, input.paths));
  const sure = reach(roots.all, graph.edges, naming);
  const listable = [...own].filter((path) => facts.has(path) && !isSide(path));
  const loaded = loadedByFolder(listable, graph.edges, sure.reached, input.isTest);
  const found =
    loaded.size === 0
      ? sure
      : reach([...sure.roots, ...[...loaded.values()].flat()], graph.edges, {
          ...naming,
          used: [...sure.reached],
        });
  const files = candidates.filter((path) => !found.reached.has(path) && !isSide(path));
  const isTaken = (path: string, name: string) =>
    graph.loose.has(name) ||
    (roots.autoImports(path) &&
      words.search.isHeld(name, path, (holder) => !facts.has(holder) || found.reached.has(holder)));
  const holders = [...own].filter((path) => hasExports(path) && !isSide(path));
  const exports = unusedExports(
    { ...graph, facts, reached: found.reached, open: found.roots },
    holders,
    isTaken,
    effort,
  );
  return { files, exports, loaded: new Map([...loaded].map(([folder, paths]) => [folder, paths.length])) };
}

/** A compiler takes what such a file hands out. */
const FOR_COMPILERS = /(^|\/)jsx-(dev-)?runtime\.[cm]?[jt]sx?$/;

/** Only scripts: what a component exports belongs to its framework, and what a declaration file declares exists elsewhere. */
export function hasExports(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path) && !FOR_COMPILERS.test(path);
}

type Words = ReturnType<typeof wordsOf>;

function wordsOf(candidates: readonly string[], { facts, own }: UnusedInput, roots: Roots) {
  const filesOf = new Map<string, string[]>();
  const all = new Set<string>();
  for (const path of candidates) {
    if (!roots.autoImports(path)) continue;
    for (const word of autoImportWords(path, facts.get(path))) {
      all.add(word);
      filesOf.getOrInsert(word, []).push(path);
    }
  }
  for (const path of own) {
    if (!roots.autoImports(path)) continue;
    for (const { name } of facts.get(path)?.exports ?? []) all.add(name);
  }
  return { search: searchWords(all), filesOf };
}

/** A module's words and mentions count once it is reached; those of any other text always. */
function namingOf(
  { facts, paths }: UnusedInput,
  words: Words,
  mentions: Mentions,
  alike: readonly string[],
): Naming {
  const given = new Set<string>();
  const usedBy = (path: string): string[] => {
    const imported = importedNames(facts.get(path));
    return words.search.heldBy(path).flatMap((word) => {
      // A name that the file imports from elsewhere is not the one that is imported for it.
      if (given.has(word) || imported.has(word)) return [];
      const files = words.filesOf.get(word) ?? [];
      if (!files.includes(path)) given.add(word);
      return files.filter((file) => file !== path);
    });
  };
  const texts = paths.filter((path) => !facts.has(path));
  const used = texts.flatMap(usedBy);
  for (const [word, files] of words.filesOf) {
    for (const file of files) if (words.search.isHeld(word, file, () => false)) used.push(file);
  }
  const always = [...alike, ...texts.flatMap(mentions.takeNamedBy)];
  return { namedBy: mentions.takeNamedBy, usedBy, always, used };
}

/** Modules that a framework makes up of what it imports by itself. */
const MADE_UP = /^(?:#|virtual:)/;

function importedNames(facts: ModuleFacts | undefined): ReadonlySet<string> {
  const names = (facts?.imports ?? []).flatMap((one) =>
    one.names === "all" || MADE_UP.test(one.specifier) ? [] : one.names,
  );
  return new Set(names);
}

/** Whether a word of a script is a specifier that leads to a module: what its imports lead to is known from the graph. */
function importsOf(path: string, { facts }: UnusedInput, { astray }: Graph, resolve: Resolve) {
  let specifiers: ReadonlySet<string> | undefined;
  const isPython = path.endsWith(".py");
  return (word: string): boolean => {
    specifiers ??= new Set(facts.get(path)?.imports.map(({ specifier }) => specifier));
    if (!specifiers.has(word)) return false;
    if (!isPython) return astray.get(path)?.has(word) !== true;
    return (resolve(path, word, "all") ?? []).some((file) => facts.has(file));
  };
}

// Files that a program loads by their name or by their folder, told by the unreached files beside them.

// Files of one name in folders beside each other: `channels/mail/transport.py`, `channels/chat/transport.py`. Something
// loads them by it.

/** So many unreached files of one name, and this share of all of that name there. */
const ALIKE = { files: 3, share: 0.6 } as const;

/** Names that people give anywhere, so that they say nothing. */
const COMMON =
  /^(index|utils?|helpers?|types?|constants?|common|shared|format\w*|dates?|strings?|hooks?|api|services?|lib|mod|styles?|data|config|schemas?|context|store)$/i;

/** The candidates that are loaded by their name. `all` are the paths of the tree. */
export function loadedByName(candidates: readonly string[], all: readonly string[]): string[] {
  const counts = new Map<string, number>();
  const groups = Map.groupBy(
    candidates.filter((path) => !COMMON.test(stemOf(path))),
    groupOf,
  );
  for (const path of all) {
    const group = groupOf(path);
    if (groups.has(group)) counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return [...groups].flatMap(([key, paths]) =>
    paths.length >= ALIKE.files && paths.length >= (counts.get(key) ?? 0) * ALIKE.share ? paths : [],
  );
}

/** The folder above the file's own, and the file's name. */
function groupOf(path: string): string {
  return `${folderOf(folderOf(path))}\n${baseName(path)}`;
}

/**
 * So many unreached files, and this share of all modules below one folder; and at most this share of them in files that are imported
 * by name from outside: a base class or a list of names that stands beside the plug-ins.
 */
const LOADED = { files: 5, share: 0.5, entered: 0.15 } as const;

/** Where whole programs and packages lie: what is true of a folder in them is not true of them. */
const SOURCE_ROOT =
  /(^|\/)(src|source|app|lib|client|server|frontend|backend|web)$|^(packages|apps|libs|services)(\/[^/]+)?$/;

/**
 * The unreached files of folders from which hardly anything is imported by what is in use outside of them, but for tests: plug-ins,
 * commands, a program of its own, which something loads by their folder. Nobody leaves so many dead files in one place and none that
 * is in use. By the topmost folder. `modules` are those that could be listed, and those in use among them.
 */
export function loadedByFolder(
  modules: readonly string[],
  edges: ReadonlyMap<string, readonly string[]>,
  reached: ReadonlySet<string>,
  isTest: (path: string) => boolean,
): Map<string, string[]> {
  const unreached = modules.filter((path) => !reached.has(path));
  const loaded = new Map<string, string[]>();
  if (unreached.length < LOADED.files) return loaded;
  const dead = countFolders(unreached);
  const all = countFolders(modules);
  const folders = [...dead].flatMap(([folder, count]) =>
    folder !== "" &&
    !SOURCE_ROOT.test(folder) &&
    count >= LOADED.files &&
    count >= (all.get(folder) ?? 0) * LOADED.share
      ? [folder]
      : [],
  );
  const isUse = (from: string) => reached.has(from) && !isTest(from);
  const entered = enteredFiles(folders, edges, isUse);
  const isLoaded = (folder: string) =>
    (entered.get(folder)?.size ?? Number.POSITIVE_INFINITY) <= (dead.get(folder) ?? 0) * LOADED.entered;
  for (const path of unreached) {
    const folder = foldersUp(folderOf(path)).findLast(isLoaded);
    if (folder !== undefined) loaded.getOrInsert(folder, []).push(path);
  }
  return loaded;
}

/** The files of each folder that what is in use outside of it imports. */
function enteredFiles(
  folders: readonly string[],
  edges: ReadonlyMap<string, readonly string[]>,
  isUse: (from: string) => boolean,
): ReadonlyMap<string, ReadonlySet<string>> {
  const entered = new Map(folders.map((folder) => [folder, new Set<string>()]));
  if (entered.size === 0) return entered;
  for (const [from, targets] of edges) {
    if (!isUse(from)) continue;
    for (const to of targets) {
      for (const folder of foldersUp(folderOf(to))) {
        if (!from.startsWith(`${folder}/`)) entered.get(folder)?.add(to);
      }
    }
  }
  return entered;
}

/** How many files lie below each folder. */
function countFolders(paths: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) {
    for (const folder of foldersUp(folderOf(path))) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return counts;
}
