/** The command with a real checkout and a loopback ingest. */

import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { threeRetries } from "../../src/base/http_client.ts";
import { type MeasureIo, measureCommand } from "../../src/measure/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { makeRepository } from "./repository.ts";
import { NOW, tools } from "./run.ts";

const TOKEN = "s3cret-token";
const CODE = { "a.py": "def f():\n    return 1\n" };
const ANSWER = {
  asset: "harbor",
  date: "2026-03-31",
  revision: 2,
  receivedAt: "2026-03-31T12:00:01.000Z",
  comparison: null,
  alerts: {
    raised: [{ id: "1", rule: "codebase-growth" }],
    resolved: [{ id: "2", rule: "codebase-unused" }],
  },
  unmeasured: [],
  ignored: ["/measures/x"],
};

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly folder: string;
}

async function command(
  args: readonly string[],
  env: Record<string, string> = {},
  options: {
    isTTY?: boolean;
    look?: (folder: string) => Promise<void>;
    at?: string;
    cwd?: string;
    /** Without code, for which no tool has to start, where nothing else is said. */
    files?: Readonly<Record<string, string>>;
  } = {},
): Promise<Outcome> {
  using folder = temporaryFolder();
  const { at = folder.path, files = { "README.md": "# p\n" } } = options;
  makeRepository(join(at, "repo"), [{ at: "2026-03-30T00:00:00Z", files }]);
  let out = "";
  let err = "";
  const io: MeasureIo = {
    env: { ASSET: "harbor", ...env },
    cwd: options.cwd ?? at,
    machine: { platform: process.platform, arch: process.arch },
    scratch: folder.path,
    signal: new AbortController().signal,
    now: () => NOW,
    stdout: (text) => {
      out += text;
    },
    stderr: {
      isTTY: options.isTTY === true,
      write: (text) => {
        err += text;
      },
    },
    retry: threeRetries(() => NOW, { random: () => 1, sleep: () => Promise.resolve() }),
    tools,
  };
  const code = await measureCommand(args, io);
  await options.look?.(folder.path);
  return { code, out, err, folder: folder.path };
}

/** Posts to an ingest that answers with `answers` in turn. */
async function post(...answers: readonly (() => Response)[]) {
  const requests: { path: string; authorization: string | null; type: string | null; body: string }[] = [];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      requests.push({
        path: new URL(request.url).pathname,
        authorization: request.headers.get("authorization"),
        type: request.headers.get("content-type"),
        body: await request.text(),
      });
      return answers[Math.min(requests.length, answers.length) - 1]?.() ?? new Response();
    },
  });
  const outcome = await command(["repo", "--post"], { INGEST_URL: server.url.origin, ASSET_TOKEN: TOKEN });
  return { ...outcome, requests };
}

describe("measure", () => {
  test("writes one line of JSON to standard output and progress to standard error", async () => {
    const { code, out, err } = await command(["repo"], {}, { files: CODE });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ asset: "harbor", measures: { code_lines: 2, functions: 1 } });
    expect(out.indexOf("\n")).toBe(out.length - 1);
    const steps = [
      "Reading the commit",
      "Reading 30 days of history",
      "Comparing code and parsing functions",
    ];
    expect(err).toStartWith([...steps, "Looking for uses", "", ""].join("\n"));
    expect(err).not.toContain("\u001b");
  });

  test("draws one live line on a terminal and removes it", async () => {
    const { err } = await command(["repo"], {}, { isTTY: true, files: CODE });
    expect(err).toContain("\r\u001b[KReading files 1/1");
    expect(err.slice(0, err.lastIndexOf("\u001b[K")).includes("\n")).toBe(false);
  });

  test("writes a file next to where it was called", async () => {
    let text = "";
    const look = async (folder: string) => {
      text = await Bun.file(join(folder, "r.json")).text();
    };
    const { code, out } = await command(
      ["repo", "--out", "r.json", "--measure", "build_passed=success"],
      {},
      { look },
    );
    expect([code, out]).toEqual([0, ""]);
    expect(JSON.parse(text)).toMatchObject({ measures: { build_passed: 1 } });
  });

  test("exit 0 for help, 2 for wrong usage and unknown paths, 3 for what cannot be measured", async () => {
    expect(await command(["--help"])).toMatchObject({ code: 0, err: "" });
    expect((await command([])).code).toBe(2);
    expect((await command(["repo", "--path", "nowhere"])).code).toBe(2);
    const refused = await command(["."]);
    expect(refused).toMatchObject({ code: 3, out: "" });
    expect(refused.err).toContain("measure: The folder is not a git repository.");
  });
});

