/** The manual's unit for systemd: what systemd itself finds wrong with it, and that what it runs is there. */

import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { documentBlock } from "../support/documents.ts";
import { temporaryFolder } from "../support/folder.ts";

const ROOT = join(import.meta.dir, "..", "..");
const unit = documentBlock("tower.service");
const checker = Bun.which("systemd-analyze");
const notRun = checker === null ? " (not run: systemd-analyze is not on this machine)" : "";

test("the unit runs a file that is there, and restarts for no wrong setting", () => {
  const [, file = ""] = /^ExecStart=\S+ (\S+)$/m.exec(unit) ?? [];
  expect(existsSync(join(ROOT, file))).toBe(true);
  expect(unit).toContain("RestartPreventExitStatus=2");
});

test.skipIf(checker === null)(`systemd finds nothing wrong with the unit${notRun}`, async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "tower.service");
  // The program must be there to be verified, and its user known.
  const here = unit
    .replace("/usr/local/bin/bun", process.execPath)
    .replace("User=tower", "User=root")
    .replace("/opt/tower", ROOT);
  writeFileSync(path, here);
  const child = Bun.spawn([checker ?? "", "verify", path], { stdout: "pipe", stderr: "pipe" });
  const said = await new Response(child.stderr).text();
  await child.exited;
  expect(said.split("\n").filter((line) => line.includes("tower.service"))).toStrictEqual([]);
});
