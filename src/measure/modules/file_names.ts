/** Which files a path without its extension may mean. */

import { words } from "../words.ts";
import type { Tree } from "./facts.ts";
import { joinPath } from "./paths.ts";

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
export function filesAt(tree: Tree, path: string, folders: (folder: string) => readonly string[]): string[] {
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
export function indexOf(tree: Tree, folder: string): string[] {
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
export function sourcesOf(tree: Tree, folder: string, target: string): string[] {
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
