/** What the built roots are put to: the measuring one beside this machine's own command, the service from start to stop. */

import { chownSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Built } from "./build.ts";
import { ended, run, said, start } from "./root.ts";

const IMAGE = `measure@sha256:${"0".repeat(64)}`;
const PATIENCE_MS = 30_000;

/** Measures a repository in the image's root and natively; returns what differs, nothing when both say the same. */
export async function compareReports(
  image: Built,
  repository: string,
  native: string,
  work: string,
): Promise<string[]> {
  // Whoever checked it out is not who measures: here it belongs to root.
  const inside = await run({
    root: image.root,
    cwd: image.cwd,
    env: { ...image.env, ASSET: "proof", MEASURE_IMAGE: IMAGE },
    uid: Number(image.user),
    network: "none",
    readOnly: true,
    binds: [{ from: repository, to: "/repo", writable: false }],
    command: [...image.entrypoint, "/repo", "--out", "-"],
  });
  if (inside.code !== 0)
    throw new Error(
      `measuring ${repository} in the image ended with ${inside.code}: ${inside.err.slice(-2_000)}`,
    );
  const file = join(work, "native.json");
  await said([process.execPath, native, repository, "--out", file], { ASSET: "proof", MEASURE_IMAGE: "" });
  return differences(JSON.parse(inside.out), JSON.parse(readFileSync(file, "utf8")), "");
}

/** The pointers at which two reports differ, but for when they were made and in which image. */
function differences(one: unknown, other: unknown, at: string): string[] {
  if (at === "/generatedAt") return [];
  if (at === "/tools/image") return one === IMAGE && other === undefined ? [] : [at];
  if (!isObject(one) || !isObject(other)) return Object.is(one, other) ? [] : [at];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].flatMap((key) => differences(one[key], other[key], `${at}/${key}`));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Has the service's image write the action into a checkout, as whoever owns that; returns what the action's image is built from. */
export async function writeAction(image: Built, checkout: string): Promise<string> {
  const owner = 12_345;
  chownSync(checkout, owner, owner);
  const { code, err } = await run({
    root: image.root,
    cwd: image.cwd,
    env: image.env,
    uid: owner,
    network: "none",
    readOnly: true,
    binds: [{ from: checkout, to: "/repo", writable: true }],
    command: ["bun", "src/cli.ts", "action", "write", "/repo", "--asset", "proof"],
  });
  if (code !== 0) throw new Error(`tower action write ended with ${code} in the image: ${err.slice(-2_000)}`);
  return join(checkout, ".github", "actions", "codebase-report", "image");
}

/** Starts the service as its user, asks it as the image's own check does, and stops it with the image's signal. */
export async function runService(
  image: Built,
  work: string,
): Promise<{ readonly readyMs: number; readonly stopMs: number }> {
  const uid = userId(image);
  const data = join(work, "data");
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, uid, uid);
  const began = performance.now();
  const service = start({
    root: image.root,
    cwd: image.cwd,
    env: image.env,
    uid,
    network: "none",
    readOnly: true,
    binds: [{ from: data, to: "/data", writable: true }],
    command: image.entrypoint,
  });
  const end = ended(service);
  try {
    const pid = await firstProcess(service.pid);
    while (!(await isHealthy(image, pid, uid))) {
      if (service.exitCode !== null) throw new Error(`the service ended: ${JSON.stringify(await end)}`);
      if (performance.now() - began > PATIENCE_MS) throw new Error("the service was not ready in 30 seconds");
      await Bun.sleep(100);
    }
    const readyMs = performance.now() - began;
    const asked = performance.now();
    process.kill(pid, image.stopSignal as NodeJS.Signals);
    const { code, err } = await end;
    if (code !== 0)
      throw new Error(`the service ended with ${code} on ${image.stopSignal}: ${err.slice(-2_000)}`);
    return { readyMs, stopMs: performance.now() - asked };
  } finally {
    service.kill("SIGKILL");
    await end;
  }
}

/** The image's own health check, in the service's namespaces. */
async function isHealthy(image: Built, pid: number, uid: number): Promise<boolean> {
  const env = Object.entries({ ...image.env, PATH: "/usr/local/bin:/usr/bin:/bin" }).map(
    ([name, value]) => `${name}=${value}`,
  );
  const enter = [
    "nsenter",
    `--target=${pid}`,
    "--mount",
    "--net",
    "--pid",
    "--root",
    "--wd",
    `--setuid=${uid}`,
    `--setgid=${uid}`,
  ];
  const check = Bun.spawn([...enter, "/usr/bin/env", "-i", ...env, ...image.healthcheck], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  return (await check.exited) === 0;
}

/** The process inside: the one child of the program that made its namespaces, once that runs what it was asked to. */
async function firstProcess(parent: number): Promise<number> {
  for (let tries = 0; tries < 300; tries++) {
    const pid = Number(readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").trim());
    if (pid > 0 && readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("bun\0")) return pid;
    await Bun.sleep(50);
  }
  throw new Error("the service was not started");
}

function userId({ root, user }: Built): number {
  const row = readFileSync(join(root, "etc", "passwd"), "utf8")
    .split("\n")
    .find((line) => line.startsWith(`${user}:`));
  const uid = Number(row?.split(":")[2] ?? user);
  if (!Number.isInteger(uid)) throw new Error(`the image has no user ${user}`);
  return uid;
}

/** What a folder holds, in MiB. */
export async function sizeOf(folder: string): Promise<number> {
  const [kib = "0"] = (await said(["du", "-skx", folder])).split("\t");
  return Math.round(Number(kib) / 1024);
}
