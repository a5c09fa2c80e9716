import { describe, expect, test } from "bun:test";
import { addDays, dayNumber, type UtcDay } from "../../../src/base/time.ts";
import { postAnnotation } from "../../../src/sites/annotations.ts";
import { markedPlaces } from "../../../src/tower/kit/chart_marks.tsx";
import { annotationsOf } from "../../../src/tower/timeline/day.tsx";
import { testGround } from "../../support/deps.ts";

const day = (text: string) => text as UtcDay;

describe("marks for a chart", () => {
  test("are made of the newest 400, and it is said where there are more", async () => {
    const ground = await testGround();
    const shown = async (from: number, to: number) => {
      for (let place = from; place < to; place++) {
        const at = `2026-02-01T${String(place % 24).padStart(2, "0")}:00:00Z`;
        await postAnnotation(ground, { asset: "*", at, kind: "deploy", ref: `v${place}` }, "ci");
      }
      const { marks, newest } = annotationsOf(ground.store.db, "harbor", {
        from: day("2026-02-01"),
        to: day("2026-02-01"),
      });
      return [marks[0]?.count, newest];
    };
    expect([await shown(0, 400), await shown(400, 401)]).toEqual([
      [400, null],
      [400, 400],
    ]);
    ground.store.close();
  });

  test("have lines where there are thirty, and none where there are more", () => {
    const marked = (days: number) => {
      const first = day("2026-02-01");
      const mark = (place: number) => ({ date: addDays(first, place), kind: "deploy", words: "" }) as const;
      return markedPlaces(
        Array.from({ length: days }, (_, at) => mark(at)),
        (of) => 99 * dayNumber(of),
      ).length;
    };
    expect([marked(30), marked(31)]).toEqual([30, 0]);
  });
});
