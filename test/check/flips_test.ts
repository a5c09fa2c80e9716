import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { filledFolder } from "../support/filled_folder.ts";
import { type Flipper, flipper } from "../support/flips.ts";
import { temporaryFolder } from "../support/folder.ts";
import { freshlySeeded } from "../support/random_counts.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
/** Flips in an ordinary run are few; `FLIPS=2000` looks harder. */
const FLIPS = Number(Bun.env["FLIPS"] ?? 60);
let damaged: Flipper;

beforeAll(async () => {
  const opened = await filledFolder(join(folder.path, "data"));
  const { keys, store } = opened.deps;
  opened.close();
  damaged = flipper(store.path, join(folder.path, "flipped.db"), keys.forPurpose("audit"));
});

describe("a damaged database (reliability D7)", () => {
  test(
    `of ${FLIPS} flipped bits each is found by the start or by check, or changed nothing that is stored`,
    () => {
      const random = freshlySeeded("flipped bits");
      const found = Array.from({ length: FLIPS }, () => damaged.flip(random));
      const count = (outcome: string) => found.filter((flip) => flip.outcome === outcome).length;
      expect(found.filter(({ outcome }) => outcome === "MISSED")).toEqual([]);
      expect(count("start refused") + count("check")).toBeGreaterThan(FLIPS / 4);
      if (FLIPS > 60)
        console.info({
          refused: count("start refused"),
          check: count("check"),
          nothing: count("nothing changed"),
        });
    },
    20_000 + FLIPS * 200,
  );
});
