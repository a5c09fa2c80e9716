/** A report that could not be posted: kept where the command was called, with the words to post it later. */
import type { CodebaseReport } from "../codebase/contract.ts";
import { isMachineFault } from "./machine_fault.ts";
import { ingestAddress } from "./post.ts";
import { printable } from "./printable.ts";
import { writeNew } from "./written.ts";

/** Keeps it in the first folder that takes it, beside whatever is there. Gives lines that say where. */
export function keepCopy(
  report: CodebaseReport,
  text: string,
  base: string,
  folders: readonly string[],
): readonly string[] {
  const stem = `codebase-report-${report.asset}-${report.repository?.commit?.slice(0, 12) ?? "unknown"}`;
  for (const folder of folders) {
    try {
      const path = writeNew(folder, stem, ".json", text);
      return [`The report is kept in ${printable(path)}. To post it later:`, ...command(path, base)];
    } catch (error) {
      if (!isMachineFault(error)) throw error;
    }
  }
  return ["The report could not be kept: no folder can be written."];
}

/** The header comes from standard input, so that the token is in no list of processes. */
function command(path: string, base: string): readonly string[] {
  return [
    `  printf 'Authorization: Bearer %s\\n' "$ASSET_TOKEN" |`,
    `    curl --fail-with-body ${shellWord(ingestAddress(base))} -H @- \\`,
    `    -H 'Content-Type: application/json' --data-binary ${shellWord(`@${path}`)}`,
  ];
}

function shellWord(word: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
