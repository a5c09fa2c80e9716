/** Files that stand on their own by custom: nothing has to use them, and nobody would remove them for that. */

/** Folders whose files are there to be read, copied or tried. */
const SIDE_FOLDERS: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/(^|\/)\.[^/]+\//, "settings of tools in dot folders"],
  [
    /(^|\/)(examples?|samples?|demos?|tutorials?|playgrounds?|sandbox|snippets?|recipes)\//,
    "to be read or tried",
  ],
  [
    /(^|\/)(docs?|documentation|website|site)\/([^/]+\/)*(_ext|_exts|extensions|_static|_templates|conf\.py$)/,
    "documentation's own tools",
  ],
  [/(^|\/)(docs?|documentation)\//, "documentation"],
  [/(^|\/)(bench|benchmarks?|perf|stress)\//, "measured by hand"],
  [
    /(^|\/)(fixtures?|__fixtures__|testdata|test[-_]?data|__mocks__|mocks?|cassettes|goldens?|snapshots?)\//,
    "what tests read",
  ],
  [
    /\{\{|\}\}|(^|\/)(scaffolds?|scaffolding|boilerplates?|skeletons?|stubs?|cookiecutter[^/]*|blueprints?|starters?|archetypes?)\//,
    "what a generator copies",
  ],
  [
    /(^|\/)(?<!(?:src|app|components|pages|resources|views)\/)(?:[\w-]*[-_])?templates?\//,
    "what a generator copies",
  ],
];

/** Whether a file is never called unused. */
export function isSideFile(path: string): boolean {
  return path.endsWith(".pyi") || SIDE_FOLDERS.some(([pattern]) => pattern.test(path));
}
