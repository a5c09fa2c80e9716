/** Few cuts on each file system; `bun run bench power_cuts` does 300. */

import { describe, expect, test } from "bun:test";
import { controlSeries, cutSeries } from "../support/cut_series.ts";
import { whyNot } from "../support/loop_mount.ts";

const CUTS = 2;
/** Most cuts of each control: one alone may lose nothing. */
const CONTROLS = 4;

const REASONS = { ext4: await whyNot("ext4"), xfs: await whyNot("xfs") };

describe("power cuts (reliability D2)", () => {
  for (const kind of ["ext4", "xfs"] as const) {
    const reason = REASONS[kind];
    const suffix = reason === undefined ? "" : ` (not run here: ${reason})`;
    if (reason !== undefined) process.stdout.write(`power cuts on ${kind} are not run here: ${reason}\n`);

    test.skipIf(reason !== undefined)(
      `${CUTS} cuts on ${kind}, one of them in the first start: nothing acknowledged is lost and every one comes up again${suffix}`,
      async () => {
        const series = await cutSeries(kind, CUTS);
        process.stdout.write(`${kind}: ${JSON.stringify(series)}\n`);
        expect(series).toMatchObject({ lost: 0, faults: [], dead: [] });
        expect(series.acknowledged).toBeGreaterThan(CUTS);
      },
      300_000 + CUTS * 10_000,
    );

    test.skipIf(reason !== undefined)(
      `the same cuts on ${kind} take rows and files that were not synced: the harness bites${suffix}`,
      async () => {
        const { rowsLost, filesLost } = await controlSeries(kind, CONTROLS);
        process.stdout.write(`${kind} without syncs: ${rowsLost} rows and ${filesLost} files lost\n`);
        expect(rowsLost).toBeGreaterThan(0);
        expect(filesLost).toBeGreaterThan(0);
      },
    );
  }
});
