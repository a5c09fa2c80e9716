import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { localCommand, nightlyCommand } from "../../../src/tower/sending/commands.ts";
import { nightlyCrontab, tokenFileCommand } from "../../../src/tower/sending/cron.ts";
import { annotationCommand, annotationStep } from "../../../src/tower/timeline/commands.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { bareEnvironment, runToEnd, type Service, startService } from "../../support/service.ts";

const SITE_TOKEN = "harbor-token-that-no-list-shows";
const COMMIT = "4be1c07d2a9f40c38d1b6f5e7a8c9b0d1e2f3a4b";

const data = temporaryFolder();
const home = temporaryFolder();
const programs = temporaryFolder();
const seen = join(programs.path, "seen");
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
  const issued = ["token", "issue", "--operator", "ci", "--scopes", "annotations"];
  operatorToken = (await runToEnd("cli.ts", issued, { DATA_DIR: data.path })).out.trim();
  spy("curl", `exec '${Bun.which("curl")}' "$@"`);
  spy("bun", "exit 0");
  spy("git", `echo ${COMMIT}`);
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
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect({ code: await child.exited, err }).toEqual({ code: 0, err: "" });
  return out;
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

  test("the local command gives the token to the measuring in its environment alone", async () => {
    await run(localCommand(to()));
    expectHidden("bun");
  });
});
