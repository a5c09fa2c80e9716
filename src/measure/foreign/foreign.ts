/**
 * Files that somebody else or a program wrote: vendored, generated, minified; and documents that are kept as pages. The facts are the
 * tables of this folder; many are those of GitHub's Linguist, without its broad patterns (cache/, env/, testdata/, .vscode/, tools/,
 * docs/). Where a name is used for both, the tree or the text has to prove it.
 */

import type { PathAttributes } from "../ignore.ts";
import { isDocument } from "./documents.ts";
import { vendoredFolders } from "./folders.ts";
import { GENERATED_STARTS, pageSaysGenerated, saysGenerated } from "./headers.ts";
import { hasLibraryBanner, isInStyleFolder, isLibraryFile, styleFolders } from "./libraries.ts";
import { GENERATED_NAMES, VENDOR_PATTERNS } from "./names.ts";
import { isCompiled, isData, isIconFont, isMinified, isTablePage, isTranslation } from "./shapes.ts";

/** Why a file is none of the project's own. */
export type Foreign = "vendored" | "generated" | "minified" | "translation" | "document";

/** A source file as it is judged. */
interface Judged {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The lines before the first line of code: comments, as the counter of the file's language reads them. */
  readonly head: string;
  readonly attributes: PathAttributes;
}

/** Judges the files of one tree, which proves some of them. */
interface ForeignFiles {
  /** By its path and what the repository says of it, before anything is read. */
  readonly isVendored: (path: string, attributes: PathAttributes) => boolean;
  /** A file that is not vendored by its path. */
  readonly judge: (file: Judged) => Foreign | undefined;
}

/** Reads the names of a tree; `paths` is all of it. */
export function foreignFiles(paths: readonly string[]): ForeignFiles {
  const inTree = new Set(paths);
  const has = (path: string) => inTree.has(path);
  const isInVendoredFolder = vendoredFolders(paths);
  const styles = styleFolders(paths);
  return {
    isVendored: (path, attributes) => {
      if (attributes.documentation === true) return true;
      if (attributes.vendored !== undefined) return attributes.vendored;
      return (
        isInVendoredFolder(path) ||
        isInStyleFolder(path, styles) ||
        VENDOR_PATTERNS.some((pattern) => pattern.test(path))
      );
    },
    judge: (file) => {
      const { path, bytes, attributes } = file;
      if (attributes.vendored === undefined && isLibrary(file)) return "vendored";
      if (attributes.generated ?? isGenerated(file, has)) return "generated";
      if (attributes.generated !== false && isMinified(path, bytes)) return "minified";
      if (attributes.generated !== false && isTranslation(path, file.text)) return "translation";
      return attributes.documentation !== false && PAGE.test(path) && isDocument(file.text)
        ? "document"
        : undefined;
    },
  };
}

function isLibrary({ path, bytes, head }: Judged): boolean {
  return isLibraryFile(path, bytes.length) || hasLibraryBanner(path, head);
}

/** Where a page or a scripts' head is looked at. */
const PAGE_START = 4_000;

const PAGE_END = 1_000;

const PAGE = /\.(?:x?html?)$/;

/** What a template says at its head it says of what is made with it. */
const TEMPLATE = /\.(?:j2|jinja2?|njk|twig|liquid|hbs|handlebars|mustache|erb|ejs)$/;

const STYLE = /\.(?:css|scss|sass|less|styl)$/;

function isGenerated({ path, text, head }: Judged, has: (path: string) => boolean): boolean {
  if (GENERATED_NAMES.some((pattern) => pattern.test(path))) return true;
  if (!TEMPLATE.test(path) && saysGenerated(head)) return true;
  if (PAGE.test(path))
    return pageSaysGenerated(text.slice(0, PAGE_START), text.slice(-PAGE_END)) || isTablePage(text);
  if (isCompiled(path, text, has)) return true;
  return STYLE.test(path) ? isIconFont(text) : isData(text) || startsAsGenerated(text);
}

function startsAsGenerated(text: string): boolean {
  const start = text.slice(0, PAGE_START);
  return GENERATED_STARTS.some((pattern) => pattern.test(start));
}
