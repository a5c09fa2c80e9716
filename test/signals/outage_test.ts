/** A day without a provider, of each kind: nothing is taken away, nothing is made up, nothing is judged by it, and all of it is made up afterwards. */

import { afterEach, describe, expect, test } from "bun:test";
import type { Fault } from "../../src/demo/simulator/script.ts";
import { type Pulled, pulledTower, pulledWorld } from "../support/pulled.ts";
import { dayOf } from "../support/signals.ts";

const HOUR = 3_600_000;
const HOURS = 24;

const KINDS: Readonly<Record<string, Fault>> = {
  "a connection that is refused": { kind: "refused" },
  "JSON that ends early": { kind: "cut-json" },
  "429 without a word of when": { kind: "error", error: "too-many-requests" },
  "500": { kind: "error", error: "internal" },
  "an error inside of 200": { kind: "error", error: "unavailable", status: 200 },
  "no rows at all": { kind: "bent", bend: ({ rows, rowCount, ...told }: Record<string, unknown>) => told },
  "a day that is told twice": { kind: "day-twice" },
  "a day of tomorrow": { kind: "day-ahead" },
};

/** The site lost three quarters of its visitors on the 14th: by the 20th its flags are open. */
const world = () => {
  const made = pulledWorld();
  for (const site of made.sites) site.changes = [{ from: dayOf("2026-11-14"), factor: 0.2 }];
  return made;
};

interface Flag {
  readonly id: string;
  readonly status: string;
  readonly metric: string | null;
}

let pulled: Pulled | undefined;
afterEach(() => pulled?.close());

async function tick({ tower, clock, run }: Pulled, hours: number): Promise<void> {
  clock.advance(hours * HOUR);
  await run("sense");
  await tower.deps.follower.settle();
}

/** What is stored at the end of a day without any fault. */
async function undisturbed(): Promise<readonly string[]> {
  const one = await pulledTower({ world: world() });
  await tick(one, 0);
  await tick(one, HOURS + 7);
  const stored = [...one.stored("analytics"), ...one.stored("search-console")];
  await one.close();
  return stored;
}

describe("a day of", () => {
  const whole = undisturbed();

  test.each(Object.entries(KINDS))("%s", async (_, fault) => {
    pulled = await pulledTower({ world: world() });
    const { simulators, clock } = pulled;
    // Its days are tested once two collections agree on them.
    for (let times = 0; times < 2; times++) await tick(pulled, 0);
    const figures = () => [
      ...(pulled?.stored("analytics") ?? []),
      ...(pulled?.stored("search-console") ?? []),
    ];
    const flags = () =>
      pulled?.list<Flag>("/api/flags").then((all) => all.map(({ id, status }) => `${id} ${status}`));
    const [before, raised, told] = [figures(), await flags(), pulled.observations()];
    expect(raised?.length).toBeGreaterThan(0);
    pulled.attempts();
    for (const server of ["analyticsData", "searchConsole"] as const) {
      simulators.script(fault, { server, from: clock.now(), to: clock.now() + (HOURS + 1) * HOUR });
    }
    for (let hour = 0; hour < HOURS; hour++) await tick(pulled, 1);
    expect(figures()).toEqual(before);
    expect(await flags()).toEqual(raised);
    expect(pulled.observations()).toBe(told);
    const outcomes = new Set(pulled.attempts().map(({ outcome }) => outcome));
    expect(
      ["changed", "unchanged", "source_lag"].filter((outcome) => outcomes.has(outcome as never)),
    ).toEqual([]);
    expect(outcomes.size).toBe(1);
    simulators.calm();
    // Whatever held it back is over by then.
    await tick(pulled, 7);
    expect(figures()).toEqual([...(await whole)]);
    expect(pulled.observations()).toBe(told + 2);
    await tick(pulled, 0);
    expect(pulled.observations()).toBe(told + 2);
  });
});
