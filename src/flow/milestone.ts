/** milestone-total: a total that passed 1, 2 or 5 times a power of ten. Always info; resolved at once. */

/** The first milestone. */
const FIRST_MILESTONE = 1_000;

const STEPS = [1, 2, 5] as const;

/**
 * The highest milestone above `previous` and up to `latest`; undefined for a first reading or for a total that passed none. One
 * jump is one event, however many steps it takes: a total that leaps to the largest number there is passes dozens.
 */
export function milestonePassed(previous: number | undefined, latest: number): number | undefined {
  if (previous === undefined || !Number.isFinite(latest)) return undefined;
  let highest: number | undefined;
  for (let power = FIRST_MILESTONE; power <= latest; power *= 10) {
    for (const step of STEPS) if (step * power <= latest) highest = step * power;
  }
  return highest !== undefined && highest > previous ? highest : undefined;
}
