/** Compilers' settings may extend others of the tree. */
import type { Effort } from "./effort.ts";
import type { Tree } from "./facts.ts";
import { folderOf, joinPath } from "./paths.ts";
import type { PathSettings, Settings } from "./settings.ts";

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
    const back = backTo(folder, folderOf(found));
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

/** The way from one folder of the tree to another. */
function backTo(from: string, to: string): string {
  const [a, b] = [from, to].map((folder) => (folder === "" ? [] : folder.split("/")));
  return [...(a ?? []).map(() => ".."), ...(b ?? [])].join("/") || ".";
}
