/**
 * Which files of the tree a specifier of a JavaScript or TypeScript module means. In doubt it means more files rather than fewer:
 * a file that is taken for used says nothing wrong.
 */

import { isBuiltin } from "node:module";
import { words } from "../../base/text.ts";
import {
  baseName,
  below,
  Effort,
  folderOf,
  foldersUp,
  isBelow,
  joinPath,
  type Resolve,
  type Tree,
} from "./facts.ts";
import {
  type Mapping,
  type PackageSettings,
  type PathSettings,
  type Settings,
  withExtended,
} from "./settings.ts";

// Finding modules by the end of their paths.

/** Files by the endings of their paths, without their extensions. */
function endings(tree: Tree): (ending: string) => string[] {
  const stemOf = (path: string) => path.replace(SCRIPT, "").replace(/\/index$/, "");
  const lastOf = (stem: string) => stem.slice(stem.lastIndexOf("/") + 1);
  let index: Map<string, string[]> | undefined;
  return (ending) => {
    index ??= Map.groupBy(
      tree.paths.filter((path) => SCRIPT.test(path)),
      (path) => lastOf(stemOf(path)),
    );
    const stem = stemOf(ending);
    return (index.get(lastOf(stem)) ?? []).filter((path) => `/${stemOf(path)}`.endsWith(`/${stem}`));
  };
}

const SCRIPT = /\.([cm]?[jt]sx?|vue|svelte|astro)$/;

/** More files than these that end like a specifier: the ending says nothing. */
const MAX_ALIKE = 3;

/** More files than these of one name are not compared with the one that asks. */
const MAX_NAMESAKES = 1_000;

/**
 * What frameworks let a first segment stand for, from the folder of the package: the application's sources or its root. All of
 * them are tried.
 */
const FRAMEWORK_ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  // Nuxt: the source folder, and the root.
  ["~", ["", "app", "src", "client", "app/src"]],
  ["@", ["", "app", "src", "client", "app/src", "resources/js", "resources", "assets"]],
  ["~~", [""]],
  ["@@", [""]],
  // Nuxt's shared folder and its generated modules.
  ["#shared", ["shared"]],
  ["#server", ["server"]],
  ["#app", ["app", "src/app"]],
  ["#imports", []],
  // SvelteKit.
  ["$lib", ["src/lib", "lib"]],
  ["$routes", ["src/routes"]],
  // Fresh and other Deno projects.
  ["$", [""]],
]);

export type ScriptResolver = ReturnType<typeof scriptResolver>;

