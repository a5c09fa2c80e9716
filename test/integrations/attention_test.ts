import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type ChainedFlag, SEVERITIES, type Severity } from "../../src/flags/flags.ts";
import {
  attentionWords,
  type Cause,
  causesOf,
  type Entry,
  endOfCause,
  type Facts,
  ranked,
  sizeOf,
  worstFirst,
} from "../../src/integrations/attention.ts";
import type { CapabilityView, TargetView } from "../../src/integrations/integrations.ts";
import { ACTION_CODES, LATER, WAITS } from "../../src/providers/faults.ts";
import { healthCapability, healthFixture, healthTarget } from "../support/health.ts";
import { recordEach } from "../support/mixtures.ts";

const NOW = Date.parse("2026-11-22T12:00:00.000Z");

let made = 0;
function flagOf(
  changes: Partial<ChainedFlag> & { readonly seen?: number; readonly usual?: number } = {},
): ChainedFlag {
  const { seen = 29, usual = 112, ...rest } = changes;
  const id = `flag-${made++}`;
  return {
    id,
    asset: "shop.example",
    rule: "flow-drop",
    source: "pulse",
    subject: "bookings",
    origin: "rule",
    severity: "warn",
    kind: "anomaly",
    metric: "bookings",
    message: "stored words",
    status: "open",
    rule_inputs: { expected: usual, observed: { from: "2026-11-21", to: "2026-11-21", count: seen } },
    raised_at: "2026-11-22T03:00:00.000Z",
    resolved_at: null,
    resolution: null,
    acked_at: null,
    acked_by: null,
    snoozed_until: null,
    tuned_at: null,
    incident: null,
    hypothesis: null,
    renews: null,
    chain: { first: id, since: "2026-11-22T03:00:00.000Z", reports: 1, renewed_by: null },
    ...rest,
  };
}

const placedOf = (target: string) => ({
  of: healthCapability({ capability: "analytics.daily", targets: [] }),
  target: healthTarget({ asset: "a.example", target }),
  holder: "c1",
});
const causeOf = (changes: Partial<Cause> = {}): Cause => ({
  key: `account ${made++}`,
  news: "Google rejected this key",
  words: "Google rejected this key: 1 account, 2 sites, 6 data sources",
  action: "Upload a current one.",
  code: "replace_credential",
  provider: "analytics",
  credential: "c1",
  assets: ["a.example", "b.example"],
  isTold: true,
  since: NOW,
  nextRetryAt: null,
  all: [placedOf("t1"), placedOf("t2")],
  target: undefined,
  ...changes,
});

const chain = { first: "x", since: "2026-11-22T03:00:00.000Z", reports: 1, renewed_by: null };
const rank = (facts: Partial<Facts>) =>
  ranked({ flags: [], unsure: new Set(), causes: [], weightOf: () => 1, now: NOW, ...facts });
const sites = (facts: Partial<Facts>) => rank(facts).map(({ assets }) => assets.join(" "));

/** A report that was sent and is refused. */
const sent = (code: Cause["code"]): Cause => {
  const { of, ...placed } = placedOf("t1");
  return causeOf({ isTold: false, code, all: [{ ...placed, of: { ...of, kind: "ingest" } }] });
};
const lost = placedOf("t1");
lost.target = { ...lost.target, state: "unknown" };

