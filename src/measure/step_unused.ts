/** Unused files and exports: when they can be known, and their figures, notes and findings. */

import { countWords } from "../base/text.ts";
import { BOUNDS } from "../reports/measures.ts";
import { explain, note, record, UNUSED_KEYS } from "./figures.ts";
import { IGNORE_FILE } from "./ignore.ts";
import type { UnusedExport } from "./modules/graph.ts";
import { findUnused, hasExports, type UnusedCode } from "./modules/unused.ts";
import { MODULE_LANGUAGES, notParsed, type Parsed } from "./parsing.ts";
import { compareText } from "./repeats/duplication.ts";
import type { SourceFile } from "./select.ts";
import { NOTHING, type StepContext, type StepResult } from "./steps.ts";
import { printable } from "./terminal.ts";
import { isTestFile } from "./test_files.ts";
import { readText } from "./texts.ts";

/** Version of the rules below `modules/`; any change raises it. */
export const MODULE_RULES = "codemodules 1.3.0";

/** Least part of the code lines that the languages must be which a tool covers; a language that is less is not missed. */
export const LEAST_SHARE = 0.1;

/** Folders that are named in the note. */
const MAX_FOLDERS = 5;

/** Texts read between two pauses, and between two clearings. */
const PAUSE_AFTER = 100;
const CLEAR_AFTER = 5_000;

/** Above this share of files that could not be parsed the graph says nothing. */
const MAX_UNPARSED = 0.2;

/** Unused files and exports. What is not known is unmeasured, never 0. */
export async function unusedStep(
  context: StepContext,
  parsing: Promise<Parsed | string>,
): Promise<StepResult> {
  const { figures, selection, dismissals } = context;
  const parsed = await parsing;
  const measured = selection.sources.filter((file) => file.inPaths && !file.test);
  const covered = measured.filter(isCovered);
  const reason = unmeasured(measured, covered, selection.whole, parsed);
  const found = reason ?? (typeof parsed === "string" ? parsed : await search(context, parsed));
  if (typeof found === "string") {
    explain(figures, UNUSED_KEYS, found);
    return NOTHING;
  }
  const lines = new Map(covered.map((file) => [file.path, file.lines.code]));
  const files = found.files
    // A file without code is there for its name alone.
    .filter((path) => (lines.get(path) ?? 0) > 0 && !dismissals.dismisses("unused-file", path))
    .sort((a, b) => (lines.get(b) ?? 0) - (lines.get(a) ?? 0) || compareText(a, b));
  const exports = found.exports
    // An export may be called by any text, and a name that is too long was cut anywhere.
    .map(({ path, line, ...one }) => ({ kind: exportKind(one), path, name: printable(one.name), line }))
    .filter(({ path }) => lines.has(path))
    .filter(({ kind, path, name }) => {
      if (kind === "export") return !dismissals.dismisses("unused-export", path, name);
      return !dismissals.names("unused-export", path, name);
    })
    .sort((a, b) => compareText(a.path, b.path) || a.line - b.line || compareText(a.name, b.name));
  const ofKind = (kind: ExportKind) => exports.filter((one) => one.kind === kind);
  const dead = ofKind("export");
  const own = ofKind("own-file export");
  const types = ofKind("type");
  const scripts = covered.filter((file) => hasExports(file.path));
  record(figures, {
    unused_files: files.length,
    ...(scripts.length === 0 ? {} : { unused_exports: dead.length }),
  });
  if (scripts.length === 0)
    explain(figures, ["unused_exports"], "Only JavaScript and TypeScript are covered.");
  if (covered.length < measured.length) note(figures, ["unused_files"], `of ${covered.length} covered files`);
  if (scripts.length > 0 && scripts.length < measured.length) {
    note(figures, ["unused_exports"], `of ${scripts.length} covered files`);
  }
  if (own.length + types.length > 0) {
    const values = countWords(
      own.length,
      "export that only its own file uses",
      "exports that only their own files use",
    );
    note(figures, ["unused_exports"], `not counted: ${values}, ${countWords(types.length, "unused type")}`);
  }
  const unparsed = typeof parsed === "string" ? [] : covered.filter(({ path }) => parsed.unread.has(path));
  if (unparsed.length > 0)
    note(
      figures,
      scripts.length === 0 ? ["unused_files"] : UNUSED_KEYS,
      notParsed(unparsed.map(({ path }) => path)),
    );
  for (const [folder, count] of [...found.loaded].slice(0, MAX_FOLDERS)) {
    note(figures, ["unused_files"], `${count} files of ${folder} are taken to be loaded by their folder`);
  }
  const counted = [...files.map((path) => ({ kind: "file", path })), ...dead];
  return {
    findings: { unused: counted.slice(0, BOUNDS.unused) },
    unused: [...counted, ...own, ...types],
    tools: { unused: MODULE_RULES },
  };
}

/**
 * Only an `export` is counted: a value that nothing names. A value of the file's own use and a type lose the word `export`, not a
 * line, so they are told apart.
 */
type ExportKind = "export" | "own-file export" | "type";

function exportKind({ inside, isType }: Pick<UnusedExport, "inside" | "isType">): ExportKind {
  if (isType === true) return "type";
  return inside === true ? "own-file export" : "export";
}

function isCovered(file: SourceFile): boolean {
  return MODULE_LANGUAGES.has(file.language.name);
}

/** Why the files say nothing about what is unused. */
function unmeasured(
  measured: readonly SourceFile[],
  covered: readonly SourceFile[],
  whole: boolean,
  parsed: Parsed | string,
): string | undefined {
  if (covered.length === 0) return "Only JavaScript, TypeScript and Python are covered.";
  const lines = (files: readonly SourceFile[]) => files.reduce((sum, file) => sum + file.lines.code, 0);
  if (lines(covered) < lines(measured) * LEAST_SHARE) {
    return `JavaScript, TypeScript and Python are only ${covered.length} of ${measured.length} code files.`;
  }
  if (!whole) return "What uses a file can lie anywhere, and the whole repository could not be read.";
  if (typeof parsed === "string") return parsed;
  const unparsed = covered.filter((file) => parsed.unread.has(file.path)).length;
  return unparsed > covered.length * MAX_UNPARSED ? "Too many files could not be parsed." : undefined;
}

function search(context: StepContext, { facts, settings }: Parsed): Promise<UnusedCode | string> {
  const { stage, selection, signal } = context;
  context.onStep?.({ kind: "start", step: "Looking for uses" });
  const own = new Set(selection.sources.filter((file) => !file.test).map((file) => file.path));
  // What the answers of the parsers left in memory goes before the graph comes.
  Bun.gc(true);
  return findUnused({
    paths: selection.staged,
    facts,
    settings,
    own,
    isTest: isTestFile,
    eachText: async (read, isNeeded) => {
      let texts = 0;
      for (const path of selection.staged) {
        // What is to be left out is no use.
        if (path === IGNORE_FILE || !isNeeded(path)) continue;
        // A pause now and then, so that the run hears that it is to end.
        if (++texts % PAUSE_AFTER === 0) await Bun.sleep(0);
        signal.throwIfAborted();
        // The runtime waits for a share of the machine's memory before it clears away what each text leaves.
        if (texts % CLEAR_AFTER === 1) Bun.gc(true);
        read(path, readText(stage.placeOf(path)));
      }
    },
  });
}