/** Prepares a resolver; `settings` by the paths of their files. */
export function scriptResolver(tree: Tree, settings: ReadonlyMap<string, Settings>, effort = new Effort()) {
  const packages = new Map<string, PackageSettings>();
  const byName = new Map<string, string[]>();
  const pathsOf = new Map<string, PathSettings[]>();
  const aliasesOf = new Map<string, Mapping[]>();
  const dependencies = new Set<string>();
  for (const [path, one] of settings) {
    const folder = folderOf(path);
    if (one.kind === "package") {
      packages.set(folder, one);
      if (one.name !== undefined) byName.getOrInsert(one.name, []).push(folder);
      for (const name of one.dependencies) dependencies.add(name);
      for (const alias of one.aliases) aliasesOf.getOrInsert(folder, []).push(alias);
    } else if (one.kind === "paths")
      pathsOf.getOrInsert(folder, []).push(withExtended(path, one, settings, tree, effort));
    else if (one.kind === "config")
      for (const alias of one.aliases)
        aliasesOf.getOrInsert(baseName(folder).startsWith(".") ? folderOf(folder) : folder, []).push(alias);
  }
  const rootOf = new Map<string, string>();
  const packageOf = (folder: string) =>
    rootOf.getOrInsertComputed(folder, () => foldersUp(folder).find((one) => packages.has(one)) ?? "");
  const alike = endings(tree);

  const folderFiles = (folder: string): readonly string[] => {
    const main = packages.get(folder);
    if (main === undefined) return indexOf(tree, folder);
    const started = packageStart(folder, main);
    return started.length > 0 ? started : indexOf(tree, folder);
  };
  const at = (folder: string, path: string): string[] => {
    effort.take(1);
    const joined = joinPath(folder, path);
    return joined === undefined ? [] : filesAt(tree, joined, folderFiles);
  };
  const orBuilt = (folder: string, path: string): string[] => {
    const found = at(folder, path);
    return found.length > 0 ? found : sourcesOf(tree, folder, path);
  };

  function packageStart(folder: string, one: PackageSettings): string[] {
    effort.take(one.exports.length);
    const root = one.exports.find(({ key }) => key === ".");
    const targets = [...(root?.targets ?? []), ...one.paths.slice(0, 50)];
    const found = targets.flatMap((target) => (target.includes("*") ? [] : exact(folder, target)));
    const modules = found.filter((path) => SCRIPT.test(path));
    return modules.length > 0 ? [...new Set(modules)] : usualStart(tree, folder);
  }

  function exact(folder: string, target: string): string[] {
    if (target.startsWith("@") || !/[./]/.test(target)) return [];
    const joined = joinPath(folder, target);
    if (joined === undefined || joined === folder) return [];
    effort.take(1);
    const found = filesAt(tree, joined, (inner) => indexOf(tree, inner));
    return found.length > 0 ? found : sourcesOf(tree, folder, target);
  }

  function fitting(mappings: readonly Mapping[], specifier: string): string[] {
    effort.take(mappings.length);
    return targetsFor(mappings, specifier);
  }

  /** A package of the tree, by its name and what is taken of it. */
  function fromSibling(specifier: string): string[] | undefined {
    const name = packageName(specifier);
    const folders = byName.get(name);
    if (folders === undefined) return undefined;
    const rest = specifier.slice(name.length + 1);
    return folders.flatMap((folder) => {
      const one = packages.get(folder);
      if (one === undefined) return [];
      effort.hold(1);
      if (rest === "") return packageStart(folder, one);
      const mapped = fitting(one.exports, `./${rest}`).flatMap((target) => orBuilt(folder, target));
      if (mapped.length > 0) return mapped;
      const found = orBuilt(folder, rest);
      return found.length > 0 ? found : at(folder, `src/${rest}`);
    });
  }

  function fromPaths(folder: string, specifier: string): string[] {
    for (const up of foldersUp(folder)) {
      for (const one of pathsOf.get(up) ?? []) {
        for (const target of fitting(one.paths, specifier)) {
          const found = at(up, target);
          if (found.length > 0) return found;
        }
        if (one.baseUrl !== undefined) {
          const found = at(up, `${one.baseUrl}/${specifier}`);
          if (found.length > 0) return found;
        }
      }
    }
    return [];
  }

  function fromAliases(folder: string, specifier: string): string[] {
    const found: string[] = [];
    for (const up of foldersUp(folder)) {
      const aliases = aliasesOf.get(up) ?? [];
      effort.take(aliases.length);
      for (const { key, targets } of aliases) {
        if (specifier !== key && !specifier.startsWith(key.endsWith("/") ? key : `${key}/`)) continue;
        const rest = specifier.slice(key.length);
        for (const target of targets) found.push(...at(up, `${target}/${rest}`));
      }
      if (found.length > 0) return found;
    }
    return found;
  }

  function fromFramework(folder: string, specifier: string): string[] {
    const slash = specifier.indexOf("/");
    const first = slash < 0 ? specifier : specifier.slice(0, slash);
    const bases = FRAMEWORK_ALIASES.get(first);
    if (bases === undefined && !first.startsWith("~")) return [];
    const rest = bases === undefined ? specifier.slice(1) : specifier.slice(first.length + 1);
    for (const up of foldersUp(folder)) {
      for (const base of bases ?? ["", "src", "app"]) {
        const found = at(up, `${base}/${rest}`);
        if (found.length > 0 && rest !== "") return found;
      }
    }
    return [];
  }

  /** Files whose path ends like the specifier behind its first segment, those nearest to the one that names them. */
  function fromEnding(from: string, specifier: string): string[] {
    const found = alike(specifier.replace(/^[@~#$]?[^/]*\//, ""));
    effort.take(found.length);
    if (found.length <= MAX_ALIKE) return found;
    if (found.length > MAX_NAMESAKES) return [];
    const root = packageOf(folderOf(from));
    const near = found.filter((path) => isBelow(root, path));
    return near.length <= MAX_ALIKE ? near : [];
  }

  const isForeign = (specifier: string): boolean => {
    const name = packageName(specifier);
    if (dependencies.has(name) || isBuiltin(specifier) || isBuiltin(name)) return true;
    if (/^(https?|npm|jsr|node|bun|data|virtual|cloudflare|astro|deno|file):/.test(specifier)) return true;
    return dependencies.has(`@types/${name.replace(/^@/, "").replace("/", "__")}`);
  };

  function outside(from: string, specifier: string): readonly string[] | undefined {
    const folder = folderOf(from);
    if (specifier.startsWith("#")) {
      for (const up of foldersUp(folder)) {
        const one = packages.get(up);
        const found =
          one === undefined ? [] : fitting(one.imports, specifier).flatMap((target) => orBuilt(up, target));
        if (found.length > 0) return found;
      }
    }
    for (const find of [fromPaths, fromAliases, fromFramework]) {
      const found = find(folder, specifier);
      if (found.length > 0) return found;
    }
    const sibling = fromSibling(specifier);
    if (sibling !== undefined) return sibling.length > 0 ? sibling : undefined;
    if (isForeign(specifier)) return [];
    for (const up of foldersUp(folder)) {
      if (!packages.has(up) && up !== "") continue;
      const found = at(up, specifier);
      if (found.length > 0) return found;
    }
    const ending = fromEnding(from, specifier);
    return ending.length > 0 ? ending : undefined;
  }

  const known = new Map<string, readonly string[] | undefined>();
  const resolve: Resolve = (from, written) => {
    const specifier = plain(written);
    if (specifier === "") return [];
    const folder = folderOf(from);
    if (/^\.{0,2}\/|^\.{1,2}$/.test(specifier)) return beside(folder, specifier);
    return known.getOrInsertComputed(`${folder}\n${specifier}`, () => outside(from, specifier));
  };
  return {
    resolve,
    /** The folder of the package that a file belongs to. */
    packageOf: (path: string) => packageOf(folderOf(path)),
    /** The files that a path-like text of a package's settings means. */
    inPackage: exact,
    /** Names of packages that come from elsewhere. */
    foreign: new Set([...dependencies].filter((name) => !byName.has(name))),
  };

  function beside(folder: string, specifier: string): readonly string[] | undefined {
    if (specifier.startsWith("/")) {
      for (const up of foldersUp(folder)) {
        for (const base of ["", "src", "public", "app"]) {
          const found = at(up, `${base}${specifier}`);
          if (found.length > 0) return found;
        }
      }
      return undefined;
    }
    const found = at(folder, specifier);
    if (found.length > 0) return found;
    const root = packageOf(folder);
    const joined = joinPath(folder, specifier);
    if (joined === undefined || !isBelow(root, joined)) return undefined;
    const built = sourcesOf(tree, root, below(root, joined));
    return built.length > 0 ? built : undefined;
  }
}

/** Without what bundlers let stand around a specifier: loaders, queries. */
function plain(specifier: string): string {
  const loaded = specifier.slice(specifier.lastIndexOf("!") + 1);
  return (loaded.startsWith("#") ? loaded : loaded.replace(/[?#].*$/, "")).replace(/\?.*$/, "");
}

/** `@scope/name/part` → `@scope/name`. */
function packageName(specifier: string): string {
  const parts = specifier.split("/", 2);
  return specifier.startsWith("@") ? parts.join("/") : (parts[0] ?? "");
}

/** The targets of the mappings that fit, those that name most of it first. */
function targetsFor(mappings: readonly Mapping[], specifier: string): string[] {
  return mappings
    .flatMap(({ key, targets }) => {
      const star = key.indexOf("*");
      if (star < 0) return key === specifier ? [{ size: key.length + 1, targets }] : [];
      const [start, end] = [key.slice(0, star), key.slice(star + 1)];
      if (specifier.length < start.length + end.length) return [];
      if (!specifier.startsWith(start) || !specifier.endsWith(end)) return [];
      const middle = specifier.slice(start.length, specifier.length - end.length);
      return [{ size: start.length, targets: targets.map((target) => target.replace("*", () => middle)) }];
    })
    .sort((a, b) => b.size - a.size)
    .flatMap(({ targets }) => targets);
}

// Which files a path without its extension may mean.

/** In the order in which bundlers try them. */
const EXTENSIONS = words("ts tsx mts cts js jsx mjs cjs vue svelte astro mdx d.ts json");

/** Compilers let a text name the file that will be there. */
const BUILT_AS: Readonly<Record<string, readonly string[]>> = {
  js: ["ts", "tsx", "jsx", "vue"],
  jsx: ["tsx"],
  mjs: ["mts", "ts"],
  cjs: ["cts", "ts"],
};

/** React Native and others take one of these instead of the plain file, or beside it. */
const PLATFORMS = ["native", "ios", "android", "web", "server", "client", "shared"];

/** A script that lies beside what it is compiled to: who takes one of them may take the other. */
const TWINS: ReadonlySet<string> = new Set(["ts", "tsx", "mts", "cts"]);

function twinsOf(exact: readonly string[]): string[] {
  return exact.slice(1).filter((path) => /\.[cm]?jsx?$/.test(path));
}

/** The files that `path` means, with or without its extension, or as a folder. */
function filesAt(tree: Tree, path: string, folders: (folder: string) => readonly string[]): string[] {
  if (tree.has(path)) return [path];
  const extension = /\.([cm]?jsx?)$/.exec(path)?.[1];
  if (extension !== undefined) {
    const stem = path.slice(0, -extension.length - 1);
    for (const other of BUILT_AS[extension] ?? [])
      if (tree.has(`${stem}.${other}`)) return [`${stem}.${other}`];
  }
  const exact = withExtensions(tree, path);
  const found = exact
    .slice(0, 1)
    .concat(TWINS.has(exact[0]?.slice(path.length + 1) ?? "") ? twinsOf(exact) : []);
  if (exact.length === 0 || /\.[jt]sx?$/.test(exact[0] ?? "")) {
    found.push(...PLATFORMS.flatMap((platform) => withExtensions(tree, `${path}.${platform}`)));
  }
  if (found.length > 0) return found;
  return tree.hasFolder(path) ? [...folders(path)] : [];
}

function withExtensions(tree: Tree, stem: string): string[] {
  return tree.hasStem(stem) ? EXTENSIONS.map((one) => `${stem}.${one}`).filter(tree.has) : [];
}

/** The index file of a folder. */
function indexOf(tree: Tree, folder: string): string[] {
  const base = folder === "" ? "index" : `${folder}/index`;
  const found = withExtensions(tree, base);
  return [
    ...found.slice(0, 1),
    ...PLATFORMS.flatMap((platform) => withExtensions(tree, `${base}.${platform}`)),
  ];
}

const BUILT_FOLDERS =
  /^(dist|lib|libs|build|out|output|es|esm|cjs|umd|types|typings|commonjs|module|bundle|bundles|target|\.output|\.svelte-kit)$/;
const SOURCE_FOLDERS = ["src", "source", "lib", "app", ""];

/**
 * The sources of a built file that the tree does not hold: `dist/esm/a.js` is made of `src/a.ts`. Nothing when no file of that name
 * lies where sources lie.
 */
function sourcesOf(tree: Tree, folder: string, target: string): string[] {
  const path = target.replace(/^\.\//, "");
  const segments = path
    .replace(/(\.d)?\.[cm]?[jt]sx?$|\.(css|json|map)$/, "")
    .replace(
      /\.(min|esm|cjs|umd|es|module|mjs|bundle|prod|production|development|common|global|browser|node)$/,
      "",
    )
    .split("/");
  let skip = 0;
  while (skip < segments.length - 1 && BUILT_FOLDERS.test(segments[skip] ?? "")) skip++;
  for (let from = skip; from >= (skip === 0 ? 0 : 1); from--) {
    const rest = segments.slice(from).join("/");
    for (const source of SOURCE_FOLDERS) {
      const base = joinPath(folder, `${source}/${rest}`);
      if (base === undefined) continue;
      const found = filesAt(tree, base, (inner) => indexOf(tree, inner));
      if (found.length > 0) return found;
    }
  }
  return [];
}

/** Where a package starts when it does not say so. */
export function usualStart(tree: Tree, folder: string): string[] {
  const names = ["index", "src/index", "lib/index", "src/main", "main", "src/mod", "mod"];
  return names.flatMap((name) => {
    const base = joinPath(folder, name);
    return base === undefined ? [] : filesAt(tree, base, () => []);
  });
}
