/** Where Python programs start: what is run, and what tools and frameworks load by name or by place. */
import { type Convention, DJANGO_CONVENTIONS, HAND_STARTED, PYTHON_CONVENTIONS } from "./conventions.ts";
import type { ModuleFacts } from "./facts.ts";
import { folderOf, foldersUp } from "./paths.ts";

/** The Python files that nothing has to import. `published` are the folders of packages that are made for others. */
export function pythonEntries(
  paths: readonly string[],
  facts: ReadonlyMap<string, Pick<ModuleFacts, "imports" | "isProgram">>,
  published: ReadonlySet<string> = new Set(),
): string[] {
  const files = paths.filter((path) => path.endsWith(".py"));
  const used = importedPackages(files, facts);
  const all = new Set(files);
  const conventions = holding([...PYTHON_CONVENTIONS, ...DJANGO_CONVENTIONS], paths, used);
  return files.filter(
    (path) =>
      facts.get(path)?.isProgram === true ||
      isPublic(path, published) ||
      conventions.some(({ files: pattern }) => pattern.test(path)) ||
      (HAND_STARTED.test(path) && !all.has(`${folderOf(path)}/__init__.py`)),
  );
}

/** Whoever installs a package may import each of its modules whose name begins with no underscore. */
function isPublic(path: string, published: ReadonlySet<string>): boolean {
  if (published.size === 0 || !foldersUp(folderOf(path)).some((folder) => published.has(folder)))
    return false;
  return path.split("/").every((part) => !part.startsWith("_") || part === "__init__.py");
}

/** The conventions that hold in this tree. */
export function holding(
  conventions: readonly Convention[],
  paths: readonly string[],
  used: ReadonlySet<string>,
): readonly Convention[] {
  return conventions.filter(
    ({ uses, beside }) =>
      (uses === undefined || uses.some((name) => used.has(name))) &&
      (beside === undefined || paths.some((path) => beside.test(path))),
  );
}

/** The first names of everything that is imported. */
function importedPackages(
  files: readonly string[],
  facts: ReadonlyMap<string, Pick<ModuleFacts, "imports">>,
): ReadonlySet<string> {
  const used = new Set<string>();
  for (const path of files) {
    for (const { specifier } of facts.get(path)?.imports ?? []) used.add(specifier.split(".", 1)[0] ?? "");
  }
  return used;
}
