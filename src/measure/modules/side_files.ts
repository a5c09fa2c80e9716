/** Files that stand on their own by custom: nothing has to use them, and nobody would remove them for that. */
import { folderOf } from "./paths.ts";

/** Folders whose files are there to be read, copied or tried. */
const SIDE_FOLDERS: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/(^|\/)\.[^/]+(\/|\.[cm]?[jt]s$)/, "settings of tools"],
  [/(^|\/)([\w-]+[-_])?(examples?|samples?|demos?|playgrounds?|sandbox|scenarios)\//, "to be read or tried"],
  [/(^|\/)content\/([^/]+\/)*\+?assets\//, "samples that the articles of a site show"],
  [/(^|\/)(bench|benchmarks?)\//, "measured by hand"],
  [/^(.*\/)?packages\/[\w-]+-tests?\//, "a package that tries the others"],
  [/(^|\/)(fixtures?|__fixtures__|testdata|test[-_]data|__mocks__|cassettes|goldens?)\//, "what tests read"],
  [
    /\{\{|\}\}|(^|\/)(scaffolds?|scaffolding|boilerplates?|cookiecutter[^/]*|archetypes?)\//,
    "what a generator copies",
  ],
  [
    /(^|\/)(?<!(?:src|app|components|pages|resources|views)\/)([\w-]*[-_])?templates?\//,
    "what a generator copies",
  ],
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
    path.endsWith(".pyi") || isDocumentation(path) || SIDE_FOLDERS.some(([pattern]) => pattern.test(path));
}
