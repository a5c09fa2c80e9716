/** How a flag of the flow test stands among the tests of its day, in words. */

import { countWords as countOf } from "../../base/text.ts";
import type { ChanceMark } from "../../rules/stands_out.ts";
import { formatDay } from "../format.ts";

const WHY: Readonly<Record<NonNullable<ChanceMark["standsOut"]>, string>> = {
  error: ", as an error always does",
  count_of_0: ", as a count of 0 always does",
  second_day: ", as a second day running always does",
  improbable: "",
};

/** "It stands out among the 812 tests of 22 Nov." */
export function chanceSentence({ standsOut, day, tests }: ChanceMark, now: number): string {
  const among = `the ${countOf(tests, "test")} of ${formatDay(day, now)}`;
  if (standsOut === null) return `Within what chance gives among ${among}. It is raised all the same.`;
  return standsOut === "improbable" ? `It stands out among ${among}.` : `It stands out${WHY[standsOut]}.`;
}
