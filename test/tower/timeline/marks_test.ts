import { describe, expect, test } from "bun:test";
import type { UtcDay } from "../../../src/base/time.ts";
import { postAnnotation, type StoredAnnotation } from "../../../src/sites/annotations.ts";
import { annotationsOf, marksForChart } from "../../../src/tower/timeline/day.tsx";

import { testGround } from "../../support/deps.ts";

function row(at: string, changes: Partial<StoredAnnotation> = {}): StoredAnnotation {
  const atMs = Date.parse(at);
  return {
    id: at,
    asset: "harbor",
    instant: at,
    at,
    atMs,
    kind: "deploy",
    ref: "v1",
    note: null,
    receivedAt: atMs,
    postedBy: "ci",
    ...changes,
  };
}

const day = (text: string) => text as UtcDay;

describe("marks for a chart", () => {
  test("stand oldest first, with reference and note, and say when they are for all sites", () => {
    const rows = [
      row("2026-11-03T10:00:00Z", { asset: "*", kind: "external", ref: "core", note: "Update began" }),
      row("2026-11-01T10:00:00Z"),
    ];
    expect(marksForChart(rows)).toEqual([
      { date: day("2026-11-01"), at: Date.UTC(2026, 10, 1, 10), kind: "deploy", words: "v1" },
      {
        date: day("2026-11-03"),
        at: Date.UTC(2026, 10, 3, 10),
        kind: "external",
        words: "All sites: core: Update began",
      },
    ]);
    expect(marksForChart([])).toEqual([]);
  });

  test("thirty deploys of one day share a mark that counts them", () => {
    const rows = Array.from({ length: 30 }, (_, i) =>
      row(`2026-11-01T10:00:${String(i).padStart(2, "0")}Z`, { ref: `v${i}` }),
    );
    expect(marksForChart([...rows, row("2026-11-01T11:00:00Z", { kind: "incident", ref: "inc" })])).toEqual([
      {
        date: day("2026-11-01"),
        at: Date.UTC(2026, 10, 1, 10),
        kind: "deploy",
        count: 30,
        words: "30 entries: v0; v1; v2; v3; and 26 more",
      },
      { date: day("2026-11-01"), at: Date.UTC(2026, 10, 1, 11), kind: "incident", words: "inc" },
    ]);
  });

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

  test("a long note is cut", () => {
    const [mark] = marksForChart([row("2026-11-01T00:00:00Z", { note: "👍".repeat(500) })]);
    expect(mark?.words.length).toBeLessThanOrEqual(121);
    expect(mark?.words.isWellFormed()).toBe(true);
  });
});
