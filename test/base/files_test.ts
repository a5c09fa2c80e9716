import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Files, replaceFile, systemFiles } from "../../src/base/files.ts";

let folder: string;
let path: string;
const bytes = (text: string) => new TextEncoder().encode(text);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tower-files-"));
  path = join(folder, "a.toml");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const STEPS = ["remove", "writeNew", "rename", "syncFolder"] as const;

/** Records the steps; the one at `failing` does nothing and fails, and so does every later one. */
function stepping(steps: string[], failing?: number): Files {
  const files: Files = { ...systemFiles };
  let broken = false;
  for (const [i, step] of STEPS.entries()) {
    const real = systemFiles[step] as (...given: unknown[]) => Promise<void>;
    Object.assign(files, {
      [step]: async (...given: unknown[]) => {
        if (i === failing) broken = true;
        if (broken) throw new Error(`crash at ${step}`);
        steps.push(step);
        await real(...given);
      },
    });
  }
  return files;
}

test("a file is replaced by temporary file, fsync, rename, fsync of the folder, in this order (reliability 3.2)", async () => {
  const steps: string[] = [];
  await replaceFile(stepping(steps), path, bytes("new"), 0o600);
  expect(steps).toEqual([...STEPS]);
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["a.toml"]);
});

for (const [failing, step] of STEPS.entries()) {
  test(`a crash at ${step} leaves the old file or the new one, whole, and the next replacement works`, async () => {
    writeFileSync(path, "old");
    await expect(replaceFile(stepping([], failing), path, bytes("new"), 0o600)).rejects.toThrow("crash");
    expect(readFileSync(path, "utf8")).toBe(step === "syncFolder" ? "new" : "old");
    await replaceFile(systemFiles, path, bytes("newer"), 0o600);
    expect(readFileSync(path, "utf8")).toBe("newer");
    expect(readdirSync(folder)).toEqual(["a.toml"]);
  });
}

test("a link planted at the temporary name is not followed", async () => {
  const other = join(folder, "other");
  writeFileSync(other, "untouched");
  symlinkSync(other, join(folder, ".tmp-a.toml"));
  await replaceFile(systemFiles, path, bytes("new"), 0o600);
  expect(readFileSync(other, "utf8")).toBe("untouched");
  expect(statSync(path).isFile()).toBe(true);
});

test("a file that exists is not written anew, and an absent one never changed", async () => {
  writeFileSync(path, "old");
  await expect(systemFiles.writeNew(path, bytes("new"), 0o600)).rejects.toThrow("EEXIST");
  expect(await systemFiles.changedAt(join(folder, "absent"))).toBeUndefined();
  expect(await systemFiles.changedAt(path)).toBe(statSync(path).ctimeMs);
  await systemFiles.remove(join(folder, "absent"));
});

test("a read stops at its bound", async () => {
  writeFileSync(path, "0123456789");
  expect(new TextDecoder().decode(await systemFiles.read(path, 4))).toBe("0123");
  expect(new TextDecoder().decode(await systemFiles.read(path, 40))).toBe("0123456789");
});

test("a named pipe that nobody writes to does not hold a read for ever", async () => {
  Bun.spawnSync(["mkfifo", path]);
  const read = systemFiles.read(path, 4).then(
    (found) => found.length,
    () => "refused",
  );
  expect([0, "refused"]).toContain(await read);
});
