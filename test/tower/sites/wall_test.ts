import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { HEALTH_STATES, type HealthState } from "../../../src/health/health.ts";
import { renderDocument, type Safe } from "../../../src/tower/jsx/jsx-runtime.ts";
import {
  FITS,
  layOut,
  lineOf,
  type Tile,
  tilesOf,
  WallPage,
  wallAddress,
} from "../../../src/tower/sites/wall.tsx";
import { byId, parsed, tagged, textOf } from "../../support/html.ts";
import { inPage } from "../../support/tower_data.ts";
import { entryOf, healthIn, wallFacts, wallSite } from "../../support/wall_facts.ts";

const NOW = Date.UTC(2026, 10, 20, 14);
const HOUR = 3_600_000;
const tileOf = (...site: Parameters<typeof wallSite>) => {
  const tile = tilesOf([wallSite(...site)])[0] ?? expect.unreachable();
  return { tone: tile.tone, line: lineOf(tile, NOW) };
};
const FLAGS = { error: 0, warn: 1, info: 0 };

describe("the colour of a tile", () => {
  test("red is what needs a person: an error, or a broken connection; a warning is amber", () => {
    const toned = (changes: Parameters<typeof entryOf>[1]) =>
      tileOf("a", "working", { entry: entryOf("a", changes), place: 0 }).tone;
    expect(toned({ severity: "error" })).toBe("failing");
    expect(toned({ trouble: "connection" })).toBe("failing");
    expect(toned({})).toBe("stale");
  });

  test("what Tower retries by itself is never red, and says when", () => {
    const health = healthIn("failing", { nextRetryAt: NOW + HOUR });
    expect(tileOf("a", "failing", { health })).toMatchObject({
      tone: "retrying",
      line: "Retrying, next 15:00",
    });
  });

  test("a refused report is not retried by Tower, and a tile says what happened", () => {
    const health = healthIn("failing", {});
    expect(tileOf("a", "failing", { health, isRefused: true })).toEqual({
      tone: "refused",
      line: "Last report refused",
    });
  });

  test("green is Working alone, without an open warning or error", () => {
    expect(tileOf("a", "working").tone).toBe("working");
    expect(tileOf("a", "working", { flags: FLAGS })).toMatchObject({ tone: "flagged" });
    expect(tileOf("a", "working", { flags: { error: 0, warn: 0, info: 3 } }).tone).toBe("working");
    for (const state of HEALTH_STATES.filter((one) => one !== "working"))
      expect([state, tileOf("a", state).tone]).not.toEqual([state, "working"]);
  });

  test("a site of which nothing could be read is unknown", () => {
    expect(tileOf("a", "working", { health: undefined })).toMatchObject({ tone: "unknown", line: "Unknown" });
    const entry = entryOf("a", { trouble: "unknown", title: "Nightly reports: It cannot be read" });
    expect(tileOf("a", "unknown", { entry, place: 0 })).toEqual({ tone: "unknown", line: entry.title });
  });
});

test("a tile says its news, else its state and for how long; a moment ahead of the clock is no age", () => {
  const saying = (...health: Parameters<typeof healthIn>) =>
    tileOf("a", health[0], { health: healthIn(...health) }).line;
  const entry = entryOf("a", { title: "No report for 9 nights" });
  expect(tileOf("a", "stale", { entry, place: 0 }).line).toBe("No report for 9 nights");
  expect(saying("stale", { since: NOW - 34 * HOUR })).toBe("Stale, 34 h");
  expect(saying("stale", { since: NOW + HOUR })).toBe("Stale");
  expect(saying("disconnected", { since: NOW - 3 * HOUR })).toBe("Disconnected, 3 h");
  expect(saying("paused", { pausedUntil: Date.UTC(2027, 0, 4) })).toBe("Paused until 4 Jan 2027");
  expect(["never_run", "unmonitored", "idle"].map((state) => saying(state as HealthState))).toEqual([
    "Never run",
    "Unmonitored",
    "Idle",
  ]);
});

test("places: by the ranking, then what is not known, then by state and name", () => {
  const sites = [
    wallSite("d", "working"),
    wallSite("c", "working", { health: undefined }),
    wallSite("b", "working", { entry: entryOf("b"), place: 3 }),
    wallSite("e", "failing"),
    wallSite("a", "working", { entry: entryOf("a"), place: 7 }),
    wallSite("f", "working", { flags: FLAGS }),
  ];
  const names = (of: typeof sites) => tilesOf(of).map(({ site }) => site.asset);
  expect(names(sites)).toEqual(["b", "a", "c", "e", "f", "d"]);
  expect(names(sites.toReversed())).toEqual(["b", "a", "c", "e", "f", "d"]);
});

test("the tile of those without one counts sites where it is the only one", () => {
  const tile = (needing: number) => {
    const sites = Array.from({ length: 61 }, (_, place) =>
      wallSite(
        `${place}`,
        place < needing ? "failing" : "never_run",
        place < needing ? { entry: entryOf("a") } : {},
      ),
    );
    const page = () => WallPage({ facts: wallFacts(sites), query: wallAddress.usual, isOperator: false });
    const html = parsed(renderDocument(inPage(page, { now: NOW }) as Safe));
    return textOf(tagged(byId(html, "tiles"), "b").at(-1) ?? html);
  };
  expect([tile(0), tile(1)]).toEqual(["61 sites", "60 more"]);
});

test("every site is a tile, or counted in the last one; what needs somebody is never folded while there is room (property)", () => {
  const tone = fc.constantFrom<Tile["tone"]>("failing", "unknown", "stale", "working", "paused", "retrying");
  fc.assert(
    fc.property(fc.array(tone, { maxLength: 200 }), (tones) => {
      const loud = (one: string) => ["failing", "unknown", "stale"].includes(one);
      const sorted = tones.toSorted((a, b) => Number(loud(b)) - Number(loud(a)));
      const tiles = sorted.map((one, at) => ({ site: wallSite(`s${at}`, "working"), tone: one }));
      const { shown, folded, fit } = layOut(tiles);
      expect([...shown, ...folded]).toEqual(tiles);
      expect(shown.length + Math.min(folded.length, 1)).toBeLessThanOrEqual(fit);
      expect(FITS).toContain(fit);
      if (tiles.length <= 60) expect(folded).toEqual([]);
      else expect(shown.length).toBe(Math.min(tiles.filter((tile) => loud(tile.tone)).length, 59));
    }),
  );
});
