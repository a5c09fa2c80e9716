import { expect, test } from "bun:test";
import { closeStage, openStage, readText, stageFile } from "../../src/measure/texts.ts";
import { temporaryFolder } from "../support/folder.ts";

test("texts of any size are read back whole, however many are gathered before they are written", () => {
  using folder = temporaryFolder();
  const stage = openStage(folder.path);
  const MIB = 1024 * 1024;
  const texts = [7, MIB - 7, 1, 0, 600_000, 600_000, MIB, MIB + 1, 3].map((size, place) => ({
    path: `${place}`,
    text: `${place}`.repeat(size),
  }));
  for (const { path, text } of texts) stageFile(stage, path, Buffer.from(text));
  stage.texts.flush();
  for (const { path, text } of texts) {
    expect(Buffer.from(stage.texts.read(path)).toString() === text).toBe(true);
    expect(readText(stage.texts.placeOf(path)) === text).toBe(true);
  }
  closeStage(stage);
});
