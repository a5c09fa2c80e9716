/** milestone-total: a total that passed 1, 2 or 5 times a power of ten. Always info; resolved at once. */

/** The first milestone. */
export const FIRST_MILESTONE = 1_000;

const STEPS = [1, 2, 5] as const;

/**
 * The milestones above `previous` and up to `latest`, ascending; none for a first reading or for a total that did not
 * grow. With the highest earlier total as `previous`, a total that was corrected down and grows back passes nothing twice.
 */
export function milestonesPassed(previous: number | undefined, latest: number): readonly number[] {
  const passed: number[] = [];
  if (previous === undefined || !Number.isFinite(latest)) return passed;
  for (let power = FIRST_MILESTONE; power <= latest; power *= 10) {
    for (const step of STEPS) {
      const milestone = step * power;
      if (milestone > previous && milestone <= latest) passed.push(milestone);
    }
  }
  return passed;
}
