import { expect, test } from "bun:test";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { linesOf, type Morning } from "../../../src/tower/sites/lines.ts";
import type { Change, IntegrationChange } from "../../../src/tower/sites/morning_change.ts";
import { MorningView, type Unquiet } from "../../../src/tower/sites/section.tsx";
import { byId, parsed, tagged, textOf } from "../../support/html.ts";
import { inPage, NOW } from "../../support/tower_data.ts";

const WELL: Unquiet = { silent: 0, failing: 0, unknown: 0, uncovered: null };
const HOUR = 3_600_000;

function shown(
  changes: readonly Change[],
  { unquiet = WELL, ...of }: Partial<Morning> & { unquiet?: Unquiet } = {},
) {
  const morning: Morning = {
    since: { at: NOW - 12 * HOUR, by: "visit", isCut: false },
    lines: linesOf(changes),
    more: 0,
    titles: new Map(),
    affected: new Map(),
    annotations: [],
    isShort: false,
    ...of,
  };
  return byId(
    parsed(render(inPage(() => <MorningView morning={morning} unquiet={unquiet} open />))),
    "morning",
  );
}

const failing = (asset: string, of: Partial<IntegrationChange> = {}): IntegrationChange => ({
  of: "integration",
  capability: "search-console.daily",
  label: "Search console, daily",
  asset,
  target: "",
  turn: "begun",
  category: "access",
  at: NOW - HOUR,
  ...of,
});

test("an account's outage is one line that opens to every site that is held by it", () => {
  const sites = Array.from({ length: 200 }, (_, index) => `site-${String(index).padStart(3, "0")}`);
  const tree = shown([failing(""), failing("site-007", { at: NOW - 2 * HOUR })], {
    affected: new Map([["search-console.daily", sites]]),
  });
  const [line, ...others] = tagged(tree, "li").filter((item) => /^200 sites/.test(textOf(item)));
  expect(others).toEqual([]);
  expect(textOf(line ?? tree)).toMatch(
    /^200 sites Search console, daily: failing since \d+ Nov \d\d:\d\d, access/,
  );
  expect(textOf(line ?? tree)).toContain("and 180 more");
});

test("sites that fell silent together are listed by name", () => {
  const silent = ["blog", "atlas", "cedar"].map((asset, place) => ({
    of: "silence" as const,
    id: asset,
    asset,
    turn: "begun" as const,
    reports: false,
    at: NOW - HOUR + place,
  }));
  expect(textOf(shown(silent))).toMatch(/3 sites fell silent.*atlas its flag.*blog its flag.*cedar its flag/);
});

test("nothing new is no all-clear while something is not well, or not everything could be read", () => {
  expect(textOf(shown([]))).toContain("Nothing is new.");
  expect(textOf(shown([]))).not.toContain("all-clear");
  expect(textOf(shown([], { unquiet: { ...WELL, silent: 3, failing: 1 } }))).toContain(
    "Nothing is new. This is not an all-clear: 3 sites are silent, 1 integration fails.",
  );
  expect(textOf(shown([], { unquiet: { ...WELL, uncovered: "The accounts cannot be read." } }))).toContain(
    "This is not an all-clear. The accounts cannot be read.",
  );
});

test("what else happened is context, counted", () => {
  const told = textOf(
    shown([], {
      annotations: [
        { kind: "deploy", count: 5 },
        { kind: "incident", count: 1 },
      ],
    }),
  );
  expect(told).toContain("Told on the timeline meanwhile: 5 deploys, 1 incident.");
});
