import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TOWER_COMMAND } from "../../../src/base/command_line.ts";
import {
  actionCommand,
  localCommand,
  nightlyCommand,
  nightlyCrontab,
  tokenFileCommand,
} from "../../../src/tower/site/ways.tsx";
import { annotationCommand, annotationStep } from "../../../src/tower/timeline/timeline.tsx";
import { makeRepository } from "../../measure/repository.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { bareEnvironment, finished, runToEnd, type Service, startService } from "../../support/service.ts";

const SITE_TOKEN = "harbor-token-that-no-list-shows";
const COMMIT = "4be1c07d2a9f40c38d1b6f5e7a8c9b0d1e2f3a4b";

const ROOT = join(import.meta.dir, "..", "..", "..");

const data = temporaryFolder();
const home = temporaryFolder();
const programs = temporaryFolder();
const seen = join(programs.path, "seen");
const checkout = join(home.path, "checkout");
let service: Service;
let operatorToken: string;

/** Puts a program in front of the real one: it writes down every command line of the machine, its own among them, and goes on. */
function spy(name: string, goesOn: string): void {
  const path = join(programs.path, name);
  const look = `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' >> '${seen}'`;
  writeFileSync(path, `#!/bin/sh\n${look}\necho "called: $0 $*" >> '${seen}'\n${goesOn}\n`);
  chmodSync(path, 0o755);
}

beforeAll(async () => {
  service = await startService({
    DATA_DIR: data.path,
    INGEST_PORT: "0",
    TOWER_PORT: "0",
    ASSET_TOKENS: `harbor:${SITE_TOKEN}`,
  });
  makeRepository(checkout, [{ at: "2026-11-01T00:00:00Z", files: { "one.ts": "export const one = 1;\n" } }]);
  const issued = ["token", "issue", "--operator", "ci", "--scopes", "annotations,read"];
  operatorToken = (await runToEnd("cli.ts", issued, { DATA_DIR: data.path })).out.trim();
  spy("curl", `exec '${Bun.which("curl")}' "$@"`);
  const own = `cd '${ROOT}' && exec '${process.execPath}'`;
  spy("bun", `${own} "$@"`);
  // As `npx -y bun@1.4.5 …`, which is shown where this is run so.
  spy("npx", `shift 2; ${own} "$@"`);
  spy("docker", `${own} test/measure/action/fake_docker.ts "$@"`);
  // The measuring has git read its own folder; what is asked of the folder one stands in is answered here.
  spy("git", `[ "$1" != rev-parse ] || { echo ${COMMIT}; exit 0; }\nexec '${Bun.which("git")}' "$@"`);
});
afterAll(async () => {
  await service.end("SIGTERM");
  for (const folder of [data, home, programs]) folder[Symbol.dispose]();
});

/** Runs a script as someone who copied it would, and returns what it printed. The script itself comes by standard input. */
async function run(script: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  rmSync(seen, { force: true });
  const child = Bun.spawn(["sh", "-eu"], {
    stdin: new Blob([script]),
    stdout: "pipe",
    stderr: "pipe",
    env: { ...bareEnvironment(), PATH: `${programs.path}:/usr/bin:/bin`, HOME: home.path, ...env },
  });
  const { code, out, err } = await finished(child);
  expect({ code, err }).toEqual({ code: 0, err: expect.any(String) });
  return out;
}

/** The site's newest codebase report. */
async function newest(): Promise<unknown> {
  const answer = await fetch(`${service.towerUrl}/api/assets/harbor/codebase-reports`, {
    headers: { authorization: `Bearer ${operatorToken}` },
  });
  return ((await answer.json()) as { readonly items: readonly unknown[] }).items[0];
}

/** Whether the command was seen to run, and no command line of the machine held a token meanwhile. */
function expectHidden(name: string): void {
  const lines = readFileSync(seen, "utf8");
  expect(lines).toContain(`called: ${join(programs.path, name)}`);
  expect(lines).toContain(process.execPath.split("/").at(-1) ?? "bun");
  expect(lines.includes(SITE_TOKEN) || lines.includes(operatorToken)).toBe(false);
}

describe("the commands to copy, run as they are against the real service", () => {
  const to = () => {
    const { ingestUrl: here } = service;
    return { asset: "harbor", ingest: here, here, container: null, token: SITE_TOKEN, loopback: true };
  };

  test("the nightly command is taken, and no list of processes shows the token", async () => {
    expect(JSON.parse(await run(nightlyCommand(to())))).toMatchObject({ asset: "harbor", revision: 1 });
    expectHidden("curl");
  });

  test("the crontab is taken with the token from a file of mode 0600, whatever was there before", async () => {
    const file = join(home.path, ".config", "tower", "harbor.header");
    await run(tokenFileCommand(to()));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    await run(`umask 000\n${tokenFileCommand(to())}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(seen)).toBe(false);
    const line = nightlyCrontab(to()).split("\n").at(-1) ?? "";
    const command = line.split(" ").slice(5).join(" ").replaceAll("\\%", "%");
    expect(JSON.parse(await run(command))).toMatchObject({ asset: "harbor", ignored: [] });
    expectHidden("curl");
  });

  test("the annotation's command and workflow step are taken", async () => {
    const env = { TOWER_TOKEN: operatorToken };
    const posted = JSON.parse(await run(annotationCommand(to()), env)) as Record<string, unknown>;
    expect(posted).toMatchObject({ asset: "harbor", kind: "deploy", ref: COMMIT });
    expectHidden("curl");
    const [step] = Bun.YAML.parse(annotationStep(to())) as [{ run: string }];
    expect(JSON.parse(await run(step.run, { ...env, GITHUB_SHA: "c0ffee" }))).toMatchObject({
      ref: "c0ffee",
    });
    expectHidden("curl");
  });

  test("the local command measures and posts, and the token is in its environment alone", async () => {
    const script = localCommand(to()).replace("path/to/checkout", checkout);
    await run(`${script} --measure build_passed=1`);
    expectHidden(TOWER_COMMAND.startsWith("npx ") ? "npx" : "bun");
    expect(await newest()).toMatchObject({ revision: 1, measures: { build_passed: 1 } });
  });

  test("where Tower runs in a container, the measuring image does, in that container's network", async () => {
    const script = localCommand({ ...to(), container: "tower" }).replace("/path/to/checkout", checkout);
    await run(`${script} --measure tests_passed=0`, { FAKE_DOCKER: home.path });
    expectHidden("docker");
    expect(await newest()).toMatchObject({ revision: 2, measures: { tests_passed: 0 } });
    const called = readFileSync(join(home.path, "calls"), "utf8");
    const words = JSON.parse(called) as string[];
    expect(words.slice(0, 4)).toEqual(["run", "--rm", "--network", "container:tower"]);
    expect(words).toContain(`type=bind,source=${checkout},target=/repo,readonly`);
    expect(words.filter((_, at) => words[at - 1] === "--cap-drop")).toEqual(["ALL"]);
    rmSync(join(home.path, "calls"));
  });

  test("the action is written into a checkout by the command that is shown, in a container or not", async () => {
    const written = () => existsSync(join(checkout, ".github", "workflows", "codebase-report.yml"));
    await run(actionCommand(to()).replace("path/to/checkout", checkout));
    expect(written()).toBe(true);
    rmSync(join(checkout, ".github"), { recursive: true });
    const inside = actionCommand({ ...to(), container: "tower" }).replace("/path/to/checkout", checkout);
    await run(inside, { FAKE_DOCKER: home.path });
    expect(written()).toBe(true);
  });
});
