/** `bun run bench soak` goes on for two minutes, or for as many as `SOAK_MINUTES` says. */

import { describe, expect, test } from "bun:test";
import { soak } from "../support/soak.ts";

const SECONDS = 5;
const MIB = 1024 * 1024;

describe("a soak (reliability D5, V3)", () => {
  test(`${SECONDS} s of every kind of write and four readers: nothing is lost or done twice, and log, memory and descriptors stay bounded`, async () => {
    const soaked = await soak(SECONDS);
    process.stdout.write(`${JSON.stringify(soaked)}\n`);
    expect(soaked).toMatchObject({ lost: 0, faults: [], refused: 0, exitCode: 0 });
    expect(soaked.acknowledged).toBeGreaterThan(SECONDS);
    expect(soaked.pages).toBeGreaterThan(SECONDS);
    expect(soaked.logBytes).toBeLessThanOrEqual(64 * MIB);
    expect(soaked.residentLate).toBeLessThan(soaked.residentEarly + 128 * MIB);
    expect(Math.abs(soaked.descriptorsLate - soaked.descriptorsEarly)).toBeLessThanOrEqual(5);
  });
});
