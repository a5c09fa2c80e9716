/** What a drawing says of each site: the state whose outline covers the middle of its place, the last drawn. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { HEALTH_STATES, type HealthState } from "../../../src/health/health.ts";
import { skylineOf } from "../../../src/tower/sites/wall_page.tsx";

function read(states: readonly HealthState[]): (HealthState | undefined)[] {
  const places: (HealthState | undefined)[] = states.map(() => undefined);
  for (const { state, d } of skylineOf(states).paths) {
    for (const [, from, width] of d.matchAll(/M(\S+) 70v-\d+h(\S+?)v/g)) {
      const start = Math.ceil(Number(from) - 0.5);
      for (let place = start; place + 0.5 < Number(from) + Number(width); place++) places[place] = state;
    }
  }
  return places;
}

test("every site stands in its place with its state", () => {
  const states = fc.array(fc.constantFrom(...HEALTH_STATES), { minLength: 1, maxLength: 400 });
  fc.assert(fc.property(states, (all) => expect(read(all)).toEqual(all)));
});

test("a thousand sites of which forty do not work are a few bytes", () => {
  const states = Array.from(
    { length: 1_000 },
    (_, index): HealthState => (index % 25 === 7 ? "stale" : "working"),
  );
  const { width, paths } = skylineOf(states);
  expect(width).toBe(1_000);
  expect(paths.map(({ d }) => d).join("").length).toBeLessThan(2_500);
});
