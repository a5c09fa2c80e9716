/** Comparing the code of all files: at once, or in parts where one run of the tool would take more memory than a machine has to spare. */
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { codePath, type Stage } from "../stage.ts";
import { type Pair, readPairs } from "./duplication.ts";
import { findDuplicates } from "./jscpd.ts";
import { SharedCode } from "./shared_code.ts";

/** Most code for one run of the tool, which takes thirty to fifty times as much memory. */
const PART_BYTES = 8 * 1024 * 1024;

const NO_FILE = "jscpd found no file that it can compare.";

/** Files read between two pauses, so that the run hears that it is to end. */
const PAUSE_AFTER = 100;

/** The pairs among the copies below `code`, or why they are not known. `pathOf` knows the files by the names of their copies. */
export async function comparePairs(
  program: string,
  stage: Stage,
  pathOf: ReadonlyMap<string, string>,
  signal: AbortSignal | undefined,
  partBytes = PART_BYTES,
): Promise<readonly Pair[] | string> {
  const copies = [...pathOf.keys()];
  let size = 0;
  for (const copy of copies) if (size <= partBytes) size += Bun.file(codePath(stage, copy)).size;
  if (size <= partBytes) return pairsOf(program, stage, "code", pathOf, signal);
  const pairs: Pair[] = [];
  for (const part of await partsOf(stage, copies, partBytes, signal)) {
    for (const copy of part) move(codePath(stage, copy), join(stage.root, "part", copy));
    const found = await pairsOf(program, stage, "part", pathOf, signal);
    if (typeof found !== "string") for (const pair of found) pairs.push(pair);
    else if (found !== NO_FILE) return found;
    for (const copy of part) move(join(stage.root, "part", copy), codePath(stage, copy));
    rmSync(join(stage.root, "part"), { recursive: true });
  }
  return pairs;
}

async function pairsOf(
  program: string,
  stage: Stage,
  folder: "code" | "part",
  pathOf: ReadonlyMap<string, string>,
  signal: AbortSignal | undefined,
): Promise<readonly Pair[] | string> {
  const answer = await findDuplicates(program, stage, folder, signal);
  if (!answer.ok) return `${answer.reason}.`;
  if (answer.stderr.includes("analyzed no files")) return NO_FILE;
  return readPairs(answer.report, pathOf) ?? "jscpd's report has an unknown shape.";
}

/** The copies that can hold a pair, in parts that share nothing with each other. */
async function partsOf(
  stage: Stage,
  copies: readonly string[],
  partBytes: number,
  signal: AbortSignal | undefined,
): Promise<string[][]> {
  const shared = new SharedCode();
  for (const [index, copy] of copies.entries()) {
    if (index % PAUSE_AFTER === 0) {
      await Bun.sleep(0);
      signal?.throwIfAborted();
    }
    shared.add(await Bun.file(codePath(stage, copy)).bytes());
  }
  return shared.parts(partBytes).map((part) => part.flatMap((index) => copies[index] ?? []));
}

function move(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  renameSync(from, to);
}
