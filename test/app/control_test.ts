/** Commands over the control socket, in this process. */

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { askService, serveControl } from "../../src/app/control.ts";
import { recordReport } from "../../src/archive/manifest.ts";
import { reportOf } from "../support/archive.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";

test("a command is run by the service, and what it did comes back", async () => {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  const opened = await openFolder(dataDir);
  // One that was killed leaves its socket.
  writeFileSync(join(dataDir, "control.sock"), "");
  const control = serveControl(opened.deps);
  const asked = { args: ["one"], cwd: folder.path };
  const first = await askService(dataDir, "backup", asked);
  const again = await askService(dataDir, "backup", asked);
  const unknown = await askService(dataDir, "no such command", asked);
  await control?.stop();
  opened.close();
  expect(first).toMatchObject({ exitCode: 0, stderr: "" });
  expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("nothing is overwritten") });
  expect(unknown).toBeUndefined();
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
    signal: caller.signal,
  }).then((response) => response.text());
  await isAsked;
  expect(readdirSync(backups)).not.toStrictEqual([]);
  caller.abort();
  await call.catch(() => undefined);
  const left = async () => readdirSync(backups).filter((name) => name !== "tower-archive");
  expect((await until(left, ({ length }) => length === 0)).seen).toStrictEqual([]);
  await control?.stop();
  await bucket.stop(true);
  opened.close();
});
