import { describe, expect, test } from "bun:test";
import { noFigures, note } from "../../src/measure/figures.ts";

describe("what is said beside a measure", () => {
  test("a second text follows the first; the same text is said once", () => {
    const figures = noFigures();
    note(figures, ["unused_files", "unused_exports"], "of 12 covered files");
    note(figures, ["unused_files"], "1 file not parsed: a.ts");
    note(figures, ["unused_exports"], "of 12 covered files");
    expect(figures.notes).toEqual({
      unused_files: "of 12 covered files; 1 file not parsed: a.ts",
      unused_exports: "of 12 covered files",
    });
  });

  test("a note ends at 500 characters, and no character is cut in two", () => {
    const figures = noFigures();
    note(figures, ["files"], "😀".repeat(500));
    expect(figures.notes.files).toBe("😀".repeat(500));
    note(figures, ["functions"], "😀".repeat(501));
    expect(figures.notes.functions).toBe(`${"😀".repeat(499)}…`);
    note(figures, ["files"], "more");
    expect(figures.notes.files).toBe(`${"😀".repeat(499)}…`);
  });
});
