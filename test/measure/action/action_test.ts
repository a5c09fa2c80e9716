import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { actionWrite } from "../../../src/app/run_command.ts";
import { actionFile, FORGES, GITHUB, gitlabFile, INPUTS } from "../../../src/measure/action/workflow.ts";
import { MEASURE_KEYS } from "../../../src/reports/measures.ts";
import { workflowText } from "../../../src/tower/site/ways.tsx";
import { temporaryFolder } from "../../support/folder.ts";
import { runToEnd, type Service, startService } from "../../support/service.ts";
import { DESTINATION } from "../../support/tower_data.ts";
import { git, makeRepository } from "../repository.ts";
import { type Job, program, type Ran, runJob } from "./runner.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
const OWN = join(ROOT, ".github", "actions", "codebase-report");
const TOKEN = "kiln-token-that-no-list-shows";
/** A name that would be a command to the runner, were it printed as it is. */
const HOSTILE = "src/::error::taken.ts";

const folder = temporaryFolder();
const repository = join(folder.path, "repository");
const programs = join(folder.path, "programs");
const someReport = join(folder.path, "report.json");
let service: Service;
let readToken: string;
let homes = 0;

/** What the repository holds beside the action. Its own rules would leave the image's sources out. */
const FILES = {
  ".gitignore": "lib/\n*.lock\n",
  "src/one.ts": "export const one = 1;\nconsole.log(one);\n",
  [HOSTILE]: "export const = ;\n(((\n",
  "package.json": '{"dependencies":{"left":"1.0.0"}}',
};

beforeAll(async () => {
  service = await startService({
    DATA_DIR: join(folder.path, "data"),
    INGEST_PORT: "0",
    TOWER_PORT: "0",
    ASSET_TOKENS: `kiln:${TOKEN}`,
  });
  const issued = ["token", "issue", "--operator", "ci", "--scopes", "read"];
  readToken = (await runToEnd("cli.ts", issued, { DATA_DIR: join(folder.path, "data") })).out.trim();
  writeFileSync(someReport, "{}");
  makeRepository(repository, [{ at: "2026-11-01T00:00:00Z", files: FILES }]);
  git(repository, "reset", "--hard", "--quiet");
  expect(await actionWrite.run(undefined, { args: [repository, "--asset", "kiln"] })).toMatchObject({
    exitCode: 0,
  });
  git(repository, "add", "--all");
  git(repository, "-c", "user.name=Ada", "-c", "user.email=ada@example.test", "commit", "-qm", "action");
  const look = `[ -z "$LOOKED_AT" ] || cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' >> "$HOME/seen"`;
  const docker = `exec '${process.execPath}' '${join(ROOT, "test/measure/action/fake_docker.ts")}' "$@"`;
  program(programs, "docker", `#!/bin/sh\n${look}\n${docker}\n`);
  program(programs, "curl", `#!/bin/sh\n${look}\nexec '${Bun.which("curl")}' "$@" --retry 0\n`);
});
afterAll(async () => {
  await service.end("SIGTERM");
  folder[Symbol.dispose]();
});

interface Result extends Ran {
  readonly calls: readonly (readonly string[])[];
  /** Every command line of the machine, as it stood while the steps ran. */
  readonly seen: string;
}

/** Runs the workflow that the Tower shows, changed as its reader would. */
async function run(job: Partial<Job> & { readonly change?: (text: string) => string } = {}): Promise<Result> {
  const home = join(folder.path, `home ${++homes}`);
  mkdirSync(home);
  const { change = (text: string) => text, env, ...rest } = job;
  const shown = workflowText({ ...DESTINATION, asset: "kiln" });
  const ran = await runJob({
    workflow: change(shown),
    repository,
    home,
    programs,
    ...rest,
    env: { FAKE_DOCKER: home, ...env },
  });
  const read = (name: string) => (existsSync(join(home, name)) ? readFileSync(join(home, name), "utf8") : "");
  const calls = read("calls")
    .split("\n")
    .filter((line) => line !== "");
  return { ...ran, calls: calls.map((line) => JSON.parse(line) as string[]), seen: read("seen") };
}

