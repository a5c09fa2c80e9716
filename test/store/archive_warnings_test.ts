import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { archiveWarnings } from "../../src/store/archive_warnings.ts";
import { temporaryFolder } from "../support/folder.ts";

test("a folder that others may look into is told; one of our own is not, and looking makes none", async () => {
  using folder = temporaryFolder();
  const rawSignals = join(folder.path, "raw", "signals");
  expect(await archiveWarnings({ rawSignals, s3: undefined })).toEqual([]);
  expect(existsSync(join(folder.path, "raw"))).toBe(false);
  mkdirSync(rawSignals, { recursive: true });
  chmodSync(rawSignals, 0o750);
  expect(await archiveWarnings({ rawSignals, s3: undefined })).toEqual([
    expect.stringContaining(`chmod 700 ${rawSignals}`),
  ]);
  chmodSync(rawSignals, 0o700);
  expect(await archiveWarnings({ rawSignals, s3: undefined })).toEqual([]);
});

test("a bucket that is asked in the clear is told, but for one of this machine", async () => {
  const warnings = (endpoint: string) =>
    archiveWarnings({
      rawSignals: "s3://bucket",
      s3: { endpoint, region: "us-east-1", accessKeyId: "tower", secretAccessKey: "not-a-real-secret" },
    });
  expect(await warnings("https://s3.example")).toEqual([]);
  expect(await warnings("http://127.0.0.1:9000")).toEqual([]);
  expect(await warnings("http://minio.internal:9000")).toEqual([expect.stringContaining("in the clear")]);
});
