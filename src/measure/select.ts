/** Selecting, staging and counting the files of one commit, in one pass over their contents. */

import { isTestFile } from "./dependencies.ts";
import { isDocument } from "./foreign/documents.ts";
import { vendoredFolders } from "./foreign/folders.ts";
import { GENERATED_STARTS, pageSaysGenerated, saysGenerated } from "./foreign/headers.ts";
import { hasLibraryBanner, isInStyleFolder, isLibraryFile, styleFolders } from "./foreign/libraries.ts";
import { GENERATED_NAMES, VENDOR_PATTERNS } from "./foreign/names.ts";
import { isCompiled, isData, isIconFont, isMinified, isTablePage, isTranslation } from "./foreign/shapes.ts";
import { type Repository, readBlobs } from "./git/objects.ts";
import type { AttributeLookup, Dismissals, PathAttributes } from "./ignore.ts";
import { type Language, languageOf, uncountedLanguage } from "./languages.ts";
import { countLines, headOf, type LineCount } from "./lines.ts";
import { isCompared } from "./repeats/comparable.ts";
import { codeOnly, copyName } from "./repeats/imports.ts";
import { withoutTests } from "./scan.ts";
import { removeCode, type Stage, stageCode, stageFile } from "./texts.ts";
import { type SkipReason, type Skips, skip, type UsableFile } from "./usable.ts";

/** What the bytes of a file say about it before anything reads it as text. */

const NUL_WINDOW = 8_000;
const POINTER = new TextEncoder().encode("version https://git-lfs");

/** Whether the file is binary, by the rule git itself uses: a NUL near the start. UTF-16 files fall here. */
function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, NUL_WINDOW).includes(0);
}

/** Whether the file only points to content kept outside the repository (Git LFS). */
function isLargeFilePointer(bytes: Uint8Array): boolean {
  return bytes.length < 1_024 && POINTER.every((byte, index) => bytes[index] === byte);
}

/**
 * Files that somebody else or a program wrote: vendored, generated, minified; and documents that are kept as pages. The facts lie in the tables below `foreign/`; many of
 * them are those of GitHub's Linguist, without its broad patterns (cache/, env/, testdata/, .vscode/, tools/, docs/). Where a name is
 * used for both, the tree or the text has to prove it.
 */

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

/** Folders that hold tests under a name of their own, told by what lies in them: `regress/` of one project, `checks/` of the next. */

/** Parts of a folder's files that must look like tests, and how many at least: names alone prove nothing. */
export const TEST_FOLDER = { files: 3, share: 2 / 3 } as const;

