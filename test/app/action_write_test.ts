import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { actionWrite } from "../../src/app/run_command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { runToEnd } from "../support/service.ts";

const OWN = ".github/actions/codebase-report";
const WORKFLOW = ".github/workflows/codebase-report.yml";

let checkout: string;
const folder = temporaryFolder();
let made = 0;

beforeEach(() => {
  checkout = join(folder.path, String(++made));
  mkdirSync(checkout);
});
afterAll(() => folder[Symbol.dispose]());

const write = (...args: readonly string[]) =>
  actionWrite.run(undefined, { args: [checkout, "--asset", "kiln", ...args] });
const read = (path: string) => readFileSync(join(checkout, path), "utf8");

describe("tower action write", () => {
  test("is listed, has its help, and needs no data folder and no service", async () => {
    const data = join(folder.path, "data");
    const call = (...args: readonly string[]) => runToEnd("cli.ts", args, { DATA_DIR: data }, folder.path);
    expect((await call("--help")).out).toMatch(/^ {2}action write +write the measuring workflow/m);
    expect((await call("action", "write", "--help")).out).toStartWith("Usage: tower action write <checkout>");
    expect((await call("action")).err).toStartWith("tower action needs one more word: action write");
    const written = await call("action", "write", String(made), "--asset", "kiln");
    expect(written).toMatchObject({ code: 0, err: expect.stringContaining("INGEST_URL and ASSET_TOKEN") });
    expect(written.out.split("\n")).toContain(WORKFLOW);
    expect([existsSync(join(checkout, OWN, "image/Dockerfile")), existsSync(data)]).toEqual([true, false]);
  });

  test("writes again without a change, and over one only when it is told to", async () => {
    await write();
    expect(await write()).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^0 files written, \d+ already/),
    });
    writeFileSync(join(checkout, WORKFLOW), "mine\n");
    writeFileSync(join(checkout, OWN, "image/src/measure/gone.ts"), "old\n");
    const refused = await write();
    expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
    expect(refused.stderr).toContain(`different: ${WORKFLOW}, ${OWN}/image/src/measure/gone.ts`);
    expect(read(WORKFLOW)).toBe("mine\n");
    expect(await write("--force", "--no-workflow")).toMatchObject({ exitCode: 0 });
    expect([read(WORKFLOW), existsSync(join(checkout, OWN, "image/src/measure/gone.ts"))]).toEqual([
      "mine\n",
      false,
    ]);
    expect(await write("--force")).toMatchObject({ exitCode: 0 });
    expect(read(WORKFLOW)).toContain('asset: "kiln"');
  });

  test("follows no link out of the checkout, and then writes nothing at all", async () => {
    const outside = join(folder.path, "outside");
    mkdirSync(outside, { recursive: true });
    symlinkSync(outside, join(checkout, ".github"));
    const refused = await write("--force");
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("stands in the way") });
    expect(existsSync(join(outside, "actions"))).toBe(false);
  });

  test("writes for each place that has runners", async () => {
    for (const [place, file, words] of [
      ["forgejo", ".forgejo/actions/codebase-report/action.yml", "forgejo/upload-artifact@v4"],
      ["gitea", ".gitea/actions/codebase-report/action.yml", "actions/upload-artifact@v3"],
      ["gitlab", ".gitlab/codebase-report.yml", "bash .gitlab/codebase-report/measure.sh"],
    ] as const) {
      expect(await write("--for", place)).toMatchObject({ exitCode: 0 });
      expect(read(file)).toContain(words);
    }
    expect(read(".forgejo/workflows/codebase-report.yml")).toContain("./.forgejo/actions/codebase-report");
  });

  test("what it is not called with is wrong usage", async () => {
    expect(await actionWrite.run(undefined, { args: [checkout] })).toMatchObject({ exitCode: 2 });
    expect(await actionWrite.run(undefined, { args: ["--asset", "kiln"] })).toMatchObject({ exitCode: 2 });
    expect(await write("--for", "elsewhere")).toMatchObject({ exitCode: 2 });
    expect(await write("--unknown")).toMatchObject({ exitCode: 2 });
    expect(
      await actionWrite.run(undefined, { args: ["nowhere", "--asset", "kiln"], cwd: checkout }),
    ).toMatchObject({
      exitCode: 1,
    });
  });
});