describe("measure --post", () => {
  test("says date, revision, flags and every ignored name", async () => {
    const { code, out, err, requests } = await post(() => Response.json(ANSWER, { status: 201 }));
    expect([code, out]).toEqual([0, ""]);
    expect(err).toContain("Posted: 2026-03-31, revision 2.");
    expect(err).toContain("Flags raised: codebase-growth. Flags resolved: codebase-unused.");
    expect(err).toContain("Ignored: /measures/x");
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      path: "/api/codebase-report",
      authorization: `Bearer ${TOKEN}`,
      type: "application/json",
    });
    expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({ asset: "harbor" });
  });

  test("exit 4 with status and broken rules, never the token", async () => {
    const problem = {
      title: "Broken",
      detail: `for ${TOKEN}\u001b[31m`,
      errors: [{ pointer: "/measures/files", rule: "count", message: "must be a whole number" }],
      more: 3,
    };
    const { code, err, requests } = await post(() => Response.json(problem, { status: 422 }));
    expect(code).toBe(4);
    expect(err).toContain("422 Broken");
    expect(err).toContain("/measures/files must be a whole number (count)");
    expect(err).toContain("and 3 more");
    expect(err).not.toContain(TOKEN);
    expect(err).not.toContain("\u001b");
    expect(requests).toHaveLength(1);
  });

  test("tries again on 5xx, at most three times", async () => {
    const busy = () => new Response("", { status: 503, headers: { "retry-after": "0" } });
    const kept = await post(busy, busy, () => Response.json(ANSWER, { status: 201 }));
    expect([kept.code, kept.requests.length]).toEqual([0, 3]);
    const never = await post(busy);
    expect([never.code, never.requests.length]).toEqual([4, 4]);
  });

  test("a redirect is refused, so that the token goes nowhere else", async () => {
    const { code, requests } = await post(() => Response.redirect("http://127.0.0.1:1/x", 307));
    expect([code, requests.length]).toEqual([4, 1]);
  });

  test("in a container no report is kept in a folder that goes with it", async () => {
    using folder = temporaryFolder();
    const [at, cwd] = [folder.path, "/proc"];
    const env = { INGEST_URL: "http://127.0.0.1:1", ASSET_TOKEN: TOKEN };
    const call = (more: Record<string, string>) =>
      command([join(at, "repo"), "--post"], { ...env, ...more }, { at, cwd });
    expect((await call({})).err).toContain("The report is kept in ");
    expect((await call({ MEASURE_IN_CONTAINER: "1" })).err).toContain("The report could not be kept: ");
  });

  test("a report that was not posted is kept in the place of the one before, with a command that posts it", async () => {
    using folder = temporaryFolder();
    const requests: { authorization: string | null; body: string }[] = [];
    let status = 413;
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        requests.push({ authorization: request.headers.get("authorization"), body: await request.text() });
        return Response.json(status === 201 ? ANSWER : {}, { status });
      },
    });
    const env = { INGEST_URL: server.url.origin, ASSET_TOKEN: TOKEN };
    const at = join(folder.path, "it's here");
    mkdirSync(at);
    const first = await command(["repo", "--post"], env, { at });
    const { code, err } = await command(["repo", "--post"], env, { at });
    expect([first.code, code]).toEqual([4, 4]);
    const names = readdirSync(at).filter((name) => name.startsWith("codebase-report-"));
    expect(names).toEqual([expect.stringMatching(/^codebase-report-harbor-[0-9a-f]{12}\.json$/)]);
    expect(err).toContain(`The report is kept in ${join(at, names[0] ?? "")}. To post it later:\n`);
    expect(err).not.toContain(TOKEN);
    status = 201;
    const shown = err.slice(err.indexOf("  printf"));
    const again = Bun.spawn(["/bin/sh", "-c", shown], {
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "", ASSET_TOKEN: TOKEN },
      stdout: "ignore",
      stderr: "ignore",
    });
    expect(await again.exited).toBe(0);
    expect(requests.at(-1)).toEqual({
      authorization: `Bearer ${TOKEN}`,
      body: await Bun.file(join(at, names[0] ?? "")).text(),
    });
  });
});

test("the image's entry obeys no settings of the folder it is started in", async () => {
  const root = join(import.meta.dir, "../..");
  const entries = (await Bun.file(join(root, "Dockerfile")).text()).matchAll(/^ENTRYPOINT (\[.*\])$/gm);
  const [program, ...args] = [...entries]
    .map((entry) => JSON.parse(entry[1] ?? "[]") as string[])
    .find((words) => words.some((word) => word.endsWith("measure/main.ts"))) ?? ["", ""];
  expect(program).toBe("bun");
  using folder = temporaryFolder();
  await Bun.write(join(folder.path, ".env"), "ASSET=harbor\n");
  await Bun.write(join(folder.path, "bunfig.toml"), 'preload = ["./planted.ts"]\n');
  await Bun.write(join(folder.path, "planted.ts"), 'console.log("planted");\n');
  const child = Bun.spawn(
    [process.execPath, ...args.map((word) => word.replace("/tower/", `${root}/`)), "."],
    {
      cwd: folder.path,
      env: { PATH: process.env["PATH"] ?? "" },
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  expect(await child.exited).toBe(2);
  expect(await new Response(child.stdout).text()).toBe("");
  expect(await new Response(child.stderr).text()).toContain("ASSET must hold the site's id");
});
