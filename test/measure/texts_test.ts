import { expect, test } from "bun:test";
import { readText, Stage } from "../../src/measure/texts.ts";
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
