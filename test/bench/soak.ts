/**
 * The soak of the fault tests for longer: SOAK_MINUTES (2). Prints what it came to; ends with 1 when something was lost, done twice
 * or grew without bound.
 */

import { soak } from "../support/soak.ts";

const MIB = 1024 * 1024;
const minutes = Number(Bun.env["SOAK_MINUTES"] ?? 2);

const soaked = await soak(minutes * 60);
const { acknowledged, refused, pages, lost, faults, logBytes, residentEarly, residentLate } = soaked;
process.stdout.write(
  `${minutes} min: ${acknowledged} acknowledged (${Math.round(acknowledged / (minutes * 60))}/s), ${refused} refused, ${pages} pages, ${lost} lost\n` +
    `log at most ${Math.round(logBytes / MIB)} MiB; memory ${Math.round(residentEarly / MIB)} MiB after a third, ${Math.round(residentLate / MIB)} MiB at the end; descriptors ${soaked.descriptorsEarly} and ${soaked.descriptorsLate}\n`,
);
for (const fault of faults) process.stdout.write(`FAULT ${fault}\n`);
const bounded = logBytes <= 64 * MIB && residentLate < residentEarly + 128 * MIB;
process.exitCode = lost === 0 && faults.length === 0 && bounded ? 0 : 1;
