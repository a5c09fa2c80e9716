/** Commands over the control socket, in this process. */

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { askService, serveControl } from "../../src/app/control.ts";
import { recordReport } from "../../src/archive/manifest.ts";
import { archiveTexts, reportOf, textsNumbered } from "../support/archive.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";

test("how far a command that lasts is comes line by line, and last what it did", async () => {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  const opened = await openFolder(dataDir);
  await archiveTexts(opened, textsNumbered(0, 3));
  const control = serveControl(opened.deps);
  const lines: string[] = [];
  const asked = { args: ["one"], cwd: folder.path };
  const told = await askService(dataDir, "backup", { ...asked, tell: (line) => lines.push(line) });
  const plain = await askService(dataDir, "backup", { ...asked, args: ["two"] });
  const refused = await askService(dataDir, "backup", { ...asked, tell: (line) => lines.push(line) });
  await control?.stop();
  opened.close();
  expect(told).toMatchObject({ exitCode: 0, stderr: "" });
  expect(plain).toMatchObject({ exitCode: 0, stderr: "" });
  expect(refused?.stderr).toContain("nothing is overwritten");
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toMatch(/^archive: \d of about 3 objects looked at, \d copied$/);
});

test("a backup ends when whoever asked for it is gone, though its archive never answers, and leaves nothing", async () => {
  using folder = temporaryFolder();
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
  const bucket = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      asked();
      return new Promise<Response>(() => undefined);
    },
  });
  const dataDir = join(folder.path, "data");
  const opened = await openFolder(dataDir, {
    RAW_SIGNALS: "s3://bucket/raw",
    S3_ENDPOINT: bucket.url.origin,
    S3_ACCESS_KEY_ID: "key",
    S3_SECRET_ACCESS_KEY: "secret",
  });
  await opened.deps.writer.write((tx) => void recordReport(tx, reportOf()));
  const backups = join(folder.path, "backups");
  mkdirSync(backups);
  const control = serveControl(opened.deps);
  const caller = new AbortController();
  const call = fetch("http://control/command/backup", {
    unix: join(dataDir, "control.sock"),
    method: "POST",
    body: JSON.stringify({ args: ["one"], cwd: backups }),
    headers: { accept: "application/x-ndjson" },
    signal: caller.signal,
  }).then((response) => response.text());
  await isAsked;
  expect(readdirSync(backups)).not.toEqual([]);
  caller.abort();
  await call.catch(() => undefined);
  const left = async () => readdirSync(backups).filter((name) => name !== "tower-archive");
  expect((await until(left, ({ length }) => length === 0)).seen).toEqual([]);
  await control?.stop();
  await bucket.stop(true);
  opened.close();
});
