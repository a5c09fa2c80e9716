/** From what every file says to who uses whom. Pure. */

import {
  Effort,
  type ExportFact,
  folderOf,
  foldersUp,
  joinPath,
  type ModuleFacts,
  type Names,
  type Resolve,
  type Tree,
} from "./facts.ts";

// Which exported names nobody takes. Pure; each name of each file is settled once.

/** Uses of one module by another, resolved. */
interface Link {
  readonly to: readonly string[];
  readonly names: Names;
}

/** What a module passes on of others. */
interface PassedOn {
  /** Modules of which it passes on everything. */
  readonly star: readonly string[];
  /** The name it gives → where it comes from. */
  readonly named: ReadonlyMap<string, readonly { readonly file: string; readonly name: string }[]>;
}

interface ExportInput {
  readonly facts: ReadonlyMap<string, ModuleFacts>;
  readonly links: ReadonlyMap<string, readonly Link[]>;
  readonly passedOn: ReadonlyMap<string, PassedOn>;
  readonly reached: ReadonlySet<string>;
  /** Files whose every export is for somebody outside of the graph. */
  readonly open: ReadonlySet<string>;
}

export interface UnusedExport extends ExportFact {
  readonly path: string;
}

/** The exports of reached files that no reached file takes. `isTaken` knows uses that no import shows. */
export function unusedExports(
  input: ExportInput,
  candidates: Iterable<string>,
  isTaken: (path: string, name: string) => boolean,
  effort = new Effort(),
): UnusedExport[] {
  const taken = takenNames(input, effort);
  const found: UnusedExport[] = [];
  for (const path of candidates) {
    const names = taken.get(path);
    if (names === "all" || input.open.has(path) || !input.reached.has(path)) continue;
    for (const one of input.facts.get(path)?.exports ?? []) {
      if (names?.has(one.name) !== true && !isTaken(path, one.name)) found.push({ path, ...one });
    }
  }
  return found;
}

/** For each file the names that somebody takes of it, also through files that pass them on. */
function takenNames(input: ExportInput, effort: Effort): ReadonlyMap<string, Set<string> | "all"> {
  const taken = new Map<string, Set<string> | "all">();
  const open: (readonly [path: string, name: string])[] = [];
  const take = (path: string, name: string) => {
    effort.take(1);
    const names = taken.get(path);
    if (names === "all" || names?.has(name) === true) return;
    if (name === "*") taken.set(path, "all");
    else if (names === undefined) taken.set(path, new Set([name]));
    else names.add(name);
    effort.hold(1);
    open.push([path, name]);
  };
  for (const path of input.open) take(path, "*");
  for (const [path, links] of input.links) {
    if (!input.reached.has(path)) continue;
    for (const { to, names } of links) {
      for (const file of to) {
        if (names === "all") take(file, "*");
        else for (const name of names) take(file, name);
      }
    }
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [path, name] = next;
    const passed = input.passedOn.get(path);
    if (passed === undefined) continue;
    for (const file of passed.star) take(file, name);
    const from = name === "*" ? [...passed.named.values()].flat() : (passed.named.get(name) ?? []);
    for (const one of from) take(one.file, one.name);
  }
  return taken;
}

// Patterns of paths: `*` within a segment, `**` over segments, `{a,b}`; what is more special stands for any text.