const worlds: Readonly<Record<string, Partial<Facts>>> = {
  "flags of one site raised on one day are one, of another day or site another": {
    flags: [
      flagOf({ metric: "errors", seen: 200 }),
      flagOf({ seen: 5 }),
      flagOf({ raised_at: "2026-11-21T03:00:00.000Z" }),
      flagOf({ asset: "other.example" }),
    ],
  },
  "a change that lasts is one with the day's flag of its figure that went the same way, else one of its own":
    {
      flags: [
        flagOf({ id: "day" }),
        flagOf({ id: "falls", rule: "flow-decline", raised_at: "2026-11-09T03:00:00.000Z" }),
        flagOf({ id: "grows", rule: "flow-growth", raised_at: "2026-11-08T03:00:00.000Z" }),
        flagOf({
          id: "other",
          metric: "visits",
          rule: "flow-decline",
          raised_at: "2026-11-07T03:00:00.000Z",
        }),
      ],
    },
  "a silent site's flag is an entry of that site, wherever it was raised": {
    flags: [
      flagOf({
        ...{ asset: "tower", rule: "stale-ingest", subject: "harbor", metric: null },
        rule_inputs: { silent_hours: 26, last_received_at: "2026-11-20T03:12:00.000Z" },
      }),
    ],
  },
  "a broken connection names its opaque targets, and none for what is one a site": {
    causes: [causeOf({ all: [placedOf("t1"), placedOf(""), placedOf("t1")] })],
  },
  "a failed pull and its provider's failure are one entry": {
    flags: [flagOf({ asset: "tower", rule: "asset-pull-failed", metric: null })],
    causes: [causeOf({ provider: "webmaster-tools" })],
  },
  "a failed pull and another provider's failure are two": {
    flags: [flagOf({ asset: "tower", rule: "asset-pull-failed", metric: null })],
    causes: [causeOf()],
  },
  "what needs a person is put right by no retry": { causes: [causeOf({ nextRetryAt: NOW + 1 })] },
  "what waits says when it is tried again": { causes: [causeOf({ isTold: false, nextRetryAt: NOW + 1 })] },
  "a report that is refused as it is needs a person at once": {
    causes: [sent("correct_report"), sent("check_setup"), sent("check_token")],
  },
  "a report that may be sent again, and what Tower itself asks for again": {
    causes: [sent("send_again"), causeOf({ isTold: false, code: "check_setup" })],
  },
  "what stands out comes before what chance gives, and only that is news": {
    flags: [flagOf({ id: "unsure", asset: "second", seen: 0 }), flagOf({ asset: "first", seen: 100 })],
    unsure: new Set(["unsure"]),
  },
  "each site once, by its worst trouble": {
    flags: [
      flagOf({ asset: "a.example" }),
      flagOf({ asset: "c.example" }),
      flagOf({ asset: "d.example", severity: "info" }),
    ],
    causes: [causeOf()],
  },
  nothing: {},
  "Tower's own": { flags: [flagOf({ asset: "tower", rule: "disk-space", severity: "error", metric: null })] },
  "Tower's own beside a site's": {
    flags: [flagOf({ asset: "tower", rule: "disk-space", severity: "error", metric: null }), flagOf()],
  },
  "of no site, one broken and one that is not known": {
    causes: [causeOf({ assets: [] }), causeOf({ assets: [], all: [lost] })],
  },
  "of no site, two broken": { causes: [causeOf({ assets: [] }), causeOf({ assets: [] })], flags: [flagOf()] },
  "of a channel": { causes: [causeOf({ assets: [], credential: undefined, target: "c" })] },
  "of one site": { causes: [causeOf({ assets: ["a/b"], credential: undefined })] },
  "of several sites": { causes: [causeOf({ credential: undefined })] },
};

const entryWords = ({ severity, acts, trouble, title, also, assets, ...more }: Entry) => {
  const { flags, series, targets, action, nextRetryAt, isPressing } = more;
  const of = [
    `${flags.length} flags`,
    series?.metric ?? "no series",
    ...targets,
    isPressing ? "pressing" : "no news",
  ];
  const retried = nextRetryAt === null ? "" : `, again in ${nextRetryAt - NOW} ms`;
  const why = [severity, acts, trouble, `${[title, ...also].join(" | ")}`].join(" ");
  return `${why} (${assets.join(", ")}; ${of.join(", ")}): ${action.verb}, ${action.text} ${action.href}${retried}`;
};

test("the sentence and the entries of each of these are recorded", () => {
  const all = Object.entries(worlds).map(([name, { causes = [], flags = [], ...facts }]) => {
    const numbered = {
      flags: flags.map((one, place) => ({ ...one, id: one.id === "unsure" ? one.id : `flag-${place}` })),
    };
    const entries = rank({
      ...facts,
      ...numbered,
      causes: causes.map((one, place) => ({ ...one, key: `account ${place}` })),
    });
    const words = attentionWords(entries, { sites: 13, unheard: 0, silent: 0, isWhole: true }, "tower");
    return [`${name}: ${words}`, ...entries.map(entryWords)].join("\n  ");
  });
  expect(all.join("\n")).toMatchSnapshot();
});

test("what a person is to do about each is a verb, recorded", () =>
  recordEach(ACTION_CODES, (code) => rank({ causes: [causeOf({ code })] })[0]?.action.verb));

