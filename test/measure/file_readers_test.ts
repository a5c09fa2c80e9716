import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { FileReaders } from "../../src/measure/file_reader.ts";
import type { Job } from "../../src/measure/reading.ts";
import { temporaryFolder } from "../support/folder.ts";

test("a long list is read by two at once, in its order, and a file that stops one costs only itself", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const jobs = Array.from({ length: 1_100 }, (_, index): Job => {
    const name = `${index % 7}.json`;
    if (index < 7) writeFileSync(at(name), JSON.stringify({ dependencies: { [`p${index}`]: "1" } }));
    return {
      kind: "manifest",
      file: at(index === 700 ? "pipe" : name),
      path: "package.json",
      grammars: undefined,
    };
  });
  Bun.spawnSync(["mkfifo", at("pipe")]);
  // Far more than it takes on this machine to start a process and have a file read.
  const { signal } = new AbortController();
  const started = performance.now();
  const first = new FileReaders({ cwd: folder.path, signal });
  for await (const answer of first.readAll(jobs.slice(0, 1))) expect(answer?.kind).toBe("manifest");
  await first.close();
  const limitMs = Math.max(1_000, 10 * (performance.now() - started));
  const readers = new FileReaders({ cwd: folder.path, signal, limitMs });
  const seen: string[] = [];
  for await (const answer of readers.readAll(jobs)) {
    seen.push(answer?.kind === "manifest" ? (answer.found?.names[0] ?? "") : "unread");
  }
  await readers.close();
  expect(seen).toEqual(jobs.map((_, index) => (index === 700 ? "unread" : `p${index % 7}`)));
});

test("a process that takes too much memory is ended, however long its file may take", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "pipe");
  Bun.spawnSync(["mkfifo", file]);
  const { signal } = new AbortController();
  const readers = new FileReaders({ cwd: folder.path, signal, limitMs: 3_600_000, mostKb: 1_000 });
  const job: Job = { kind: "manifest", file, path: "package.json", grammars: undefined };
  expect(await Array.fromAsync(readers.readAll([job]))).toEqual([undefined]);
  await readers.close();
}, 60_000);
