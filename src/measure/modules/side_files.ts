/** Files that stand on their own by custom: nothing has to use them, and nobody would remove them for that. */

/** Folders whose files are there to be read, copied or tried. */
const SIDE_FOLDERS: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/(^|\/)\.[^/]+\//, "settings of tools"],
  [/(^|\/)([\w-]+[-_])?(examples?|samples?|demos?|playgrounds?|sandbox|scenarios)\//, "to be read or tried"],
  [/(^|\/)(docs?|documentation)\//, "documentation and its own tools"],
  [/(^|\/)(bench|benchmarks?)\//, "measured by hand"],
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

/** Whether a file is never called unused. */
export function isSideFile(path: string): boolean {
  return path.endsWith(".pyi") || SIDE_FOLDERS.some(([pattern]) => pattern.test(path));
}
