import { expect, test } from "bun:test";
import { utcDayOf } from "../../../src/lib/utc_day.ts";
import { Standing, type StandingInput } from "../../../src/tower/asset/standing.tsx";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import type { LaneGroup } from "../../../src/tower/site_days/lane.ts";
import { parsed, textOf } from "../../support/html.ts";
import { FLAGS, NOW } from "../../support/tower_data.ts";

const HOUR = 3_600_000;
const SITE: StandingInput = {
  lifecycle: "live",
  receivedAt: NOW - 5 * HOUR,
  silentHours: 26,
  codeAt: undefined,
  groups: [],
  flags: [],
  open: 0,
};
const [flag] = FLAGS;
const said = (of: Partial<StandingInput>) =>
  textOf(parsed(render(<Standing site={{ ...SITE, ...of }} now={NOW} />)))
    .replace(/\s+/g, " ")
    .trim();
const failing = (half: LaneGroup["half"]): LaneGroup => ({
  half,
  lanes: [],
  finalTo: undefined,
  standing: {
    property: "1",
    timeZone: undefined,
    latest: undefined,
    reportedAt: undefined,
    failingSince: NOW - HOUR,
  },
});

test("a site that reports says so, and what stands out most of all that is open", () => {
  expect(said({})).toBe("Reporting: the last nightly report came 5 h ago. No flag is open.");
  expect(said({ flags: [flag as NonNullable<typeof flag>], open: 3 })).toEndWith(
    `What stands out most: ${flag?.message}; 2 more flags are open`,
  );
  expect(said({ flags: [flag as NonNullable<typeof flag>], open: 2 })).toEndWith("; one more flag is open");
});

test("silence is no all-clear", () => {
  expect(said({ receivedAt: NOW - 27 * HOUR })).toMatch(
    /^Silent since \d+ Nov \d\d:\d\d\. Nothing was judged since\.$/,
  );
  expect(said({ receivedAt: NOW - 27 * HOUR, silentHours: 48 })).toStartWith("Reporting:");
});

test("what no report is expected of is not silent", () => {
  expect(said({ lifecycle: "retired", receivedAt: NOW - 900 * HOUR })).toBe(
    "Retired: nothing is expected of it any more.",
  );
  expect(said({ lifecycle: "pre-launch", receivedAt: undefined })).toBe(
    "Not launched: no nightly report is expected yet.",
  );
  expect(said({ receivedAt: undefined })).toBe("Nothing was received yet.");
});

test("a site that sent nothing is not without figures where providers tell them", () => {
  const told: LaneGroup = { ...failing("analytics"), finalTo: utcDayOf(NOW), standing: undefined };
  expect(said({ receivedAt: undefined, groups: [told] })).toBe(
    "The site sent nothing yet; what stands here is told by providers.",
  );
});

test("a provider whose pulls fail is named", () => {
  expect(said({ groups: [failing("analytics")] })).toContain("Analytics fails.");
  expect(said({ groups: [failing("analytics"), failing("search-console")] })).toContain(
    "Analytics and search console fail.",
  );
});
