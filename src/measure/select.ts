/** Selecting, staging and counting the files of one commit, in one pass over their contents. */
import { readAttributes } from "./attributes.ts";
import { readBlobs } from "./blobs.ts";
import { isBinary, isLargeFilePointer } from "./content.ts";
import { isGenerated, isMinified, isVendored } from "./foreign.ts";
import type { Repository } from "./git.ts";
import { type Language, languageOf } from "./languages.ts";
import { countLines, type LineCount } from "./lines.ts";
import { type Stage, stageAsCode, stageFile } from "./stage.ts";
import { isTestFile } from "./test_files.ts";
import { type Skips, skip, type UsableFile } from "./usable.ts";

/** A source file of the project: code or test. */
export interface SourceFile {
  readonly path: string;
  readonly language: Language;
  readonly test: boolean;
  readonly lines: LineCount;
}

/** Everything the later steps read. */
export interface Selection {
  /** Code and test files. */
  readonly sources: readonly SourceFile[];
  /** Paths of every text file that was staged below `full`. */
  readonly staged: readonly string[];
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
  files: readonly UsableFile[],
  attributesText: string,
  stage: Stage,
  skips: Skips,
  onFile: (done: number) => void,
): Promise<Selection> {
  const attributesOf = readAttributes(attributesText);
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
    if (isBinary(bytes)) skip(skips, "binary");
    else if (isLargeFilePointer(bytes)) skip(skips, "large-file pointer");
    else if (!stageFile(stage, path, bytes)) skip(skips, "unusable name");
    else {
      staged.push(path);
      const language = languageOf(path, bytes);
      const attributes = attributesOf(path);
      if (isVendored(path, attributes)) skip(skips, "vendored");
      else if (language === undefined) continue;
      else if (isGenerated(path, bytes, attributes)) skip(skips, "generated");
      else if (isMinified(path, bytes)) skip(skips, "minified");
      else {
        const test = isTestFile(path);
        if (!test) stageAsCode(stage, path);
        sources.push({ path, language, test, lines: countLines(decoder.decode(bytes), language.syntax) });
      }
    }
  }
  return { sources, staged };
}
