import { expect, test } from "bun:test";
import fc from "fast-check";
import { countText } from "../../src/base/text.ts";
import { dayText } from "../../src/base/time.ts";
import { probabilityText, weekdayText } from "../../src/rules/verdict.ts";
import { TESTED_DAY } from "../support/flow_history.ts";

test("wording: days, weekdays and counts", () => {
  expect([dayText(TESTED_DAY), weekdayText(TESTED_DAY)]).toEqual(["18 Nov", "Wednesday"]);
  expect([0, 6, 6.5, 6.75, 1_204, 1_234_567.25, 999].map(countText)).toMatchSnapshot();
});

test("wording: a probability has two digits, and more where two would put it on the wrong side of alpha", () => {
  expect(probabilityText(0.0024787, 0.01)).toBe("0.0025");
  expect(probabilityText(0.00998, 0.01)).toBe("0.00998");
  expect(probabilityText(0.25, 0.01)).toBe("0.25");
  expect(probabilityText(1e-9, 0.01)).toBe("less than 0.000001");
});

test("wording: the printed probability never contradicts the flag (property)", () => {
  const probability = fc.double({ min: 1e-6, max: 1, noNaN: true });
  fc.assert(
    fc.property(probability, probability, (value, alpha) => {
      expect(Number(probabilityText(value, alpha)) < alpha).toBe(value < alpha);
    }),
  );
});
