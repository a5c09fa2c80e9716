/** `ledger import`, beside a running service and without one; what it says is recorded (`run.ts`). */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { askService, serveControl } from "../../src/app/control.ts";
import { readGivenFile } from "../../src/app/run_command.ts";
import { MAX_CSV_BYTES } from "../../src/ledger/csv.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run } from "./run.ts";

test("an import prints its counts as one line of JSON, or names at most 50 bad lines and stores nothing", async () => {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  const opened = await openFolder(dataDir);
  await run(opened, "asset add harbor");
  const control = serveControl(opened.deps);
  const fileOf = async (amount: string, lines: number) => {
    const path = join(folder.path, "file.csv");
    const row = (at: number) => `\nharbor,2026-01,Café,booked,${amount},EUR,r${at}`;
    const header = "asset,period,source,status,amount,currency,ref";
    await Bun.write(path, header + Array.from({ length: lines }, (_, at) => row(at)).join(""));
    const file = await readGivenFile(path, MAX_CSV_BYTES);
    return typeof file === "string" ? file : file.fault;
  };
  const words = "ledger import revenue file.csv";
  const good = await fileOf("1250", 60);
  await run(opened, `${words} --dry-run`, folder.path, good);
  await run(opened, words, folder.path, await fileOf("12.50", 60));
  const args = ["revenue", "file.csv"];
  const imported = await askService(dataDir, "ledger import", { args, file: good });
  expect(imported).toMatchObject({ exitCode: 0, stdout: '{"stored":60,"replayed":0,"corrected":0}' });
  await run(opened, words, folder.path, good);
  await Bun.write(join(folder.path, "file.csv"), "x".repeat(MAX_CSV_BYTES + 1));
  expect(await readGivenFile(join(folder.path, "file.csv"), MAX_CSV_BYTES)).toHaveProperty("fault");
  await control?.stop();
  opened.close();
});
