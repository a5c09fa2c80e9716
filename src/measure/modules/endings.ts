/** Finding modules by the end of their paths. */
import type { Tree } from "./facts.ts";
import { append } from "./paths.ts";

/** Files by the endings of their paths, at most three segments of it, without their extensions. */
export function endings(tree: Tree): (ending: string) => string[] {
  let index: Map<string, string[]> | undefined;
  const build = () => {
    const made = new Map<string, string[]>();
    for (const path of tree.paths) {
      if (!/\.([cm]?[jt]sx?|vue|svelte|astro)$/.test(path) || path.endsWith(".d.ts")) continue;
      const segments = path
        .replace(/\.[^./]+$/, "")
        .replace(/\/index$/, "")
        .split("/");
      const key = segments.at(-1) ?? "";
      append(made, key, path);
    }
    return made;
  };
  return (ending) => {
    index ??= build();
    const stem = ending.replace(/\.([cm]?[jt]sx?|vue|svelte|astro)$/, "").replace(/\/index$/, "");
    const last = stem.slice(stem.lastIndexOf("/") + 1);
    return (index.get(last) ?? []).filter((path) => {
      const plainPath = path.replace(/\.[^./]+$/, "").replace(/\/index$/, "");
      return plainPath === stem || plainPath.endsWith(`/${stem}`);
    });
  };
}
