/** The manual's script for backups, run as it stands there but for its folders. */

import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { archiveTexts, objectIn, textsNumbered } from "../support/archive.ts";
import { openFolder } from "../support/data_folder.ts";
import { documentBlock } from "../support/documents.ts";
import { temporaryFolder } from "../support/folder.ts";
import { bareEnvironment, finished } from "../support/service.ts";

test("the nightly script backs up, proves it and keeps fourteen in silence; where a report is damaged it names it, prunes all the same and keeps the last that was proven", async () => {
  using folder = temporaryFolder();
  const [data, backups, bin] = ["data", "backups", "bin"].map((name) => join(folder.path, name));
  if (data === undefined || backups === undefined || bin === undefined) throw new Error("no folders");
  const opened = await openFolder(data);
  const [object] = await archiveTexts(opened, textsNumbered(0, 2));
  opened.close();
  if (object === undefined) throw new Error("nothing is archived");
  for (const path of [backups, bin]) mkdirSync(path);
  symlinkSync(process.execPath, join(bin, "bun"));
  const old = Array.from({ length: 20 }, (_, n) => `tower-2020-01-${n + 10}T03-40-00Z.backup`);
  for (const name of old) writeFileSync(join(backups, name), "of long ago");
  const script = join(folder.path, "backup.sh");
  const text = documentBlock("backup.sh")
    .replaceAll("/var/lib/tower", data)
    .replaceAll("/var/backups/tower", backups)
    .replaceAll("/opt/tower", join(import.meta.dir, "../.."))
    // A quick machine makes both backups within one second.
    .replaceAll("%SZ", "%S.%NZ");
  writeFileSync(script, text);
  chmodSync(script, 0o755);
  const run = async () => {
    const env = { ...bareEnvironment(), PATH: `${bin}:/usr/bin:/bin` };
    const child = Bun.spawn([script], { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    return finished(child);
  };
  const kept = () => readdirSync(backups).filter((name) => /^tower-.*\.backup$/.test(name));

  expect(await run()).toEqual({ code: 0, out: "", err: "" });
  expect(kept()).toHaveLength(14);
  const proven = readFileSync(join(backups, "proven.backup"));
  expect(proven.equals(readFileSync(join(backups, kept().toSorted().at(-1) ?? "")))).toBe(true);
  const copy = objectIn(join(backups, "tower-archive"), object);
  const bytes = readFileSync(copy);
  bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100);
  chmodSync(copy, 0o600);
  writeFileSync(copy, bytes);
  const wrong = await run();
  expect(wrong).toMatchObject({ code: 1, out: "" });
  expect(wrong.err).toContain(`object ${object.sha256} (harbor.example, search-console page, 2026-09-04)`);
  expect(kept()).toHaveLength(14);
  expect(readFileSync(join(backups, "proven.backup")).equals(proven)).toBe(true);
});
