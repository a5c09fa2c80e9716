/** Power cuts in number: POWER_CUTS (300), half of them on each file system, with the controls. Ends with 1 when a promise broke. */

import { controlSeries, cutSeries } from "../support/cut_series.ts";
import { whyNot } from "../support/loop_mount.ts";

const CUTS = Number(Bun.env["POWER_CUTS"] ?? 300);
const CONTROLS = 10;

for (const kind of ["ext4", "xfs"] as const) {
  const reason = await whyNot(kind);
  if (reason !== undefined) {
    process.stdout.write(`${kind}: not run here: ${reason}\n`);
    continue;
  }
  const { cuts, acknowledged, lost, lostWhile, faults, dead } = await cutSeries(kind, Math.ceil(CUTS / 2));
  const control = await controlSeries(kind, CONTROLS);
  process.stdout.write(
    `${kind}: ${cuts} cuts, ${acknowledged} acknowledged before them, ${lost} lost (${lostWhile} of those answered while the cut was made), ${dead.length} did not start again\n` +
      `${kind} without syncs, ${CONTROLS} cuts: ${control.rowsLost} rows and ${control.filesLost} files lost\n`,
  );
  for (const fault of [...faults, ...dead]) process.stdout.write(`FAULT ${fault}\n`);
  const held = lost === 0 && faults.length === 0 && dead.length === 0;
  if (!held || control.rowsLost === 0 || control.filesLost === 0) process.exitCode = 1;
}
