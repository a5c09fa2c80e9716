/** Which modules and exports nothing uses. Pure, but for the texts, which come through `Texts`. */
import { loadedByFolder, loadedByName } from "./alike.ts";
import { autoImportWords, searchWords, type WordSearch } from "./auto_imports.ts";
import { Effort, TooMuchError } from "./effort.ts";
import { type UnusedExport, unusedExports } from "./exports.ts";
import type { ModuleFacts, Resolve } from "./facts.ts";
import { buildGraph, type Graph } from "./graph.ts";
import { type Mentions, searchMentions } from "./mentions.ts";
import { type Naming, reach } from "./reach.ts";
import { pythonResolver } from "./resolve_python.ts";
import { scriptResolver } from "./resolve_script.ts";
import { moduleRoots, type Roots } from "./roots.ts";
import type { Settings } from "./settings.ts";
import { sideFiles } from "./side_files.ts";
import { treeOf } from "./tree.ts";

export interface UnusedInput {
  /** Every staged path of the tree. */
  readonly paths: readonly string[];
  readonly facts: ReadonlyMap<string, ModuleFacts>;
  readonly settings: ReadonlyMap<string, Settings>;
  /** Files of the project's own that are no tests, whatever part of the tree is measured: only these are ever reported. */
  readonly own: ReadonlySet<string>;
  readonly isTest: (path: string) => boolean;
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

interface Words {
  readonly search: WordSearch;
  readonly filesOf: ReadonlyMap<string, readonly string[]>;
}

function wordsOf(candidates: readonly string[], { facts, own }: UnusedInput, roots: Roots): Words {
  const filesOf = new Map<string, string[]>();
  const all = new Set<string>();
  for (const path of candidates) {
    if (!roots.autoImports(path)) continue;
    for (const word of autoImportWords(path, facts.get(path))) {
      all.add(word);
      const files = filesOf.get(word);
      if (files === undefined) filesOf.set(word, [path]);
      else files.push(path);
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
