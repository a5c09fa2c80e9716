/** Programs that are held to limits by the kernel, whatever they do. */

import { expect, test } from "bun:test";
import { type ChildCall, machineFault, machineLine, runChild } from "../../src/measure/child.ts";
import { temporaryFolder } from "../support/folder.ts";
import { recordEach } from "../support/mixtures.ts";
import { words } from "../support/words.ts";

const LIMITS = { memoryMb: 64, cpuSeconds: 1, fileMb: 1 };

async function run(command: readonly string[], options: Partial<ChildCall> = {}) {
  using folder = temporaryFolder();
  return await runChild({
    command,
    cwd: folder.path,
    env: {},
    limits: LIMITS,
    timeoutMs: 20_000,
    maxBytes: 1_000,
    signal: new AbortController().signal,
    ...options,
  });
}

const tail = Bun.which("tail") ?? "tail";

test("a program runs under each of its limits", async () => {
  const told = ["-c", "-t", "-d", "-f"].map((limit) => `ulimit ${limit}`).join("; ");
  const result = await run(["/bin/sh", "-c", told]);
  const said = "stdout" in result ? new TextDecoder().decode(result.stdout) : "";
  expect(said.trim().split("\n")).toEqual(["0", "1", String(64 * 1_024), "2048"]);
});

test("a program gets its arguments as they are, and nothing of this process's environment", async () => {
  const result = await run([
    "/bin/sh",
    "-c",
    'printf "%s|" "$@"; env | /bin/grep -c ASSET',
    "x",
    "-a",
    "$(id)",
    "b c",
    "",
  ]);
  expect(result.ok && new TextDecoder().decode(result.stdout)).toBe("-a|$(id)|b c||0\n");
});

test("memory, time of the processor and the size of files have ends", async () => {
  const [memory, time, file] = await Promise.all([
    run([tail, "/dev/zero"]),
    run(["/bin/sh", "-c", "while :; do :; done"]),
    run(["/bin/sh", "-c", "exec /bin/dd if=/dev/zero of=big bs=65536"]),
  ]);
  expect(memory.ok ? memory.code : "killed").not.toBe(0);
  expect(time).toEqual({ ok: false, reason: "killed" });
  expect(file).toEqual({ ok: false, reason: "killed" });
});

test("output beyond the limit ends the program, and so does the clock", async () => {
  expect(await run(["/bin/cat", "/dev/zero"])).toEqual({ ok: false, reason: "too-large" });
  expect(await run(["/bin/sleep", "30"], { timeoutMs: 50 })).toEqual({ ok: false, reason: "timeout" });
});

test("a program that is not there is missing", async () => {
  expect(await run(["/nowhere/program"])).toEqual({ ok: false, reason: "missing" });
});

test("what the machine answers is told in words, recorded", () => {
  const codes = words(`
    EACCES EPERM EROFS ENOSPC EDQUOT EFBIG ENOENT ENOTDIR EISDIR ENAMETOOLONG EMFILE ENFILE EPIPE EIO ENOMEM EAGAIN
  `);
  recordEach(codes, (code) => {
    const error = (more: object) => Object.assign(new Error("as it came"), { code, ...more }) as never;
    const syscalls = [
      { syscall: "open", path: "/srv/r.json" },
      { syscall: "write" },
      { syscall: "posix_spawn" },
    ];
    return [
      machineFault(error({ syscall: "open" })),
      ...syscalls.map((of) => machineLine(error(of), "/tmp/x")),
    ];
  });
});

test("an answer without words is named by its code, and what no machine answered is thrown on", () => {
  const strange = Object.assign(new Error("as it came"), { code: "ESTRANGE", syscall: "open" });
  expect(machineFault(strange)).toBe("the machine answers ESTRANGE");
  expect(machineLine(strange, "/tmp/x")).toBe("the temporary folder /tmp/x cannot be used: as it came");
  for (const own of [new Error("own"), Object.assign(new Error("own"), { code: "E", path: "/x" })])
    expect(() => machineFault(own)).toThrow("own");
});