/** How a test tells what it found: it compares what a program wrote, and says of the outcome that it is one. */
export const VERDICTS: readonly RegExp[] = [
  /^[ \t]*(?:if )?(?:! ?)?(?:cmp|diff)[ \t]+[-\w"'$/.{<]/m,
  /["'` ](?:FAIL|FAILED|FAILURE|PASS|PASSED|BAD|not ok)\b[:!"' ]/,
  /^[ \t]*(?:fail|fatal)[ \t]+["']|\|\|[ \t\\\n]*fail[ \t]+["']/m,
];

/** Stems that say it: `test1.sh`. As a word of a longer name they are what runners pick up (`test_files.ts`). */
const NUMBERED = /^(?:test|regress)[-_]?\d+$/;
/** What a program is expected to write lies beside its test: `a.sh`, `a.sh.expected`, `a.out.ok`. */
const EXPECTED = /\.(?:ok|out|exp|expect|expected|ref|golden|good|stdout|result)$/;

/** A task list of tests, and one that makes something to install. */
const LISTS_TESTS = /^[ \t]*(?:[A-Z_]*TESTS?|REGRESS\w*|check_(?:PROGRAMS|SCRIPTS))[ \t]*[!:?+]?=/m;
const INSTALLS = /^(?:(?:s?bin|lib|libexec)_\w+[ \t]*\+?=|install[\w-]*:)/m;
const TASK_LIST = /(?:^|\/)(?:GNU)?[Mm]akefile(?:\.am)?$/;

const LOOKED_AT = 100_000;

/** What one file says about the folder it lies in. */
interface FolderHint {
  readonly path: string;
  readonly says: "test" | "test list" | "nothing";
}

/** Reads one code file that no runner would pick up. `beside` are the files that are expected output by their names. */
export function folderHint(path: string, text: string, isExpected: (stem: string) => boolean): FolderHint {
  const stem = path.replace(/\.[^./]+$/, "");
  const start = text.slice(0, LOOKED_AT);
  if (TASK_LIST.test(path))
    return { path, says: LISTS_TESTS.test(start) && !INSTALLS.test(start) ? "test list" : "nothing" };
  const isTest =
    NUMBERED.test(stem.slice(stem.lastIndexOf("/") + 1)) ||
    isExpected(stem) ||
    VERDICTS.some((verdict) => verdict.test(start));
  return { path, says: isTest ? "test" : "nothing" };
}

/** Tells the stems of files beside which their expected output lies. */
export function expectedStems(paths: readonly string[]): (stem: string) => boolean {
  const stems = new Set<string>();
  for (const path of paths) {
    if (!EXPECTED.test(path)) continue;
    const slash = path.lastIndexOf("/") + 1;
    const first = path.indexOf(".", slash + 1);
    stems.add(path.slice(0, first));
  }
  return (stem) => stems.has(stem);
}

/** Says of a path whether it lies in a folder of tests. The root is none. */
export function testFolders(hints: readonly FolderHint[]): (path: string) => boolean {
  const counts = new Map<string, { files: number; tests: number }>();
  const proved = new Set<string>();
  for (const { path, says } of hints) {
    const folders = foldersOf(path);
    if (says === "test list") {
      const folder = folders.at(-1);
      if (folder !== undefined) proved.add(folder);
      continue;
    }
    if (TASK_LIST.test(path)) continue;
    for (const folder of folders) {
      const count = counts.get(folder) ?? { files: 0, tests: 0 };
      counts.set(folder, count);
      count.files++;
      if (says === "test") count.tests++;
    }
  }
  for (const [folder, { files, tests }] of counts) {
    if (tests >= TEST_FOLDER.files && tests >= files * TEST_FOLDER.share) proved.add(folder);
  }
  return (path) => proved.size > 0 && foldersOf(path).some((folder) => proved.has(folder));
}

/** The folders that a path lies in, from the top. */
function foldersOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** Rust modules in files of their own that another file declares for tests only. */

interface Declaring {
  readonly path: string;
  readonly lines: { readonly testModules: readonly string[] };
}

/** Files that hold a folder's module rather than one that is named after them. */
const FOLDER_MODULES = /(?:^|\/)(?:lib|main|mod)\.rs$/;

/** Says of any path whether it is, or lies in, a module that the files declare for tests only. */
function testModuleFiles(files: readonly Declaring[]): (path: string) => boolean {
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

/** A source file of the project: code or test. */
export interface SourceFile {
  readonly path: string;
  readonly language: Language;
  readonly test: boolean;
  /** Whether it lies inside the measured paths: only then it counts. */
  readonly inPaths: boolean;
  readonly lines: LineCount;
  /** The name of the copy that is compared with others, for code inside the measured paths that is compared at all. */
  readonly copy?: string;
}

/** Everything the later steps read: the whole tree, whatever part of it is measured. */
export interface Selection {
  /** Code and test files. */
  readonly sources: readonly SourceFile[];
  /** Paths of every text file that was staged below `full`. */
  readonly staged: readonly string[];
  /** Whether a path lies inside the measured ones. */
  readonly inPaths: (path: string) => boolean;
  /** False when only the measured paths could be read: what other files use is then not known. */
  readonly whole: boolean;
  /** Languages of the measured paths of which the counter knows no rules, and how many files are of each. */
  readonly uncounted: ReadonlyMap<string, number>;
}

/** The files of one commit and what decides about them. */
interface Candidates {
  readonly files: readonly UsableFile[];
  readonly inPaths: (path: string) => boolean;
  readonly whole: boolean;
  /** What the commit's .gitattributes files say about a path. */
  readonly attributes: AttributeLookup;
  readonly dismissals: Dismissals;
}

/** Files read between two pauses. */
const PAUSE_AFTER = 100;

/** Many small files come in one piece; between them the run must hear that it is to end. */
function pauses(signal: AbortSignal | undefined): () => Promise<void> {
  let files = 0;
  return async () => {
    if (++files % PAUSE_AFTER !== 0) return;
    await Bun.sleep(0);
    signal?.throwIfAborted();
  };
}

/** Reads every usable file once: leaves out what nobody here wrote, stages the rest, counts the source lines. */
export async function selectFiles(
  repository: Repository,
  { files, inPaths, whole, attributes: attributesOf, dismissals }: Candidates,
  stage: Stage,
  skips: Skips,
  onFile: (done: number) => void,
): Promise<Selection> {
  const paths = files.map((file) => file.path);
  const foreign = foreignFiles(paths);
  const isExpected = expectedStems(paths);
  const hints: FolderHint[] = [];
  const uncounted = new Map<string, number>();
  const decoder = new TextDecoder();
  const sources: SourceFile[] = [];
  const staged: string[] = [];
  const pause = pauses(repository.signal);
  let index = 0;
  for await (const bytes of readBlobs(
    repository,
    files.map((file) => file.oid),
  )) {
    const path = files[index++]?.path;
    if (path === undefined) break;
    onFile(index);
    await pause();
    const inside = inPaths(path);
    const leave = (reason: SkipReason) => (inside ? skip(skips, reason) : undefined);
    if (isBinary(bytes)) leave("binary");
    else if (isLargeFilePointer(bytes)) leave("large-file pointer");
    else if (!stageFile(stage, path, bytes)) leave("unusable name");
    else {
      staged.push(path);
      const language = languageOf(path, bytes);
      const attributes = attributesOf(path);
      if (foreign.isVendored(path, attributes)) leave("vendored");
      else if (inside ? dismissals.dismisses("path", path) : dismissals.names("path", path))
        leave("dismissed");
      else if (language === undefined) {
        const name = inside ? uncountedLanguage(path) : undefined;
        if (name !== undefined) uncounted.set(name, (uncounted.get(name) ?? 0) + 1);
      } else {
        const text = decoder.decode(bytes);
        const comments: number[] = [];
        const lines = countLines(text, language.syntax, comments);
        const reason = foreign.judge({ path, bytes, text, head: headOf(text, lines), attributes });
        if (reason !== undefined) leave(reason);
        else {
          const test = isTestFile(path);
          if (!test) hints.push(folderHint(path, text, isExpected));
          const source = { path, language, test, inPaths: inside, lines };
          if (test || !inside || !isCompared(path)) sources.push(source);
          else {
            const copy = copyName(sources.length, path, language);
            stageCode(stage, copy, withoutTests(codeOnly(text, comments, language), lines.tests));
            sources.push({ ...source, copy });
          }
        }
      }
    }
  }
  stage.texts.flush();
  return { sources: withOtherTests(sources, testFolders(hints), stage), staged, inPaths, whole, uncounted };
}

/** That a file is for tests only, other files say: the one that declares it, or those beside it. */
function withOtherTests(
  sources: readonly SourceFile[],
  isInTestFolder: (path: string) => boolean,
  stage: Stage,
): SourceFile[] {
  const isTestModule = testModuleFiles(sources);
  return sources.map((source) => {
    if (source.test || !(isTestModule(source.path) || isInTestFolder(source.path))) return source;
    const { copy, ...rest } = source;
    if (copy !== undefined) removeCode(stage, copy);
    return { ...rest, test: true };
  });
}
