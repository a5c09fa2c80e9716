/** Building the stages of a Dockerfile in bare roots, one instruction after the other. */

import { mkdirSync } from "node:fs";
import { join, posix } from "node:path";
import { copyPaths, type Instruction, type Stage, wordsOf } from "../../src/measure/action/parcel.ts";
import { copyInto, rulesOf } from "./context.ts";
import { copyRoot, run } from "./root.ts";

/** A built stage: its root and what an image keeps beside it. */
export interface Built {
  readonly root: string;
  cwd: string;
  env: Record<string, string>;
  user: string;
  entrypoint: readonly string[];
  healthcheck: readonly string[];
  stopSignal: string;
}

/** Builds them below `work`, but for those that `made` has. Throws at the first instruction that fails, naming its line. */
export async function buildStages(
  stages: readonly Stage[],
  base: string,
  work: string,
  context: string,
  tell: (line: string) => void,
  made: ReadonlyMap<string, Built> = new Map(),
): Promise<ReadonlyMap<string, Built>> {
  const built = new Map(made);
  for (const stage of stages) {
    if (built.has(stage.name)) continue;
    const root = join(work, stage.name);
    const from = built.get(stage.from);
    await copyRoot(from?.root ?? base, root);
    const image: Built =
      from === undefined
        ? { root, cwd: "/", env: {}, user: "root", entrypoint: [], healthcheck: [], stopSignal: "SIGTERM" }
        : { ...from, root, env: { ...from.env } };
    built.set(stage.name, image);
    for (const instruction of stage.instructions) {
      const started = performance.now();
      try {
        await carryOut(instruction, image, built, context);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(
          `Dockerfile, line ${instruction.line}: ${instruction.word} ${instruction.text}\n${why}`,
        );
      }
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      tell(
        `${stage.name} ${instruction.line}: ${instruction.word} ${instruction.text.slice(0, 90)} (${seconds} s)`,
      );
    }
  }
  return built;
}

async function carryOut(
  step: Instruction,
  image: Built,
  built: ReadonlyMap<string, Built>,
  context: string,
): Promise<void> {
  switch (step.word) {
    case "RUN":
      return runStep(step, image);
    case "COPY":
      return copyStep(step, image, built, context);
    case "WORKDIR":
      image.cwd = posix.resolve(image.cwd, step.text);
      mkdirSync(join(image.root, image.cwd), { recursive: true });
      return;
    case "ENV":
      for (const [, name = "", value = ""] of step.text.matchAll(/(\w+)=("[^"]*"|\S*)/g)) {
        image.env[name] = value.replace(/^"|"$/g, "");
      }
      return;
    case "USER":
      image.user = step.text;
      return;
    case "ENTRYPOINT":
      image.entrypoint = wordsOf(step);
      return;
    case "STOPSIGNAL":
      image.stopSignal = step.text;
      return;
    case "HEALTHCHECK": {
      const [, words] = /^(?:--\S+\s+)*CMD\s+(.*)$/.exec(step.text) ?? [];
      image.healthcheck = wordsOf({ ...step, text: words ?? "" });
      return;
    }
    case "VOLUME":
      mkdirSync(join(image.root, step.text), { recursive: true });
      return;
    case "EXPOSE":
      return;
    default:
      throw new Error("this instruction is not carried out");
  }
}

async function copyStep(
  step: Instruction,
  image: Built,
  built: ReadonlyMap<string, Built>,
  context: string,
): Promise<void> {
  const others = [...step.flags.keys()].filter((flag) => flag !== "from");
  if (others.length > 0) throw new Error(`--${others.join(", --")}: not carried out`);
  const from = step.flags.get("from");
  const other = from === undefined ? undefined : built.get(from);
  if (from !== undefined && other === undefined) throw new Error(`there is no stage ${from}`);
  const paths = copyPaths(step);
  const sources =
    other === undefined ? paths.sources : paths.sources.map((path) => posix.resolve("/", path).slice(1));
  const isIgnored = other === undefined ? rulesOf(context) : () => false;
  return copyInto(other?.root ?? context, image.root, image.cwd, { ...paths, sources }, isIgnored);
}

async function runStep(step: Instruction, image: Built): Promise<void> {
  const { root, cwd, env } = image;
  if (image.user !== "root") throw new Error("a step after USER is not carried out");
  const { code, out, err } = await run({
    root,
    cwd,
    env,
    uid: 0,
    network: "build",
    command: ["/bin/sh", "-c", step.text],
  });
  if (code !== 0) throw new Error(`ended with ${code}\n${out.slice(-3_000)}${err.slice(-3_000)}`);
}
