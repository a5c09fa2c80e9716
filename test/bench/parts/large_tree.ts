/** Large repositories, written with one `git fast-import`: no working tree, and the same commit on every machine. */

import { mkdirSync } from "node:fs";

export const TREES = ["mixed", "tiny"] as const;
export type TreeKind = (typeof TREES)[number];

/** Share of the files, in per cent, of each kind; a file has about as many lines as such files usually have. */
const KINDS: readonly (readonly [share: number, extension: string, write: (file: Writer) => string])[] = [
  [37, "ts", typeScript],
  [15, "py", python],
  [10, "java", java],
  [5, "go", go],
  [5, "vue", vue],
  [4, "css", css],
  [8, "test.ts", testOf],
  [8, "json", json],
  [8, "md", prose],
];

/** What a file is written with: its place, the modules beside it, and words that come in a fixed order. */
interface Writer {
  readonly at: number;
  readonly name: (at: number) => string;
  readonly word: () => string;
  readonly pick: (below: number) => number;
}

/** Makes a bare repository of `files` files at `folder`. */
export async function makeLargeTree(folder: string, kind: TreeKind, files: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await done(Bun.spawn(["git", "init", "-q", "--bare", "-b", "main", folder]));
  const child = Bun.spawn(["git", "-C", folder, "fast-import", "--quiet"], { stdin: "pipe" });
  const seconds = Math.floor(Date.now() / 1000) - 3600;
  child.stdin.write(`commit refs/heads/main\ncommitter Ada <ada@example.test> ${seconds} +0000\ndata 1\nx\n`);
  const entries = kind === "tiny" ? tinyFiles(files) : mixedFiles(files);
  for (const [path, text] of entries) {
    child.stdin.write(`M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
    await child.stdin.flush();
  }
  await child.stdin.end();
  await done(child);
}

async function done(child: Bun.Subprocess): Promise<void> {
  if ((await child.exited) !== 0) throw new Error("git could not make the repository");
}

function* tinyFiles(files: number): Generator<[string, string]> {
  for (let at = 0; at < files; at++) {
    const next = at % 100 === 99 ? "" : `import { f${at + 1} } from "./m${at + 1}";\n`;
    yield [
      `src/d${Math.floor(at / 100)}/m${at}.ts`,
      `${next}export const f${at} = () => ${at % 100 === 99 ? at : `f${at + 1}()`};\n`,
    ];
  }
}

function* mixedFiles(files: number): Generator<[string, string]> {
  const extensions = KINDS.flatMap(([share, extension]) => Array.from({ length: share }, () => extension));
  const writers = new Map(KINDS.map(([, extension, write]) => [extension, write]));
  let state = 1;
  const pick = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
  const words = Array.from(
    { length: 4_000 },
    (_, i) =>
      `${SYLLABLES[i % 20]}${SYLLABLES[Math.floor(i / 20) % 20]}${i % 10 === 0 ? "" : SYLLABLES[Math.floor(i / 400)]}`,
  );
  const word = () => words[Math.floor((pick(4_000) * pick(4_000)) / 4_000)] ?? "x";
  yield [
    "package.json",
    JSON.stringify({ name: "large", main: "src/main.ts", dependencies: { a: "1", b: "2" } }),
  ];
  const modules: number[] = [];
  for (let at = 0; at < files - 2; at++) {
    // Kinds come mixed within a folder of some thirty files.
    const extension = extensions[(at * 37) % 100] ?? "ts";
    const folder = (of: number) => `p${Math.floor(of / 600)}/f${Math.floor(of / 30)}`;
    if (extension === "ts") modules.push(at);
    const write = writers.get(extension) ?? typeScript;
    yield [`src/${folder(at)}/m${at}.${extension}`, write({ at, name: (of) => `m${of}`, word, pick })];
  }
  // Each module uses three before it: the last thousand lead to all but a few.
  const last = modules
    .slice(-1_000)
    .map((at) => `import "./p${Math.floor(at / 600)}/f${Math.floor(at / 30)}/m${at}";`);
  yield ["src/main.ts", last.join("\n")];
}

const SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split(" ");

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join("\n");
}

function call({ word, pick }: Writer): string {
  return `${word()}.${word()}(${word()}, ${pick(1_000)}, "${word()} ${word()}")`;
}

function typeScript(file: Writer): string {
  const { at, word, pick } = file;
  const others = [1, 2, 3].map((step) => at - step * 37).filter((other) => other >= 0);
  const imports = others.map(
    (other) => `import { ${"run"}${other} } from "../f${Math.floor(other / 30)}/m${other}";`,
  );
  const body = (n: number) =>
    `export function ${n === 0 ? `run${at}` : `${word()}${at}${n}`}(${word()}: string, ${word()}: number) {\n${lines(
      4 + pick(8),
      () =>
        pick(3) === 0
          ? `  if (${word()} > ${pick(90)} && ${word()} !== null) {\n    // ${word()} ${word()} ${word()}\n    return ${call(file)};\n  }`
          : `  const ${word()} = ${call(file)};`,
    )}\n  return ${word()};\n}\n`;
  return `${imports.join("\n")}\n\n${lines(2 + pick(5), body)}\n`;
}

function testOf(file: Writer): string {
  return `import { run${file.at} } from "./m${file.at}";\n${lines(4 + file.pick(8), () => `test("${file.word()} ${file.word()}", () => {\n  expect(${call(file)}).toBe(${file.pick(50)});\n});`)}\n`;
}

function vue(file: Writer): string {
  return `<template>\n  <div>\n${lines(20, () => `    <p class="${file.word()}">{{ ${file.word()} }}</p>`)}\n  </div>\n</template>\n<script setup lang="ts">\n${typeScript(file)}</script>\n`;
}

function python(file: Writer): string {
  const { at, word, pick } = file;
  const other = at - 37;
  return `"""${word()} ${word()}."""\n${other < 0 ? "import os" : `from ..f${Math.floor(other / 30)} import m${other}`}\n\n${lines(
    3 + pick(6),
    (n) =>
      `def ${word()}${n}(${word()}, ${word()}=None):\n    """${word()} ${word()} ${word()}."""\n${lines(4 + pick(8), () => (pick(3) === 0 ? `    if ${word()} and ${word()} > ${pick(9)}:\n        return ${call(file)}` : `    ${word()} = ${call(file)}`))}\n    return ${word()}\n\n`,
  )}`;
}

function java(file: Writer): string {
  const { at, word, pick } = file;
  return `package org.example.${word()};\n\npublic class M${at} {\n${lines(
    5 + pick(10),
    (n) =>
      `    /** ${word()} ${word()} ${word()}. */\n    public int ${word()}${n}(int ${word()}, String ${word()}) {\n${lines(4 + pick(8), () => (pick(3) === 0 ? `        if (${word()} > ${pick(9)}) {\n            return ${call(file)};\n        }` : `        int ${word()} = ${call(file)};`))}\n        return 0;\n    }\n`,
  )}\n}\n`;
}

function go(file: Writer): string {
  const { word, pick } = file;
  return `package ${word()}\n\n${lines(
    5 + pick(10),
    (n) =>
      `// ${word()} ${word()}.\nfunc ${word()}${n}(${word()} int) int {\n${lines(5 + pick(9), () => (pick(3) === 0 ? `\tif ${word()} > ${pick(9)} {\n\t\treturn ${call(file)}\n\t}` : `\t${word()} := ${call(file)}`))}\n\treturn 0\n}\n`,
  )}`;
}

function css(file: Writer): string {
  return lines(
    20 + file.pick(40),
    () =>
      `.${file.word()}-${file.word()} {\n  margin: ${file.pick(40)}px;\n  color: #${file.pick(4096).toString(16)};\n}`,
  );
}

function json(file: Writer): string {
  return JSON.stringify(
    Array.from({ length: 30 + file.pick(60) }, () => ({ [file.word()]: `${file.word()} ${file.word()}` })),
    null,
    2,
  );
}

function prose(file: Writer): string {
  return lines(20 + file.pick(40), () => lines(1, () => Array.from({ length: 12 }, file.word).join(" ")));
}
