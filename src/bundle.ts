/**
 * The service as a few files instead of a thousand: it starts in half the time and holds a seventh less memory. `build.ts` makes them;
 * each bundle lies under the word that says what it was made of, so that nobody ever runs what was.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where the repository lies. */
export const ROOT = join(import.meta.dir, "..");

/** Where bundles lie. */
export const bundlesFolder = (root: string): string => join(root, ".build");

/** Where the bundle of these sources lies: as deep below the root as they do, which find the folders beside `src` from there. */
export const bundleFolder = (root: string): string => join(bundlesFolder(root), stampOf(root));

/**
 * What the service is made of, in one word: what each source says, the packages, and the runtime. Not the times of the files: a copy
 * of a checkout, or an image of it, has others.
 */
function stampOf(root: string): string {
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => join("src", path));
  const lines = ["package.json", "bun.lock", "tsconfig.json", ...sources.sort()].map(
    (path) => `${path} ${Bun.hash(readFileSync(join(root, path)))}`,
  );
  return Bun.hash([Bun.version, ...lines].join("\n")).toString(16);
}

/** The module to run the service from: the bundle, or the sources where there is none of these. */
export function serviceModule(root: string): string {
  const bundled = join(bundleFolder(root), "serve.js");
  return existsSync(bundled) ? bundled : join(root, "src", "serve.ts");
}
