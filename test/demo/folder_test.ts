/** The demo's folder: its own alone, kept from one start to the next, and never anybody else's. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/base/config.ts";
import { DemoFault, freePorts, openDemoFolder, tower } from "../../src/demo/folder.ts";
import { takeDataLock } from "../../src/store/lock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { seededIds } from "../support/ids.ts";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, "demo");
});
afterEach(() => folder[Symbol.dispose]());

const NOW = Date.UTC(2026, 10, 22, 8);
const open = (fresh = false, now = NOW) => openDemoFolder(path, { fresh, now, ids: seededIds() });
const filled = () => {
  const demo = open();
  demo.state.isFilled = true;
  demo.keep();
  return demo;
};

test("neighbouring ports are taken where all of them are free", () => {
  const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  expect(freePorts(taken.port - 1, 2)).toBeGreaterThan(taken.port);
  taken.stop(true);
});

describe("the demo's folder", () => {
  test("says of itself that its data are invented, to any service that opens them", () => {
    const { dataDir } = open();
    expect([readConfig({ DATA_DIR: dataDir }).isSample, readConfig({ DATA_DIR: path }).isSample]).toEqual([
      true,
      false,
    ]);
  });

  test("is read by its user alone, as what lies in it can sign in", () => {
    open();
    expect(statSync(join(path, "demo.json")).mode & 0o777).toBe(0o600);
  });

  test("is gone on with once it is filled, and begun anew when it was cut off before or is asked to be fresh", () => {
    const first = open();
    expect([first.isNew, first.state.madeAt]).toEqual([true, NOW]);
    expect(open(false, NOW + 1).state.madeAt).toBe(NOW + 1);
    filled();
    expect([open(false, NOW + 2).isNew, open(false, NOW + 2).state.madeAt]).toEqual([false, NOW]);
    expect(open(true, NOW + 3)).toMatchObject({ isNew: true, state: { madeAt: NOW + 3, isFilled: false } });
  });

  test.each([
    ["a data folder", "tower.db"],
    ["anything else", "holiday.txt"],
  ])("is not made of %s, also when asked to be fresh, and nothing of it is touched", (_, name) => {
    mkdirSync(path);
    writeFileSync(join(path, name), "mine");
    for (const fresh of [false, true]) expect(() => open(fresh)).toThrow(DemoFault);
    expect(readdirSync(path)).toEqual([name]);
  });

  test("that cannot be made is said so, with where to put it instead", () => {
    writeFileSync(join(folder.path, "file"), "");
    path = join(folder.path, "file", "demo");
    expect(() => open()).toThrow("To put it elsewhere");
  });

  test("is not made where a file lies", () => {
    writeFileSync(path, "mine");
    for (const fresh of [false, true]) expect(() => open(fresh)).toThrow("nothing was touched");
  });

  test("is neither opened nor taken away while a demo runs in it", () => {
    const { dataDir } = filled();
    const lock = takeDataLock(dataDir);
    for (const fresh of [false, true]) expect(() => open(fresh)).toThrow("a demo runs in");
    lock?.release();
    expect(existsSync(join(dataDir, "sample-data"))).toBe(true);
    expect(open().isNew).toBe(false);
  });
});

test("a job that the schedule runs just now is asked for again until a run of it is the demo's own", async () => {
  const answers = [3, 3, 0].map((exitCode) => ({ exitCode, stdout: `${exitCode}\n`, stderr: "" }));
  await using _ = Bun.serve({
    unix: join(folder.path, "control.sock"),
    fetch: () => Response.json(answers.shift()),
  });
  expect(await tower(folder.path, "job run", { args: ["constants"] })).toBe("0");
  expect(answers).toStrictEqual([]);
});