test("the sentence is no all-clear where not everything could be read, is retried, reported, or is known already", () => {
  const all = { sites: 1, unheard: 0, silent: 0, isWhole: true };
  const waits = rank({ causes: [causeOf({ isTold: false })] });
  const acked = { acked_at: "2026-11-22T04:00:00.000Z" };
  const known = rank({ flags: [flagOf(acked)] });
  const noted = rank({ flags: [flagOf({ ...acked, severity: "info" })] });
  expect([
    attentionWords([], { ...all, isWhole: false }, "tower"),
    attentionWords([], { ...all, sites: 13, unheard: 2 }, "tower"),
    attentionWords(waits, all, "tower"),
    attentionWords(known, { ...all, sites: 13 }, "tower"),
    attentionWords([], { ...all, sites: 13, silent: 1 }, "tower"),
    attentionWords(known, { ...all, sites: 13, silent: 3, unheard: 1 }, "tower"),
    attentionWords(noted, all, "tower"),
  ]).toEqual([
    "Nothing that could be read needs attention.",
    "Nothing needs attention. 2 sites have not reported yet.",
    "Nothing needs attention.",
    "Nothing new needs attention.",
    "Nothing new needs attention. 1 site is not reporting.",
    "Nothing new needs attention. 3 sites are not reporting. 1 site has not reported yet.",
    "Your site is fine.",
  ]);
});

describe("causes", () => {
  const target = (asset: string, given: Partial<TargetView> = {}) =>
    healthTarget({
      ...{ asset, state: "failing", connectionRevision: "r", ...given },
      action: given.action ?? { code: "replace_credential", text: "Upload a current one." },
    });
  const accounts = new Map([
    ["r", "c1"],
    ["r2", "c2"],
  ]);
  const healthOf = (...capabilities: CapabilityView[]) => ({
    view: healthFixture({ capabilities }),
    accounts,
  });
  const daily = (...targets: TargetView[]) => healthCapability({ capability: "analytics.daily", targets });

  test("one lasts since its first target failed, and is tried again with the next of them", () => {
    const targets = [2, 3, 1].map((hours) =>
      target(`${hours}`, { since: NOW - hours * 3_600_000, nextRetryAt: NOW + hours * 3_600_000 }),
    );
    expect(causesOf(healthOf(daily(...targets)), NOW)).toMatchObject([
      { credential: "c1", since: NOW - 3 * 3_600_000, nextRetryAt: NOW + 3_600_000 },
    ]);
  });

  test("there is nothing to do while Tower retries, and no such words once somebody is told", () => {
    const of = (days: number, text: string) => {
      const since = NOW - days * 86_400_000;
      const failing = target("a", {
        ...{ category: "network", action: { code: "wait", text } },
        ...{ since, lastSuccessStartedAt: since },
      });
      return causesOf(healthOf(daily(failing)), NOW).map(({ isTold, action }) => [isTold, action]);
    };
    for (const text of [LATER, WAITS]) {
      expect([...of(0, text), ...of(2, text)]).toEqual([
        [false, text],
        [true, "Tower keeps retrying, and missed two runs."],
      ]);
    }
  });

  test("a connection test that failed is none: it was asked for, and makes nothing red", () => {
    const capability = "analytics.connection-test";
    const test = healthCapability({ capability, kind: "connection_test", targets: [target("")] });
    expect(causesOf(healthOf(test, daily(target(""))), NOW)).toHaveLength(1);
  });

  test.each(["check_clock", "wait"] as const)(
    "what is unknown for one reason is one, apart from failures, and a person's where waiting does not help: %s",
    (code) => {
      const why = { state: "unknown", why: "It cannot be read.", action: { code, text: "Look." } } as const;
      const targets = ["a", "b"].map((asset) => healthTarget({ asset, ...why }));
      const failing = healthTarget({ asset: "c", state: "failing" });
      const nightly = healthCapability({ capability: "ingest.nightly", targets: [...targets, failing] });
      const codebase = healthCapability({ capability: "ingest.codebase", targets: targets.slice(1) });
      const key = `unknown ${code}`;
      expect(endOfCause(key, healthOf(nightly))).toBeUndefined();
      expect(endOfCause(key, healthOf({ ...nightly, targets: [failing] }))).toBe("works");
      expect(causesOf(healthOf(nightly), NOW)[0]?.news).toBe("ingest.nightly: It cannot be read");
      const entries = rank({ causes: causesOf(healthOf(nightly, codebase), NOW) });
      const unknown = {
        cause: key,
        title: "It cannot be read: 2 sites",
        assets: ["a", "b"],
        trouble: "unknown",
      };
      expect(entries).toContainEqual(
        expect.objectContaining({ ...unknown, acts: code === "wait" ? "waits" : "person" }),
      );
      expect(entries).toContainEqual(expect.objectContaining({ acts: "waits", assets: ["c"] }));
    },
  );

  test.each([
    [["working", "failing"], undefined],
    [["working", "paused"], "works"],
    [["idle", "unknown"], "works"],
    [["paused", "disconnected"], "gone"],
    [["paused", "unknown"], undefined],
    [["never_run"], undefined],
  ] as const)("one whose targets are %j is over by: %s, whatever others are", (states, end) => {
    const own = states.map((state, place) => target(`${place}`, { state }));
    for (const state of ["failing", "working"] as const) {
      const others = target("other", { state, connectionRevision: "r2" });
      expect(endOfCause("account c1", healthOf(daily(...own, others)))).toBe(end);
    }
  });
});

