/** How the documents read: short sentences, and links that lead somewhere. */

import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ROOT } from "../../src/app/prepare.ts";
import { DOCUMENTS } from "../support/documents.ts";

const MOST_WORDS = 25;

/** The sentences of a document's paragraphs and lists; a piece of code is one word. */
function sentencesOf(text: string): string[] {
  return text
    .replaceAll(/^```.*?^```$/gms, "")
    .replaceAll(/^ *(?:#|\||<).*$/gm, "")
    .replaceAll(/^(?:- |\d+\. )/gm, "\n")
    .replaceAll(/`[^`]+`/g, "code")
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1")
    .split(/\n\s*\n|(?<=[.!?]["*)]*)\s+/)
    .map((sentence) => sentence.replaceAll(/\s+/g, " ").trim());
}

/** The anchors of a document, as code hosts make them. */
function anchorsOf(text: string): string[] {
  return [...text.replaceAll(/^```.*?^```$/gms, "").matchAll(/^#+ (.*)$/gm)].map(([, words = ""]) =>
    words
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
}

const MEASURE = "src/measure/README.md";
const READ = [...DOCUMENTS, [MEASURE, readFileSync(join(ROOT, MEASURE), "utf8")] as const];

describe.each(READ)("%s", (path, text) => {
  test(`has no sentence of more than ${MOST_WORDS} words`, () => {
    const long = sentencesOf(text).filter((sentence) => sentence.split(" ").length > MOST_WORDS);
    expect(long).toStrictEqual([]);
  });

  test("has no link to what is not there", () => {
    const dead = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].filter(
      ([, file = "", anchor]) => {
        const target = file === "" ? path : relative(ROOT, join(ROOT, dirname(path), file));
        if (!existsSync(join(ROOT, target))) return true;
        return anchor !== undefined && !anchorsOf(DOCUMENTS.get(target) ?? "").includes(anchor);
      },
    );
    expect(dead.map(([link]) => link)).toStrictEqual([]);
  });
});
