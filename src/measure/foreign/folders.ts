/** Folders that hold other people's code or the output of a build. */

import { words } from "../words.ts";

/** Segments that hold them wherever they stand: those that say so, and those that tools make. */
export const VENDOR_SEGMENT = /^_?vendor(?:ed)?$|^(?:third|3rd)[_-]?party$/;
export const VENDOR_SEGMENTS: readonly string[] = words(`
  node_modules bower_components jspm_packages site-packages Pods Carthage Godeps .next .nuxt .output .svelte-kit
  .docusaurus _build
`);

/**
 * Segments that hold other people's code in one project and the project's own in the next: `deps/` is where C projects keep the
 * libraries they build, and where a web service keeps what its routes depend on; `vendors/` are merchants in a shop. They count as
 * other people's when a licence or a minified file lies in them, at most one folder down.
 */
export const DOUBTFUL_SEGMENTS: readonly string[] = words(
  "deps dependencies vendors extern external externals",
);

const LICENCE = /^(?:licen[cs]es?|copying|copyright|unlicense)(?:[.-][^/]*)?$/i;
const MINIFIED_NAME = /[.-]min\.(?:js|css)$/;

/** Build output of web code; `dist/` of other languages holds packaging scripts. */
const WEB_OUTPUT = /(?:^|\/)dist\/(?:.*\/)?[^/]+\.(?:[cm]?[jt]sx?|css|html?|map|vue)$/;

/** The measuring command itself, where its action was written into a repository: the folder above what its image is built from. */
const CARRIED = /^(\.(?:github|forgejo|gitea|gitlab)\/(?:actions\/)?codebase-report\/)image\/Dockerfile$/;

const CERTAIN = new Set(VENDOR_SEGMENTS);
const DOUBTFUL = new Set(DOUBTFUL_SEGMENTS);

/** Says of any path whether it lies in a folder of other people's code; `paths` is the whole tree. */
export function vendoredFolders(paths: readonly string[]): (path: string) => boolean {
  const proved = new Set(paths.flatMap(provedBy));
  const carried = paths.flatMap((path) => CARRIED.exec(path)?.[1] ?? []);
  return (path) => {
    const folders = path.split("/").slice(0, -1);
    return (
      folders.some((folder) => CERTAIN.has(folder) || VENDOR_SEGMENT.test(folder)) ||
      WEB_OUTPUT.test(path) ||
      carried.some((folder) => path.startsWith(folder)) ||
      folders.some((folder, at) => DOUBTFUL.has(folder) && proved.has(folders.slice(0, at + 1).join("/")))
    );
  };
}

/** The doubtful folders that this file proves to be other people's. */
function provedBy(path: string): string[] {
  const folders = path.split("/");
  const name = folders.pop() ?? "";
  if (!LICENCE.test(name) && !MINIFIED_NAME.test(name)) return [];
  return folders.flatMap((folder, at) =>
    DOUBTFUL.has(folder) && at >= folders.length - 2 ? [folders.slice(0, at + 1).join("/")] : [],
  );
}
