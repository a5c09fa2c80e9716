/** What the README shows to be copied: its fenced blocks, those with a name by it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";

const TEXT = readFileSync(join(import.meta.dir, "..", "..", "README.md"), "utf8");

/** The text of the block whose first line is "```<language> <name>". */
export function readmeBlock(name: string): string {
  for (const [, , named, text] of TEXT.matchAll(/^```(\w+) (\S+)\n(.*?)^```$/gms)) {
    if (named === name) return text ?? "";
  }
  throw new Error(`the README has no block ${name}`);
}

/** The blocks of a language that have no name. */
export function readmeBlocks(language: string): string[] {
  return [...TEXT.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, named, text = ""]) =>
    named === language ? [text] : [],
  );
}

/** A block as it is where the listeners have other addresses. */
export function readdressed(
  text: string,
  { ingest, tower }: { readonly ingest: string; readonly tower: string },
): string {
  return text.replaceAll("http://127.0.0.1:4610", ingest).replaceAll("http://127.0.0.1:4611", tower);
}
