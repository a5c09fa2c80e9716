import { expect, test } from "bun:test";
import { utcDayOf } from "../../../src/base/time.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import type { SiteStanding } from "../../../src/tower/kit/site_state.tsx";
import type { LaneGroup } from "../../../src/tower/site/site_days.tsx";
import { Standing, type StandingInput } from "../../../src/tower/site/standing.tsx";
import { parsed, textOf } from "../../support/html.ts";
import { FLAGS, inPage, NOW } from "../../support/tower_data.ts";

const HOUR = 3_600_000;
const SITE: StandingInput = {
  standing: { state: "reporting", receivedAt: NOW - 5 * HOUR, pausedUntil: null },
  codeAt: undefined,
  groups: [],
  flags: [],
  open: 0,
};
const [flag] = FLAGS;
const said = ({ state, receivedAt, pausedUntil, ...of }: Partial<StandingInput & SiteStanding>) =>
  textOf(
    parsed(
      render(
        inPage(() => (
          <Standing
            site={{
              ...SITE,
              standing: {
                state: state ?? "reporting",
                receivedAt: receivedAt === undefined ? SITE.standing.receivedAt : receivedAt,
                pausedUntil: pausedUntil ?? null,
              },
              ...of,
            }}
          />
        )),
      ),
    ),
  )
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
  const silent = { state: "silent", receivedAt: NOW - 27 * HOUR } as const;
  expect(said(silent)).toMatch(/^Silent since \d+ Nov \d\d:\d\d\. Nothing has been checked since\.$/);
  expect(said({ ...silent, silenceFlag: { id: "1", subject: "site", snoozedUntil: null } })).toEndWith(
    "Nothing has been checked since. View flag",
  );
});

test("what no report is expected of is not silent", () => {
  expect(said({ state: "retired", receivedAt: NOW - 900 * HOUR })).toBe(
    "Retired: nothing is expected of it any more.",
  );
  expect(said({ state: "pre_launch", receivedAt: null })).toBe(
    "Not launched: no nightly report is expected yet.",
  );
  expect(said({ state: "never_reported", receivedAt: null })).toBe("Nothing was received yet.");
});

test("a site that sent nothing is not without figures where providers tell them", () => {
  const told: LaneGroup = { ...failing("analytics"), finalTo: utcDayOf(NOW), standing: undefined };
  expect(said({ state: "never_reported", receivedAt: null, groups: [told] })).toBe(
    "The site sent nothing yet; what stands here is told by providers.",
  );
});

test("a provider whose pulls fail is named", () => {
  expect(said({ groups: [failing("analytics")] })).toContain("Analytics fails.");
  expect(said({ groups: [failing("analytics"), failing("search-console")] })).toContain(
    "Analytics and search console fail.",
  );
});

test("a paused site owes nothing, and says until when", () => {
  expect(said({ state: "paused", receivedAt: NOW - 90 * HOUR })).toStartWith(
    "Paused by an operator: no nightly report is expected until it is resumed.",
  );
  expect(said({ state: "paused", pausedUntil: NOW + HOUR })).toMatch(
    /^Paused: no nightly report is expected before \d+ Nov \d\d:\d\d\./,
  );
});
