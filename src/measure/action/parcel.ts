/**
 * What `action write` puts into a repository: the action with everything its image is built from, and the workflow that calls it. Nothing
 * is written where anything would be lost, and no link is followed.
 */

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { replaceFile, systemFiles } from "../../base/files.ts";
import { words } from "../../base/text.ts";
import {
  actionFile,
  actionFolder,
  type Forge,
  GITHUB,
  GITLAB_FOLDER,
  gitlabFile,
  workflowFile,
} from "./workflow.ts";

/** Files by their paths in the repository; `workflow` is the one that its people change, `image` a folder that holds nothing but what is written. */
type Parcel = ReturnType<typeof parcelFor>;

/** What the steps run. */
const SCRIPTS = ["measure.sh", "post.sh", "say.sh", "figures.txt"] as const;

const OWN = actionFolder(GITHUB);

// For GitHub, which draws no figures from them either; and a repository's own rules (`lib/`) must not keep a part of it out.
const ATTRIBUTES =
  "# Tower's measuring command, for the action beside it.\n* linguist-vendored linguist-generated\n";

const NOT_IGNORED = "!*\n";

/** The parcel for a place of repositories; `gitlab` has a job of scripts in the action's stead. `root` is Tower's own folder. */
export function parcelFor(root: string, forge: Forge | "gitlab", asset: string) {
  const folder = forge === "gitlab" ? `${GITLAB_FOLDER}/codebase-report` : actionFolder(forge);
  const image = `${folder}/image`;
  const files = new Map<string, Uint8Array>();
  const write = (path: string, text: string) => files.set(path, Buffer.from(text));
  if (forge !== "gitlab") write(`${folder}/action.yml`, actionFile(forge));
  for (const name of SCRIPTS) files.set(`${folder}/${name}`, readFileSync(join(root, OWN, name)));
  const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");
  write(`${image}/.gitattributes`, ATTRIBUTES);
  write(`${image}/.gitignore`, NOT_IGNORED);
  write(`${image}/Dockerfile`, excerpt(dockerfile, "measure"));
  for (const source of copiedFromContext(stagesFor(readDockerfile(dockerfile), "measure"))) {
    for (const path of filesAt(root, source)) files.set(`${image}/${path}`, readFileSync(join(root, path)));
  }
  const workflow =
    forge === "gitlab"
      ? `${GITLAB_FOLDER}/codebase-report.yml`
      : `${forge.folder}/workflows/codebase-report.yml`;
  write(workflow, forge === "gitlab" ? gitlabFile(asset) : workflowFile(forge, asset));
  return { files, workflow, image };
}

/** Whether the installation at `root` carries the action. */
export const carriesParcel = (root: string): boolean =>
  existsSync(join(root, "Dockerfile")) && existsSync(join(root, OWN));

function filesAt(root: string, path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { recursive: true, encoding: "utf8" })
    .map((name) => `${path}/${name}`)
    .filter((name) => statSync(join(root, name)).isFile())
    .sort();
}

/** What writing would do, by paths in the checkout. */
type Plan = ReturnType<typeof planParcel>;

/** Looks at the checkout. */
export function planParcel(checkout: string, parcel: Parcel) {
  const written: string[] = [];
  const same: string[] = [];
  /** Files that are there and say something else. */
  const differ: string[] = [];
  /** A link, or a folder where a file belongs: the way is not a plain one. */
  const barred: string[] = [];
  for (const [path, bytes] of parcel.files) {
    const at = stateOf(checkout, path);
    if (at === "barred") barred.push(path);
    else if (at === "absent") written.push(path);
    else if (Buffer.compare(readFileSync(join(checkout, path)), bytes) === 0) same.push(path);
    else differ.push(path);
  }
  /** Files in the image's folder that are not part of it any more. */
  const left = barred.length === 0 ? filesBelow(checkout, parcel.image, parcel.files) : [];
  return { written, same, differ, left, barred };
}

/** Writes what the plan names, and what differs; what is left over is removed. */
export async function writeParcel(checkout: string, parcel: Parcel, plan: Plan): Promise<void> {
  for (const path of [...plan.written, ...plan.differ]) {
    const file = join(checkout, path);
    mkdirSync(dirname(file), { recursive: true });
    await replaceFile(systemFiles, file, parcel.files.get(path) ?? new Uint8Array(0), 0o644);
  }
  for (const path of plan.left) await systemFiles.remove(join(checkout, path));
}

/** Every folder on the way must be a folder of the checkout itself: a link could lead anywhere. */
function stateOf(checkout: string, path: string): "absent" | "file" | "barred" {
  const parts = path.split("/");
  for (let length = 1; length <= parts.length; length++) {
    const found = lstatSync(join(checkout, ...parts.slice(0, length)), { throwIfNoEntry: false });
    if (found === undefined) return "absent";
    if (length === parts.length) return found.isFile() ? "file" : "barred";
    if (!found.isDirectory()) return "barred";
  }
  return "absent";
}

function filesBelow(checkout: string, folder: string, known: ReadonlyMap<string, unknown>): string[] {
  if (lstatSync(join(checkout, folder), { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(join(checkout, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => `${entry.parentPath.slice(checkout.length + 1)}/${entry.name}`)
    .filter((path) => !known.has(path))
    .sort();
}

// Reading a Dockerfile: the instructions this project writes, each with its line. Pure.

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

const WORDS: ReadonlySet<string> = new Set(
  words(`
  FROM RUN COPY WORKDIR ENV USER ENTRYPOINT CMD HEALTHCHECK VOLUME EXPOSE STOPSIGNAL
`),
);

/** The stages, in their order. Throws for what this project does not write. */
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

/** The target and every stage it is made of, in the order they are built. */
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
export function copyPaths({ line, text }: Instruction) {
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

function fault(line: number, message: string): Error {
  return new Error(`Dockerfile, line ${line}: ${message}`);
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
