/** One measuring run with the real tools, at a fixed time. */

import { expect } from "bun:test";
import { NotMeasurableError } from "../../src/measure/figures.ts";
import { type Measured, type MeasureOptions, measureCheckout } from "../../src/measure/measure.ts";
import { findTools, type Tools } from "../../src/measure/steps.ts";
import { summaryLines } from "../../src/measure/summary.ts";
import { brief } from "../support/brief.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type Commit, makeRepository } from "./repository.ts";

export const NOW = Date.parse("2026-03-31T12:00:00Z");

export const tools: Tools = await findTools(
  { platform: process.platform, arch: process.arch },
  process.env["PATH"],
);

/** Measures a checkout, or says why not; the temporary folder is the caller's. */
export function run(
  checkout: string,
  scratch: string,
  options: Partial<MeasureOptions> = {},
): Promise<Measured | NotMeasurableError> {
  return measureCheckout({
    checkout,
    scratch,
    asset: "harbor",
    paths: ["."],
    passedIn: {},
    tools,
    now: () => NOW,
    ...options,
  }).catch((error) => {
    if (error instanceof NotMeasurableError) return error;
    throw error;
  });
}

/** Measures one commit of the given files and expects a report. */
export async function measureFiles(
  files: Commit["files"],
  options: Partial<MeasureOptions> = {},
): Promise<Measured> {
  using folder = temporaryFolder();
  const root = makeRepository(`${folder.path}/repo`, [{ at: "2026-03-30T05:30:00+05:30", files }]);
  return expectReport(await run(root, folder.path, options));
}

/**
 * The report, or a thrown sentence when there is none. The whole document is recorded beside the test: whatever a test asks of it, nothing
 * else of it changes unasked.
 */
export function expectReport(result: Measured | NotMeasurableError): Measured {
  if (result instanceof Error) throw result;
  const { report, account } = result;
  const summary = summaryLines(report, { ...account, seconds: 0 }, true);
  const { repository: _, generatedAt: __, ...document } = report;
  expect(brief(JSON.stringify(document, null, 1), 6_000)).toMatchSnapshot();
  expect(brief(summary.slice(1).join("\n"), 6_000)).toMatchSnapshot();
  return result;
}
