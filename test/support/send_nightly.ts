/** Nightly reports told by the counts of their metrics. */

import { addDays, formatInstant, startOfDay, type UtcDay } from "../../src/base/time.ts";
import { FlowFollower } from "../../src/rules/rules.ts";
import type { FlowThresholds } from "../../src/sites/thresholds.ts";
import type { Core } from "../../src/store/core.ts";
import { accept } from "./nightly.ts";

/** Sends one nightly report a day, the last of them on `to`: `counts` gives each metric's count by its distance from then. */
export async function sendNightly(
  deps: Pick<Core, "writer" | "ids">,
  asset: string,
  to: UtcDay,
  days: number,
  counts: Readonly<Record<string, (back: number) => number | undefined>>,
): Promise<void> {
  for (let back = days - 1; back >= 0; back--) {
    const at = startOfDay(addDays(to, -back)) + 4 * 3_600_000;
    const metrics = Object.fromEntries(
      Object.entries(counts).flatMap(([metric, count]) => {
        const last24h = count(back);
        return last24h === undefined ? [] : [[metric, { last24h }]];
      }),
    );
    await accept(deps, { asset, generatedAt: formatInstant(at), metrics }, at);
  }
}

/** Judges everything sent so far; each report on the clock's present day. */
export async function judgeNightly(
  deps: Core,
  thresholdsOf: (asset: string, metric: string) => FlowThresholds,
): Promise<void> {
  const follower = new FlowFollower({ ...deps, thresholdsOf, isJudgedElsewhere: () => false });
  await follower.settle();
  await follower.stop();
}
