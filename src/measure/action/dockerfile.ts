/** Reading a Dockerfile: the instructions this project writes, each with its line. Pure. */

import { words } from "../words.ts";

/** One instruction. */
export interface Instruction {
  /** Where it begins, counted from 1. */
  readonly line: number;
  /** `RUN`, `COPY` and so on. */
  readonly word: string;
  /** `--from=bun` as `from: bun`. */
  readonly flags: ReadonlyMap<string, string>;
  /** What follows the word and its flags, continued lines joined. */
  readonly text: string;
}

/** A stage, from its `FROM` on. */
export interface Stage {
  readonly line: number;
  readonly name: string;
  /** An image, or an earlier stage. */
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

/** A Dockerfile that is not understood; the message names its line. */
export class DockerfileError extends Error {
  override readonly name = "DockerfileError";
}

const WORDS: ReadonlySet<string> = new Set(
  words(`
  FROM RUN COPY WORKDIR ENV USER ENTRYPOINT CMD HEALTHCHECK VOLUME EXPOSE STOPSIGNAL
`),
);

/** The stages, in their order. Throws `DockerfileError` for what this project does not write. */
export function readDockerfile(text: string): Stage[] {
  const stages: { line: number; name: string; from: string; instructions: Instruction[] }[] = [];
  for (const instruction of instructionsOf(text)) {
    const { line, word } = instruction;
    if (word === "FROM") {
      const [, from, name] = /^(\S+)\s+AS\s+(\S+)$/i.exec(instruction.text) ?? [];
      if (from === undefined || name === undefined) throw fault(line, "FROM <image> AS <name> is needed");
      stages.push({ line, name, from, instructions: [] });
    } else {
      const stage = stages.at(-1);
      if (stage === undefined) throw fault(line, `${word} before the first FROM`);
      stage.instructions.push(instruction);
    }
  }
  return stages;
}

/** The target and every stage it is made of, in the order they are built. Throws `DockerfileError`. */
export function stagesFor(stages: readonly Stage[], target: string): Stage[] {
  const needed = new Set([target]);
  for (const { name, from, instructions } of stages.toReversed()) {
    if (!needed.has(name)) continue;
    for (const other of [from, ...instructions.flatMap(({ flags }) => flags.get("from") ?? [])]) {
      needed.add(other);
    }
  }
  if (!stages.some(({ name }) => name === target)) throw fault(1, `there is no stage ${target}`);
  return stages.filter(({ name }) => needed.has(name));
}

/** The text of the target's stages alone. */
export function excerpt(text: string, target: string): string {
  const lines = text.split("\n");
  const stages = readDockerfile(text);
  const kept = stagesFor(stages, target).map((stage) => {
    const next = stages[stages.indexOf(stage) + 1];
    return lines
      .slice(stage.line - 1, next === undefined ? lines.length : next.line - 1)
      .join("\n")
      .trim();
  });
  return `${kept.join("\n\n")}\n`;
}

/** What the stages copy from the folder they are built in, without repetition. */
export function copiedFromContext(stages: readonly Stage[]): string[] {
  const copies = stages
    .flatMap(({ instructions }) => instructions)
    .filter(({ word, flags }) => word === "COPY" && !flags.has("from"))
    .flatMap((instruction) => copyPaths(instruction).sources);
  return [...new Set(copies)];
}

/** The sources and the destination of a `COPY`. */
export function copyPaths({ line, text }: Instruction): {
  readonly sources: readonly string[];
  readonly to: string;
} {
  const paths = text.split(/\s+/);
  const to = paths.pop();
  if (to === undefined || paths.length === 0) throw fault(line, "COPY needs a source and a destination");
  return { sources: paths, to };
}

/** The words of an instruction in its JSON form, which no shell reads. */
export function wordsOf({ line, word, text }: Instruction): string[] {
  let words: unknown;
  try {
    words = JSON.parse(text);
  } catch {
    words = undefined;
  }
  if (!Array.isArray(words) || !words.every((one) => typeof one === "string")) {
    throw fault(line, `${word} is read in its JSON form alone`);
  }
  return words;
}

function fault(line: number, message: string): DockerfileError {
  return new DockerfileError(`Dockerfile, line ${line}: ${message}`);
}

/** Comments and empty lines are left out, also between the lines of one instruction. */
function instructionsOf(text: string): Instruction[] {
  const found: Instruction[] = [];
  let parts: string[] = [];
  let begun = 0;
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    if (parts.length === 0) begun = index + 1;
    const isContinued = line.endsWith("\\");
    parts.push(isContinued ? line.slice(0, -1).trim() : line);
    if (isContinued) continue;
    found.push(instructionOf(begun, parts.join(" ")));
    parts = [];
  }
  if (parts.length > 0) throw fault(begun, "the last line is continued by nothing");
  return found;
}

function instructionOf(line: number, text: string): Instruction {
  const [, word = "", rest = ""] = /^([A-Za-z]+)(?:\s+(.*))?$/.exec(text) ?? [];
  if (!WORDS.has(word)) throw fault(line, `${text.split(" ", 1)[0]} is not understood`);
  const flags = new Map<string, string>();
  let left = rest;
  for (;;) {
    const flag = /^--([a-z-]+)=(\S+)\s+/.exec(left);
    if (flag === null) return { line, word, flags, text: left.trim() };
    flags.set(flag[1] ?? "", flag[2] ?? "");
    left = left.slice(flag[0].length);
  }
}
