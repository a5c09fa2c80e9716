import { expect, test } from "bun:test";
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
import { attribute, byId, parsed, tagged, textOf } from "../../support/html.ts";
import { recordEach } from "../../support/mixtures.ts";
import { inPage } from "../../support/tower_data.ts";
import { entryOf, healthIn, wallFacts, wallSite } from "../../support/wall_facts.ts";

const NOW = Date.UTC(2026, 10, 20, 14);
const HOUR = 3_600_000;
const FLAGS = { error: 0, warn: 1, info: 0 };

test("the colour of a tile and what it says, recorded: red is what needs a person, green is Working alone without an open warning or error, and a moment ahead of the clock is no age", () => {
  const entries = [
    {},
    { severity: "error" },
    { trouble: "connection" },
    { trouble: "silent" },
    { trouble: "unknown" },
  ];
  const health = (state: HealthState, times: Parameters<typeof healthIn>[1]) => ({
    health: healthIn(state, times),
  });
  const times = [
    { since: NOW - 34 * HOUR },
    { since: NOW + HOUR, nextRetryAt: NOW + HOUR, pausedUntil: Date.UTC(2027, 0, 4) },
  ];
  const ways: Parameters<typeof wallSite>[2][] = [
    {},
    ...entries.map((changes) => ({
      entry: entryOf("a", changes as Parameters<typeof entryOf>[1]),
      place: 0,
    })),
    ...[FLAGS, { ...FLAGS, warn: 0, info: 3 }, { ...FLAGS, error: 1 }].map((flags) => ({ flags })),
    { isRefused: true },
    { health: undefined },
  ];
  const cases = HEALTH_STATES.flatMap((state) => [
    ...ways.map((more) => [state, more] as const),
    ...times.map((at) => [state, health(state, at)] as const),
  ]);
  recordEach([...cases.keys()], (place) => {
    const [state, more] = cases[place] ?? expect.unreachable();
    const tile = tilesOf([wallSite("a", state, more)])[0] ?? expect.unreachable();
    const { entry, flags, isRefused }: NonNullable<Parameters<typeof wallSite>[2]> = more ?? {};
    return [state, entry?.trouble, entry?.severity, flags, isRefused, tile.tone, lineOf(tile, NOW)];
  });
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

test("the tile of those without one counts them by what they are, in the colour of the worst; recorded", () => {
  type More = Parameters<typeof wallSite>[2];
  const each: [HealthState, More][] = HEALTH_STATES.map((state) => [state, {}]);
  each.push(
    ["working", { flags: FLAGS }],
    ["failing", { isRefused: true }],
    ["working", { health: undefined }],
  );
  const needing: [HealthState, More] = ["failing", { entry: entryOf("a") }];
  const fill = (count: number, one: [HealthState, More]) => Array<[HealthState, More]>(count).fill(one);
  const walls = [
    fill(61, ["working", {}]),
    [...fill(60, ["never_run", {}]), needing],
    fill(61, ["never_run", {}]),
    [...fill(59, needing), ...each],
    [...fill(61, ["failing", { entry: entryOf("a", { severity: "error" }) }]), ...each],
  ];
  recordEach([...walls.keys()], (place) => {
    const sites = walls[place]?.map(([state, more], at) => wallSite(`${at}`, state, more)) ?? [];
    const page = () => WallPage({ facts: wallFacts(sites), query: wallAddress.usual, isOperator: false });
    const html = parsed(renderDocument(inPage(page, { now: NOW }) as Safe));
    const last = tagged(byId(html, "tiles"), "li").at(-1) ?? expect.unreachable();
    return [attribute(last, "data-state"), textOf(last)];
  });
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
      if (tiles.length <= 60) expect(folded).toStrictEqual([]);
      else expect(shown.length).toBe(Math.min(tiles.filter((tile) => loud(tile.tone)).length, 59));
    }),
  );
});