/** The part of a pattern before its first wildcard, up to a slash; whatever matches lies below it. */
function fixedPart(pattern: string): string {
  const wild = pattern.search(/[*?{[(!]/);
  if (wild < 0) return pattern;
  const slash = pattern.lastIndexOf("/", wild);
  return slash < 0 ? "" : pattern.slice(0, slash);
}

export type Graph = ReturnType<typeof buildGraph>;

/** The graph. Throws TooMuchError when it would cost too much. */
export function buildGraph(
  facts: ReadonlyMap<string, ModuleFacts>,
  resolveFor: (path: string) => Resolve,
  tree: Tree,
  effort = new Effort(),
) {
  /** File → the files that it loads. */
  const edges = new Map<string, string[]>();
  const links = new Map<string, Link[]>();
  const passedOn = new Map<string, PassedOn>();
  /** Names that some file takes of a module of the tree that was not found. */
  const loose = new Set<string>();
  /** File → its specifiers that lead to no module. */
  const astray = new Map<string, Set<string>>();
  const stray = (path: string, specifier: string) => astray.getOrInsert(path, new Set()).add(specifier);
  const find = moduleFinder(facts.keys(), effort);
  for (const [path, one] of facts) {
    const resolve = resolveFor(path);
    const to = new Set<string>();
    const own: Link[] = [];
    for (const { specifier, names } of one.imports) {
      const found = resolve(path, specifier, names);
      if (found === undefined) {
        stray(path, specifier);
        if (names !== "all") for (const name of names) loose.add(name);
        continue;
      }
      const modules = found.filter((file) => facts.has(file));
      for (const file of modules) to.add(file);
      if (modules.length > 0) own.push({ to: modules, names });
      else stray(path, specifier);
    }
    const passes = passedOnBy(one, (specifier) => resolve(path, specifier, "all"), facts);
    for (const file of passes.files) to.add(file);
    for (const name of passes.loose) loose.add(name);
    for (const pattern of one.globs) {
      const whole = absolute(tree, path, pattern, resolve);
      const loaded = whole === undefined ? [] : find(whole);
      effort.hold(loaded.length);
      for (const file of loaded) to.add(file);
      if (loaded.length > 0) own.push({ to: loaded, names: "all" });
    }
    to.delete(path);
    effort.hold(to.size);
    if (to.size > 0) edges.set(path, [...to]);
    if (own.length > 0) links.set(path, own);
    if (passes.star.length > 0 || passes.named.size > 0)
      passedOn.set(path, { star: passes.star, named: passes.named });
  }
  return { edges, links, passedOn, loose, astray };
}

/** What a module hands on of others: the files, and the names of those that were not found. */
function passedOnBy(
  { reexports }: ModuleFacts,
  resolve: (specifier: string) => readonly string[] | undefined,
  facts: ReadonlyMap<string, ModuleFacts>,
) {
  const files = new Set<string>();
  const loose: string[] = [];
  const star: string[] = [];
  const named = new Map<string, { file: string; name: string }[]>();
  for (const { specifier, names } of reexports) {
    const found = resolve(specifier);
    if (found === undefined && names !== "all") loose.push(...names.map(({ name }) => name));
    for (const file of found?.filter((one) => facts.has(one)) ?? []) {
      files.add(file);
      if (names === "all") star.push(file);
      else for (const { name, as } of names) named.getOrInsert(as, []).push({ file, name });
    }
  }
  return { files, loose, star, named };
}

/** Finds the modules that patterns of paths mean; `effort` pays for each that is looked at. */
export function moduleFinder(
  modules: Iterable<string>,
  effort: Effort,
): (pattern: string) => readonly string[] {
  const sorted = [...modules].sort();
  const known = new Map<string, readonly string[]>();
  return (pattern) =>
    known.getOrInsertComputed(pattern, () => {
      const start = fixedPart(pattern);
      const plain = pattern.replace(/\[[^\]]{0,100}\]|[!@+?]?\([^)]{0,100}\)|\?/g, "*");
      const glob = new Bun.Glob(plain.replace(/^!/, "\\!"));
      const found: string[] = [];
      for (let at = lowerBound(sorted, start); sorted[at]?.startsWith(start) === true; at++) {
        const file = sorted[at] ?? "";
        effort.take(file.length);
        if (glob.match(file)) found.push(file);
      }
      return found;
    });
}

/** A pattern as seen from the root: beside the file, or where a folder around it has such a folder; behind an alias by its folder. */
function absolute(tree: Tree, path: string, pattern: string, resolve: Resolve): string | undefined {
  const folder = folderOf(path);
  const isThere = (one: string | undefined) => one !== undefined && tree.hasFolder(fixedPart(one));
  const beside = joinPath(folder, pattern);
  if (isThere(beside)) return beside;
  if (/^[@~#$]/.test(pattern)) {
    const fixed = fixedPart(pattern);
    for (const file of resolve(path, fixed, "all") ?? [])
      return `${folderOf(file)}${pattern.slice(fixed.length)}`;
  }
  const rest = pattern.replace(/^(?:\.{1,2}\/)+|^[@~#$][^/]*\/|^\/+/, "");
  for (const up of foldersUp(folder)) {
    for (const base of ["", "src", "app"]) {
      const whole = joinPath(up, `${base}/${rest}`);
      if (isThere(whole)) return whole;
    }
  }
  return undefined;
}

function lowerBound(sorted: readonly string[], start: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < start) low = middle + 1;
    else high = middle;
  }
  return low;
}