/** Runs one script of the action in Tower's own repository; its exit code and what it said. */
async function script(
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<[code: number, said: string]> {
  const child = Bun.spawn(["bash", join(OWN, name)], {
    env: { PATH: `${programs}:/usr/bin:/bin`, HOME: folder.path, REPORT: someReport, ...env },
    stdout: "pipe",
  });
  return [await child.exited, await new Response(child.stdout).text()];
}

const secrets = () => ({ INGEST_URL: service.ingestUrl, ASSET_TOKEN: TOKEN });
const uncommented = (text: string) => text.replaceAll(/# (needs: |if: |build-|tests-|vulnerable-)/g, "$1");
const kept = (ran: Ran) => ran.artifacts.get("codebase-report-kiln") ?? "{}";
const measuresOf = (ran: Ran) => (JSON.parse(kept(ran)) as { measures?: Record<string, number> }).measures;

interface Stored {
  readonly revision: number;
  readonly measures: Record<string, number>;
  readonly repository: { readonly ref: string };
}

/** The newest report of the site, which counts its revisions. */
async function stored(): Promise<Stored | undefined> {
  const answer = await fetch(`${service.towerUrl}/api/assets/kiln/codebase-reports`, {
    headers: { authorization: `Bearer ${readToken}` },
  });
  return ((await answer.json()) as { readonly items: readonly Stored[] }).items[0];
}

describe("the workflow that the Tower shows, run as a runner would", () => {
  test("posts a report with the three results, measured without network and without the token, which was pasted with its line's end and the whole route", async () => {
    const ran = await run({
      change: (text) => uncommented(text).replace("[build, test]", "[build, test, audit]"),
      secrets: { INGEST_URL: ` ${service.ingestUrl}/api/codebase-report/\n`, ASSET_TOKEN: `${TOKEN}\r\n` },
      env: { LOOKED_AT: "1" },
      needs: {
        build: { result: "success" },
        test: { result: "failure" },
        audit: { result: "success", outputs: { count: "3" } },
      },
    });
    expect(ran.messages).toEqual(["notice: The report was posted."]);
    expect([ran.green, ran.artifacts.size]).toEqual([true, 0]);
    expect(await stored()).toMatchObject({
      revision: 1,
      repository: { ref: "main" },
      // The action's own files are none of the repository's code, and its packages none of its packages.
      measures: {
        build_passed: 1,
        tests_passed: 0,
        vulnerable_dependencies: 3,
        files: 2,
        dependencies_direct: 1,
      },
    });
    expect(ran.summary).toContain("| Files | 2 |");
    expect(ran.summary).toContain("| Build passed (1 yes, 0 no) | 1 |");
    const [build, measure] = ran.calls;
    expect([build?.[0], measure?.slice(0, 4)]).toEqual(["build", ["run", "--rm", "--network", "none"]]);
    expect(measure?.filter((_, at) => measure[at - 1] === "-e")).not.toContain("ASSET_TOKEN");
    expect(ran.seen).toContain("codebase-report.json");
    expect(ran.seen.includes(TOKEN) || ran.log.includes(TOKEN)).toBe(false);
  });

  test("with nothing configured the job is green, says so, and keeps the report; skipped and cancelled jobs are no measures of it", async () => {
    const ran = await run({
      change: uncommented,
      needs: { build: { result: "skipped" }, test: { result: "cancelled" } },
    });
    expect([ran.green, ran.messages.length]).toEqual([true, 1]);
    expect(ran.messages[0]).toStartWith("notice: No ingest address or no token is set");
    expect(measuresOf(ran)).toMatchObject({ files: 2 });
    expect(Object.keys(measuresOf(ran) ?? {}).filter((key) => key.endsWith("_passed"))).toStrictEqual([]);
    expect(ran.summary).toContain("| Build passed (1 yes, 0 no) | not measured |");
    const { findings } = JSON.parse(kept(ran)) as { findings: object };
    expect(JSON.stringify(findings)).not.toContain("codebase-report");
    expect(ran.log).not.toContain("curl");
  });

  test("with a token that the service refuses, or the service down, the job is green with a warning, and the report is kept", async () => {
    const before = await stored();
    const wrong = await run({ secrets: { ...secrets(), ASSET_TOKEN: "another-token-of-nobody" } });
    expect(wrong.messages).toEqual([
      "warning: The report was not posted: the ingest answered 401. It is kept as an artifact.",
    ]);
    expect([wrong.green, measuresOf(wrong)?.["files"]]).toEqual([true, 2]);
    const down = await script("post.sh", { ...secrets(), INGEST_URL: "http://127.0.0.1:9" });
    expect(down).toEqual([
      0,
      expect.stringContaining(
        "warning: The report was not posted: no answer from the ingest (curl ended with 7). It is kept as an artifact.",
      ),
    ]);
    expect(await stored()).toEqual(before);
  });

  test("an image that cannot be built is a warning, and a failure only where the workflow asks for it", async () => {
    const env = { FAKE_DOCKER_FAILS: "build" };
    const warned = await run({ env });
    const failed = await run({ env, change: (text) => `${text}\n          fail-on-error: true\n` });
    const why = "Nothing was measured: the measuring image could not be built.";
    expect([warned.green, warned.messages, warned.artifacts.size]).toEqual([true, [`warning: ${why}`], 0]);
    expect([failed.green, failed.messages]).toEqual([false, [`error: ${why}`]]);
  });

  test("a value that is a script to a shell, a runner or docker is a value", async () => {
    const planted = join(folder.path, "planted");
    const hostile = `x"$(touch '${planted}')"\`touch '${planted}'\`;touch '${planted}'`;
    const asset = await run({
      change: (text) => text.replace('asset: "kiln"', `asset: ${JSON.stringify(hostile)}`),
    });
    const option = await run({ change: (text) => `${text}\n          image: "--privileged"\n` });
    expect(asset.messages).toEqual(["warning: Nothing was measured: the measuring ended with 2."]);
    expect(option.messages[0]).toContain("the input image is not the name of an image");
    expect([asset.green, option.green]).toEqual([true, true]);
    expect(await script("post.sh", { ...secrets(), ASSET_TOKEN: `${hostile}\nx: y` })).toEqual([
      0,
      expect.stringContaining("warning: The report was not posted: ASSET_TOKEN holds"),
    ]);
    expect(existsSync(planted)).toBe(false);
  });

  test("an image that is given is not built, and stands in the report with its digest and the name of a branch that is a script", async () => {
    const planted = join(folder.path, "planted by a branch");
    const image = `registry.example/measure@sha256:${"a".repeat(64)}`;
    const paths = "paths: |\n            src\n            package.json\n";
    const refName = `x"$(touch '${planted}')"\`touch '${planted}'\`;touch '${planted}'`;
    const ran = await run({
      change: (text) => `${text}\n          image: ${image}\n          ${paths}`,
      refName,
    });
    expect(ran.calls.map(([verb]) => verb)).toEqual(["run"]);
    expect(JSON.parse(kept(ran))).toMatchObject({
      repository: { ref: refName },
      paths: ["src", "package.json"],
      tools: { image },
    });
    expect(existsSync(planted)).toBe(false);
  });

  test("from Tower's own repository the action builds from its root", async () => {
    const home = join(folder.path, "own");
    mkdirSync(home);
    const ended = await script("measure.sh", {
      HOME: home,
      FAKE_DOCKER: home,
      FAKE_DOCKER_FAILS: "build",
      ASSET: "kiln",
      CHECKOUT: repository,
      REPORT: join(home, "report.json"),
    });
    expect(ended).toEqual([0, expect.any(String)]);
    const [call] = readFileSync(join(home, "calls"), "utf8").split("\n");
    expect(join((JSON.parse(call ?? "[]") as string[]).at(-1) ?? "")).toBe(ROOT);
  });
});

test("the job for GitLab posts, and without its variables keeps the report", async () => {
  const checkout = join(folder.path, "git lab");
  git(folder.path, "clone", "--quiet", repository, checkout);
  expect(
    await actionWrite.run(undefined, { args: [checkout, "--asset", "kiln", "--for", "gitlab"] }),
  ).toMatchObject({
    exitCode: 0,
  });
  const job = Object.values(Bun.YAML.parse(gitlabFile("kiln")) as object)[0] as {
    readonly script: readonly string[];
    readonly variables: Readonly<Record<string, string>>;
    readonly artifacts: { readonly paths: readonly string[] };
  };
  const before = (await stored())?.revision ?? 0;
  const runScript = async (home: string, env: Readonly<Record<string, string>>) => {
    mkdirSync(home);
    const child = Bun.spawn(["bash", "-e", "-c", job.script.join("\n")], {
      cwd: checkout,
      env: {
        PATH: `${programs}:/usr/bin:/bin`,
        HOME: home,
        FAKE_DOCKER: home,
        CI_PROJECT_DIR: checkout,
        CI_COMMIT_REF_NAME: "trunk",
        ...job.variables,
        ...env,
      },
      stdout: "pipe",
      stderr: "pipe",
    });
    return { out: await new Response(child.stdout).text(), code: await child.exited };
  };
  const posted = await runScript(join(folder.path, "lab 1"), { ...secrets(), TESTS_PASSED: "1" });
  expect([posted.code, posted.out.trim().split("\n").at(-1)]).toEqual([0, "notice: The report was posted."]);
  expect(await stored()).toMatchObject({ revision: before + 1, measures: { tests_passed: 1 } });
  const kept = await runScript(join(folder.path, "lab 2"), {});
  expect([kept.code, kept.out]).toEqual([
    0,
    expect.stringContaining("notice: No ingest address or no token"),
  ]);
  const [path = ""] = job.artifacts.paths;
  expect(JSON.parse(readFileSync(join(checkout, path), "utf8"))).toMatchObject({
    repository: { ref: "trunk" },
  });
});

describe("the action's files", () => {
  test("action.yml is what its list of inputs makes", () => {
    expect(readFileSync(join(OWN, "action.yml"), "utf8")).toBe(actionFile(GITHUB));
    for (const forge of FORGES) {
      const action = Bun.YAML.parse(actionFile(forge)) as { readonly inputs: object };
      expect(Object.keys(action.inputs)).toEqual(INPUTS.map(({ name }) => name));
    }
  });

  test("each step is given what it needs: the token and the repository never meet", () => {
    const { runs } = Bun.YAML.parse(actionFile(GITHUB)) as {
      readonly runs: { readonly steps: readonly { readonly env?: Readonly<Record<string, string>> }[] };
    };
    const [measure, post] = runs.steps.map(({ env = {} }) => Object.keys(env));
    expect(measure).toContain("CHECKOUT");
    expect(measure?.filter((name) => ["ASSET_TOKEN", "INGEST_URL"].includes(name))).toStrictEqual([]);
    expect(post).not.toContain("CHECKOUT");
  });

  test("the summary names measures that there are", () => {
    const lines = readFileSync(join(OWN, "figures.txt"), "utf8").trim().split("\n");
    const keys = lines.map((line) => line.split("|")[0] ?? "");
    expect(keys.filter((key) => !MEASURE_KEYS.some((known) => known === key))).toStrictEqual([]);
  });

  test("no script holds a line that its shell does not understand", () => {
    for (const name of ["measure.sh", "post.sh", "say.sh"]) {
      expect(Bun.spawnSync(["bash", "-n", join(OWN, name)]).exitCode).toBe(0);
    }
  });
});