describe("the order", () => {
  type Pair = [string, Parameters<typeof flagOf>[0], Parameters<typeof flagOf>[0]];
  const ofFlags: Pair[] = [
    ["severity", {}, { severity: "error", seen: 111 }],
    ["unacknowledged before acknowledged", { acked_at: "2026-11-22T04:00:00.000Z", seen: 1 }, {}],
    ["the greater change", { seen: 80 }, { seen: 1 }],
    ["a rise as far as a fall", { seen: 40 }, { seen: 400 }],
    ["what lasts longer", {}, { chain: { ...chain, reports: 3 } }],
  ];
  test.each<Pair>([
    ...ofFlags,
    ["the older", {}, { chain: { ...chain, since: "2026-11-19T03:00:00.000Z" } }],
    ["the name", { asset: "second" }, {}],
  ])("%s", (_, second, first) => {
    // By name alone the other would be first.
    const flags = [flagOf({ asset: "a second", ...second }), flagOf({ asset: "first", ...first })];
    expect(sites({ flags })[0]).toBe("first");
  });

  test("of the flags of one entry goes by the same", () => {
    for (const [, second, first] of ofFlags) {
      const flags = [flagOf({ id: "a", ...second }), flagOf({ id: "b", ...first })];
      expect(worstFirst(flags.map((flag) => ({ flag })))[0]?.flag.id).toBe("b");
    }
  });

  test.each<[string, Partial<Facts>]>([
    [
      "a person before what is tried again",
      { causes: [causeOf({ assets: ["second"], isTold: false }), causeOf({ assets: ["first"] })] },
    ],
    [
      "a broken connection before a change",
      { flags: [flagOf({ asset: "second", seen: 0 })], causes: [causeOf({ assets: ["first"] })] },
    ],
    [
      "the heavier site",
      {
        flags: [flagOf({ asset: "a" }), flagOf({ asset: "first" })],
        weightOf: (asset) => (asset === "first" ? 2 : 1),
      },
    ],
  ])("%s", (_, facts) => expect(sites(facts)[0]).toBe("first"));

  test("0 of what was never expected is no change, and no figures are none", () => {
    expect([sizeOf({ expected: 0, observed: { count: 0 } }), sizeOf({})]).toEqual([0, 0]);
    expect(sizeOf({ expected: 1, observed: { count: 0 } })).toBeCloseTo(Math.log(2), 9);
    const doubled = sizeOf({ level: 201, level_before: 101 });
    expect(sizeOf({ level: 50, level_before: 100 })).toBeCloseTo(doubled, 1);
  });

  const severity = fc.constantFrom(...SEVERITIES);
  const anyFlags = fc.array(
    fc.record({
      asset: fc.constantFrom("a", "b", "c"),
      severity,
      seen: fc.nat(500),
      day: fc.constantFrom("20", "21", "22"),
      acked: fc.boolean(),
    }),
    { maxLength: 30 },
  );

  test("does not depend on the order of what is read, names each flag once, and no milder entry comes before a worse one (property)", () => {
    fc.assert(
      fc.property(anyFlags, fc.integer({ min: 1, max: 100 }), (found, seed) => {
        const flags = found.map(({ day, acked, ...one }) =>
          flagOf({
            ...one,
            raised_at: `2026-11-${day}T03:00:00.000Z`,
            acked_at: acked ? "2026-11-22T05:00:00.000Z" : null,
          }),
        );
        const causes = [causeOf(), causeOf({ isTold: false })];
        const entries = rank({ flags, causes });
        const turned = flags
          .toSorted((a, b) => ((a.id.length * seed) % 7) - ((b.id.length * seed) % 7))
          .reverse();
        expect(rank({ flags: turned, causes: causes.toReversed() })).toEqual(entries);
        expect(entries.flatMap((one) => one.flags).sort()).toEqual(flags.map(({ id }) => id).sort());
        expect(new Set(entries.map(({ cause }) => cause)).size).toBe(entries.length);
        const severities = entries.map((one) => SEVERITIES.indexOf(one.severity as Severity));
        expect(severities).toEqual(severities.toSorted((a, b) => b - a));
      }),
    );
  });
});
