/**
 * Stands for `docker` where there is no engine: `build` takes what its Dockerfile copies and nothing else, `run` starts the image's
 * entry natively with the variables and folders it is given. What it does not know it refuses.
 */

import { appendFileSync, cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { copiedFromContext, readDockerfile, stagesFor, wordsOf } from "../../../src/measure/action/parcel.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
const own = process.env["FAKE_DOCKER"] ?? "";
const [verb, ...args] = process.argv.slice(2);
appendFileSync(join(own, "calls"), `${JSON.stringify([verb, ...args])}\n`);
if (process.env["FAKE_DOCKER_FAILS"] === verb) {
  process.stderr.write("::warning::the engine is not there\n");
  process.exit(1);
}
if (verb === "build") build();
else if (verb === "run") await run();
else refuse(`no ${verb}`);

function build(): void {
  const context = args.at(-1) ?? "";
  const dockerfile = readDockerfile(readFileSync(join(context, "Dockerfile"), "utf8"));
  const built = join(own, "built");
  for (const path of copiedFromContext(stagesFor(dockerfile, after("--target")))) {
    mkdirSync(dirname(join(built, path)), { recursive: true });
    cpSync(join(context, path), join(built, path), { recursive: true });
  }
  cpSync(join(context, "Dockerfile"), join(built, "Dockerfile"));
  symlinkSync(join(ROOT, "node_modules"), join(built, "node_modules"));
  process.stdout.write("sha256:built\n");
}

async function run(): Promise<void> {
  const env: Record<string, string> = { PATH: process.env["PATH"] ?? "", HOME: own };
  const mounts = new Map<string, string>();
  let entry: string | undefined;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--rm" || arg === "--read-only") continue;
    if (!arg.startsWith("-")) break;
    const value = args[++at] ?? "";
    if (arg === "-e") {
      const [name = "", ...rest] = value.split("=");
      const told = rest.length > 0 ? rest.join("=") : process.env[name];
      if (told !== undefined) env[name] = told;
    } else if (arg === "--mount") {
      const parts = new Map(
        value.split(",").map((part) => [part.split("=")[0], part.slice(part.indexOf("=") + 1)]),
      );
      mounts.set(parts.get("target") ?? "", parts.get("source") ?? "");
    } else if (arg === "--entrypoint") entry = value;
    else if (!["--network", "--tmpfs", "--cap-drop", "--security-opt", "--user"].includes(arg)) refuse(arg);
  }
  const [image = "", ...words] = args.slice(at);
  const root = image === "sha256:built" ? join(own, "built") : ROOT;
  const stages = readDockerfile(readFileSync(join(root, "Dockerfile"), "utf8"));
  const target = image === "tower" ? "tower" : "measure";
  const given = stagesFor(stages, target)
    .at(-1)
    ?.instructions.find(({ word }) => word === "ENTRYPOINT");
  if (given === undefined) return refuse("no ENTRYPOINT");
  const command = [...(entry === undefined ? wordsOf(given) : [entry]), ...words].map((word) =>
    (mounts.get(word) ?? word).replace("/tower/", `${root}/`),
  );
  const child = Bun.spawn(command[0] === "bun" ? [process.execPath, ...command.slice(1)] : command, {
    cwd: root,
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  process.exitCode = await child.exited;
}

function after(flag: string): string {
  return args[args.indexOf(flag) + 1] ?? "";
}

function refuse(what: string): never {
  process.stderr.write(`fake docker: ${what}\n`);
  process.exit(125);
}
