import { expect, test } from "bun:test";
import { existsSync, mkdirSync, utimesSync } from "node:fs";
import { readText, removeStale, Stage } from "../../src/measure/texts.ts";
import { temporaryFolder } from "../support/folder.ts";

test("texts of any size are read back whole", () => {
  using folder = temporaryFolder();
  using stage = new Stage(folder.path);
  const MIB = 1024 * 1024;
  const texts = [7, MIB - 7, 1, 0, 600_000, 600_000, MIB, MIB + 1, 3].map((size, place) => ({
    path: `${place}`,
    text: `${place}`.repeat(size),
  }));
  for (const { path, text } of texts) stage.add(path, Buffer.from(text));
  for (const { path, text } of texts) {
    expect(readText(stage.placeOf(path)) === text).toBe(true);
  }
});

test("what a killed run left is taken away a day later, and nothing else", () => {
  using folder = temporaryFolder();
  const names = ["tower-measure-a", "tower-measure-b", "other"].map((name) => `${folder.path}/${name}`);
  const now = Date.now();
  for (const [at, name] of names.entries()) {
    mkdirSync(`${name}/code`, { recursive: true });
    utimesSync(name, now / 1000, now / 1000 - (at === 1 ? 23 : 25) * 3600);
  }
  removeStale(folder.path, now);
  expect(names.map((name) => existsSync(name))).toEqual([false, true, true]);
});
