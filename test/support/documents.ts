/** The documents: the README and the manual, with the fenced blocks that they show to be copied. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../src/app/prepare.ts";

const MANUAL = ".github/docs";

/** The text of each document by its path from the root. */
export const DOCUMENTS: ReadonlyMap<string, string> = new Map(
  ["README.md", ...readdirSync(join(ROOT, MANUAL)).map((name) => `${MANUAL}/${name}`)].map((path) => [
    path,
    readFileSync(join(ROOT, path), "utf8"),
  ]),
);

/** A page of the manual. */
export function manualPage(name: string): string {
  const text = DOCUMENTS.get(`${MANUAL}/${name}.md`);
  if (text === undefined) throw new Error(`the manual has no page ${name}`);
  return text;
}

const ALL = [...DOCUMENTS.values()].join("\n");

/** The text of the block whose first line is "```<language> <name>". */
export function documentBlock(name: string): string {
  for (const [, , named, text] of ALL.matchAll(/^```(\w+) (\S+)\n(.*?)^```$/gms)) {
    if (named === name) return text ?? "";
  }
  throw new Error(`no document has a block ${name}`);
}

/** The blocks of a language that have no name. */
export function documentBlocks(language: string): string[] {
  return [...ALL.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, named, text = ""]) =>
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
