/** Selecting, staging and counting the files of one commit, in one pass over their contents. */

import { rmSync } from "node:fs";
import { foreignFiles } from "./foreign/foreign.ts";
import { type Repository, readBlobs } from "./git/objects.ts";
import type { AttributeLookup, Dismissals } from "./ignore.ts";
import { type Language, languageOf, uncountedLanguage } from "./languages.ts";
import { countLines, headOf, type LineCount } from "./lines.ts";
import { codeOnly, copyName, isCompared } from "./repeats/comparable.ts";
import { withoutTests } from "./scan.ts";
import {
  expectedStems,
  type FolderHint,
  folderHint,
  isTestFile,
  testFolders,
  testModuleFiles,
} from "./test_files.ts";
import type { Stage } from "./texts.ts";
import { type SkipReason, type Skips, skip, type UsableFile } from "./usable.ts";

// What the bytes of a file say about it before anything reads it as text.

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
export type Selection = Awaited<ReturnType<typeof selectFiles>>;

/** The files of one commit and what decides about them. */
interface Candidates {
  readonly files: readonly UsableFile[];
  /** Whether a path lies inside the measured ones. */
  readonly inPaths: (path: string) => boolean;
  /** False when only the measured paths could be read: what other files use is then not known. */
  readonly whole: boolean;
  /** What the commit's .gitattributes files say about a path. */
  readonly attributes: AttributeLookup;
  readonly dismissals: Dismissals;
}

/** Files read between two pauses. */
const PAUSE_AFTER = 100;

/** Reads every usable file once: leaves out what nobody here wrote, stages the rest, counts the source lines. */
export async function selectFiles(
  repository: Repository,
  { files, inPaths, whole, attributes: attributesOf, dismissals }: Candidates,
  stage: Stage,
  skips: Skips,
  onFile: (done: number) => void,
) {
  const paths = files.map((file) => file.path);
  const foreign = foreignFiles(paths);
  const isExpected = expectedStems(paths);
  const hints: FolderHint[] = [];
  // Languages of the measured paths of which the counter knows no rules, and how many files are of each.
  const uncounted = new Map<string, number>();
  const decoder = new TextDecoder();
  // Code and test files.
  const sources: SourceFile[] = [];
  // Paths of every text file that was kept.
  const staged: string[] = [];
  let index = 0;
  for await (const bytes of readBlobs(
    repository,
    files.map((file) => file.oid),
  )) {
    const path = files[index++]?.path;
    if (path === undefined) break;
    onFile(index);
    // A pause now and then, so that the run hears that it is to end.
    if (index % PAUSE_AFTER === 0) await Bun.sleep(0);
    repository.signal.throwIfAborted();
    const inside = inPaths(path);
    const leave = (reason: SkipReason) => (inside ? skip(skips, reason) : undefined);
    if (isBinary(bytes)) leave("binary");
    else if (isLargeFilePointer(bytes)) leave("large-file pointer");
    else if (!stage.add(path, bytes)) leave("unusable name");
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
            stage.addCode(copy, withoutTests(codeOnly(text, comments, language), lines.tests));
            sources.push({ ...source, copy });
          }
        }
      }
    }
  }
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
    if (copy !== undefined) rmSync(stage.codePath(copy));
    return { ...rest, test: true };
  });
}
