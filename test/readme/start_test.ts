/** `bun run start` as a process: what it makes, and that it ends with whoever started it. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleFolder, bundlesFolder } from "../../src/app/prepare.ts";
import { copyCheckout } from "../support/checkout.ts";
import { temporaryFolder } from "../support/folder.ts";
import { bareEnvironment, startService } from "../support/service.ts";

const folder = temporaryFolder();
const root = join(folder.path, "tower");
beforeAll(() => copyCheckout(root));
afterAll(() => folder[Symbol.dispose]());

let starts = 0;
const settings = () => ({
  DATA_DIR: join(folder.path, `data-${++starts}`),
  INGEST_PORT: "0",
  TOWER_PORT: "0",
});

/** Whether a process has a handler for SIGTERM, as the system tells it: a bit for each signal. */
function catchesTerm(pid: number): boolean {
  const mask = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
  return (BigInt(`0x${mask}`) & (1n << 14n)) !== 0n;
}

describe("a start", () => {
  test("of several services at once makes one bundle, and each of them runs", async () => {
    const services = await Promise.all(
      [1, 2].map(() => startService(settings(), { root, file: "start.ts", cwd: folder.path })),
    );
    const ended = await Promise.all(services.map((service) => service.end("SIGTERM")));
    const errors = await Promise.all(services.map((service) => service.errors()));
    expect(ended).toEqual([0, 0]);
    expect(existsSync(bundleFolder(root))).toBe(true);
    expect(errors.join("")).not.toContain("tower: ");
  });

  test("ends by a signal that comes as soon as it takes signals, each time", async () => {
    const given = { ...bareEnvironment(), ...settings() };
    // With nothing to prepare a start takes signals for a moment only before the service does.
    expect(existsSync(bundleFolder(root))).toBe(true);
    for (let round = 0; round < 4; round++) {
      const child = Bun.spawn([process.execPath, join(root, "src", "start.ts")], {
        cwd: root,
        env: given,
        stdout: "ignore",
        stderr: "ignore",
      });
      while (!catchesTerm(child.pid)) if (child.exitCode !== null) throw new Error("the start ended");
      child.kill("SIGTERM");
      await child.exited;
      // One that comes when the service takes them already ends it in order.
      expect(String(child.signalCode ?? child.exitCode)).toMatch(/^(?:SIGTERM|0)$/);
    }
  });

  test("ends, in order, when what started it is killed", async () => {
    const service = await startService(settings(), {
      root,
      file: "start.ts",
      before: ["sh", "-c", '"$@"; true', "sh"],
    });
    await service.end("SIGKILL");
    const errors = await service.errors();
    expect(errors).toContain('"message":"stopping","why":"what started it has ended"');
    expect(errors).toContain('"message":"stopped"');
  });
});

test.each([
  ["start.ts", []],
  ["tower_command.ts", ["check"]],
])("%s without packages and without a registry ends in words of its own", async (file, words) => {
  const bare = join(folder.path, "bare", file);
  copyCheckout(bare);
  rmSync(join(bare, "node_modules"));
  const child = Bun.spawn([process.execPath, join(bare, "src", file), ...words], {
    cwd: bare,
    env: {
      ...bareEnvironment(),
      BUN_INSTALL_CACHE_DIR: join(bare, "cache"),
      npm_config_registry: "http://127.0.0.1:9/",
    },
    stdout: "ignore",
    stderr: "pipe",
  });
  const errors = await new Response(child.stderr).text();
  expect(await child.exited).toBe(1);
  expect(errors).toMatch(
    /^tower: installing \d+ packages into \S+\ntower: \d+ packages are missing in \S+ \(.*\) and could not be installed: error: /,
  );
});

test("a service whose terminal is closed ends in order", async () => {
  const { promise: up, resolve } = Promise.withResolvers<void>();
  let said = "";
  const child = Bun.spawn([process.execPath, join(root, "src", "main.ts")], {
    cwd: root,
    env: { ...bareEnvironment(), ...settings() },
    terminal: {
      data: (_, bytes) => {
        said += new TextDecoder().decode(bytes);
        if (/^Ingest/m.test(said)) resolve();
      },
    },
  });
  await up;
  child.terminal?.close();
  expect(await child.exited).toBe(0);
});

// The last: whoever starts after it would make the bundle anew.
test("a start runs the sources where no bundle can be kept, and says so", async () => {
  rmSync(bundlesFolder(root), { recursive: true });
  writeFileSync(bundlesFolder(root), "in the way");
  const service = await startService(settings(), { root, file: "start.ts" });
  expect(await service.end("SIGTERM")).toBe(0);
  expect(await service.errors()).toStartWith("tower: the service will run from its sources: ");
});
