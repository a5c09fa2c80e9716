/** Rust modules in files of their own that another file declares for tests only. */

interface Declaring {
  readonly path: string;
  readonly lines: { readonly testModules: readonly string[] };
}

/** Files that hold a folder's module rather than one that is named after them. */
const FOLDER_MODULES = /(?:^|\/)(?:lib|main|mod)\.rs$/;

/** Says of any path whether it is, or lies in, a module that the files declare for tests only. */
export function testModuleFiles(files: readonly Declaring[]): (path: string) => boolean {
  const modules = new Set<string>();
  for (const { path, lines } of files) {
    const folder = FOLDER_MODULES.test(path) ? path.replace(/[^/]*$/, "") : path.replace(/\.rs$/, "/");
    for (const name of lines.testModules) modules.add(`${folder}${name}`);
  }
  return (path) => {
    if (modules.size === 0 || !path.endsWith(".rs")) return false;
    if (modules.has(path.slice(0, -".rs".length))) return true;
    const folders = path.split("/").slice(0, -1);
    return folders.some((_, at) => modules.has(folders.slice(0, at + 1).join("/")));
  };
}
