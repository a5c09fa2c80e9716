import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type ChainedFlag, SEVERITIES, type Severity } from "../../src/flags/flags.ts";
import {
  attentionWords,
  type Cause,
  causesOf,
  endOfCause,
  type Facts,
  ranked,
  sizeOf,
} from "../../src/integrations/attention.ts";
import type { CapabilityView } from "../../src/integrations/integrations.ts";
import { healthCapability, healthFixture, healthTarget } from "../support/health.ts";

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

const rank = (facts: Partial<Facts>) =>
  ranked({ flags: [], unsure: new Set(), causes: [], weightOf: () => 1, now: NOW, ...facts });
const sites = (facts: Partial<Facts>) => rank(facts).map(({ assets }) => assets.join(" "));

describe("one cause is one entry", () => {
  test("flags of one site raised on one day are one, the worst first; of another day or site they are another", () => {
    const flags = [
      flagOf({ metric: "errors", seen: 200 }),
      flagOf({ seen: 5 }),
      flagOf({ raised_at: "2026-11-21T03:00:00.000Z" }),
      flagOf({ asset: "other.example" }),
    ];
    const entries = rank({ flags });
    expect(entries).toHaveLength(3);
    expect(entries[0]).toMatchObject({
      title: "Bookings down 96% (5 on 21 Nov, normally about 112)",
      also: ["Errors up 79% (200 on 21 Nov, normally about 112)"],
      action: { verb: "Review 2 flags", href: "/sites/shop.example/flags" },
    });
  });

  test("a silent site's flag is an entry of that site, wherever it was raised, and says how to put it right", () => {
    const rule_inputs = { silent_hours: 26, last_received_at: "2026-11-20T03:12:00.000Z" };
    const flag = flagOf({
      asset: "tower",
      rule: "stale-ingest",
      subject: "harbor",
      metric: null,
      rule_inputs,
    });
    expect(rank({ flags: [flag] })[0]).toMatchObject({
      assets: ["harbor"],
      trouble: "silent",
      title: "No report for 26 hours, last on 20 Nov 03:12 UTC",
      action: { verb: "Check sender", href: "/sites/harbor/integrations" },
    });
  });

  test("a broken connection names its opaque targets, and none for what is one a site", () => {
    const [entry] = rank({ causes: [causeOf({ all: [placedOf("t1"), placedOf(""), placedOf("t1")] })] });
    expect(entry?.targets).toEqual(["t1"]);
  });

  test("a failed pull and its provider's failure are one entry", () => {
    const flag = flagOf({ asset: "tower", rule: "asset-pull-failed", metric: null });
    const [entry, ...others] = rank({ flags: [flag], causes: [causeOf({ provider: "webmaster-tools" })] });
    expect(entry?.flags).toEqual([flag.id]);
    expect(others).toEqual([]);
    expect(rank({ flags: [flag], causes: [causeOf()] })).toHaveLength(2);
  });

  test("a cause lasts since its first target failed, and is tried again with the next of them", () => {
    const targets = [2, 3, 1].map((hours) => {
      const [since, nextRetryAt] = [NOW - hours * 3_600_000, NOW + hours * 3_600_000];
      const action = { code: "replace_credential", text: "Upload a current one." } as const;
      return healthTarget({
        asset: `${hours}`,
        state: "failing",
        connectionRevision: "r",
        since,
        nextRetryAt,
        action,
      });
    });
    const view = healthFixture({
      capabilities: [healthCapability({ capability: "analytics.daily", targets })],
    });
    expect(causesOf({ view, accounts: new Map([["r", "c1"]]) }, NOW)).toMatchObject([
      { credential: "c1", since: NOW - 3 * 3_600_000, nextRetryAt: NOW + 3_600_000 },
    ]);
  });

  test("what is unknown for one reason is one entry, apart from failures, and a person's where waiting does not help", () => {
    const unknown = (asset: string, code: "check_clock" | "wait") =>
      healthTarget({ asset, state: "unknown", why: "It cannot be read.", action: { code, text: "Look." } });
    const entriesOf = (code: "check_clock" | "wait") => {
      const targets = [
        unknown("a", code),
        unknown("b", code),
        healthTarget({ asset: "c", state: "failing" }),
      ];
      const nightly = healthCapability({ capability: "ingest.nightly", targets });
      const codebase = healthCapability({ capability: "ingest.codebase", targets: [unknown("b", code)] });
      const of = (...capabilities: CapabilityView[]) => ({
        view: healthFixture({ capabilities }),
        accounts: new Map(),
      });
      expect(endOfCause(`unknown ${code}`, of(nightly))).toBeUndefined();
      expect(endOfCause(`unknown ${code}`, of({ ...nightly, targets: targets.slice(2) }))).toBe("works");
      expect(causesOf(of(nightly), NOW)[0]?.news).toBe("ingest.nightly: It cannot be read");
      return rank({ causes: causesOf(of(nightly, codebase), NOW) });
    };
    expect(entriesOf("check_clock")).toMatchObject([
      {
        cause: "unknown check_clock",
        acts: "person",
        title: "It cannot be read: 2 sites",
        assets: ["a", "b"],
        isPressing: true,
      },
      { assets: ["c"] },
    ]);
    expect(entriesOf("wait").map(({ acts }) => acts)).toEqual(["waits", "waits"]);
    expect(attentionWords(entriesOf("check_clock"), { sites: 3, unheard: 0, isWhole: false }, "tower")).toBe(
      "2 sites need attention: 2 with an unknown state.",
    );
  });

  test.each([
    [["working", "failing"], undefined],
    [["working", "paused"], "works"],
    [["idle", "unknown"], "works"],
    [["paused", "disconnected"], "gone"],
    [["paused", "unknown"], undefined],
    [["never_run"], undefined],
  ] as const)("one whose targets are %j is over by: %s, whatever others are", (states, end) => {
    const key = "account c1";
    const targets = [...states, "failing" as const].map((state, place) =>
      healthTarget({
        asset: `${place}`,
        state,
        // The last one is another account's.
        connectionRevision: place < states.length ? "r" : "r2",
        action: { code: "replace_credential", text: "Upload a current one." },
      }),
    );
    const of = (all: typeof targets) => ({
      view: healthFixture({
        capabilities: [healthCapability({ capability: "analytics.daily", targets: all })],
      }),
      accounts: new Map([
        ["r", "c1"],
        ["r2", "c2"],
      ]),
    });
    expect(endOfCause(key, of(targets))).toBe(end);
    const others = targets.map((one) =>
      one.connectionRevision === "r2" ? { ...one, state: "working" as const } : one,
    );
    expect(endOfCause(key, of(others))).toBe(end);
  });

  test("a connection test that failed is no cause: it was asked for, and makes nothing red", () => {
    const targets = [healthTarget({ asset: "", state: "failing", connectionRevision: "r" })];
    const of = (capability: string, kind: "connection_test" | "production_read") =>
      causesOf(
        {
          view: healthFixture({ capabilities: [healthCapability({ capability, kind, targets })] }),
          accounts: new Map([["r", "c1"]]),
        },
        NOW,
      ).length;
    expect(of("analytics.connection-test", "connection_test")).toBe(0);
    expect(of("analytics.daily", "production_read")).toBe(1);
  });

  test("only a cause that waits says when it is tried again: one that needs a person is not put right by that", () => {
    const told = (isTold: boolean) => rank({ causes: [causeOf({ isTold, nextRetryAt: NOW + 1 })] })[0];
    expect(told(true)).toMatchObject({ acts: "person", nextRetryAt: null });
    expect(told(false)).toMatchObject({ acts: "waits", nextRetryAt: NOW + 1 });
  });

  test("a report that is refused as it is needs a person at once, and not one that may be sent again", () => {
    const placed = placedOf("t1");
    const sent = { ...placed, of: { ...placed.of, kind: "ingest" as const } };
    const acts = (code: Cause["code"], one: Cause["all"][number] = sent) =>
      rank({ causes: [causeOf({ isTold: false, all: [one], code })] })[0]?.acts;
    expect(acts("correct_report")).toBe("person");
    expect(acts("send_again")).toBe("waits");
    // What Tower itself asks for it asks again.
    expect(acts("check_setup", placed)).toBe("waits");
  });
});

describe("the order", () => {
  const pairs: readonly (readonly [name: string, Partial<Facts>])[] = [
    [
      "severity",
      { flags: [flagOf({ asset: "second" }), flagOf({ asset: "first", severity: "error", seen: 111 })] },
    ],
    [
      "a person before what is tried again",
      { causes: [causeOf({ assets: ["second"], isTold: false }), causeOf({ assets: ["first"] })] },
    ],
    [
      "unacknowledged before acknowledged",
      {
        flags: [
          flagOf({ asset: "second", acked_at: "2026-11-22T04:00:00.000Z", seen: 1 }),
          flagOf({ asset: "first" }),
        ],
      },
    ],
    [
      "a broken connection before a change",
      { flags: [flagOf({ asset: "second", seen: 0 })], causes: [causeOf({ assets: ["first"] })] },
    ],
    [
      "the greater change",
      { flags: [flagOf({ asset: "second", seen: 80 }), flagOf({ asset: "first", seen: 1 })] },
    ],
    [
      "a rise as far as a fall",
      { flags: [flagOf({ asset: "second", seen: 40 }), flagOf({ asset: "first", seen: 400 })] },
    ],
    [
      "what lasts longer",
      {
        flags: [
          flagOf({ asset: "second" }),
          flagOf({
            asset: "first",
            chain: { first: "x", since: "2026-11-22T03:00:00.000Z", reports: 3, renewed_by: null },
          }),
        ],
      },
    ],
    [
      "the heavier site",
      {
        flags: [flagOf({ asset: "second" }), flagOf({ asset: "first" })],
        weightOf: (asset) => (asset === "first" ? 2 : 1),
      },
    ],
    [
      "the older",
      {
        flags: [
          flagOf({ asset: "second" }),
          flagOf({
            asset: "first",
            chain: { first: "x", since: "2026-11-19T03:00:00.000Z", reports: 1, renewed_by: null },
          }),
        ],
      },
    ],
    ["the name", { flags: [flagOf({ asset: "second" }), flagOf({ asset: "first" })] }],
  ];
  for (const [name, facts] of pairs) {
    test(name, () => expect(sites(facts)).toEqual(["first", "second"]));
  }

  test("what stands out comes before what chance gives, and only that is news", () => {
    const [sure, unsure] = [flagOf({ asset: "first", seen: 100 }), flagOf({ asset: "second", seen: 0 })];
    const entries = rank({ flags: [unsure, sure], unsure: new Set([unsure.id]) });
    expect(entries.map(({ assets, isPressing }) => [assets[0], isPressing])).toEqual([
      ["first", true],
      ["second", false],
    ]);
  });

  test("0 of what was never expected is no change, and no figures are none", () => {
    expect(sizeOf({ expected: 0, observed: { count: 0 } })).toBe(0);
    expect(sizeOf({})).toBe(0);
    expect(sizeOf({ level: 50, level_before: 100 })).toBeCloseTo(
      sizeOf({ level: 201, level_before: 101 }),
      1,
    );
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

test.each<[string, Partial<Cause>, string]>([
  ["an account is its credential", {}, "/settings/credentials/c1"],
  [
    "a channel that fails is the notices",
    { assets: [], credential: undefined, target: "c" },
    "/settings/notices",
  ],
  [
    "one site is that site's integrations",
    { assets: ["a/b"], credential: undefined },
    "/sites/a%2Fb/integrations",
  ],
  ["several sites is all integrations", { credential: undefined }, "/integrations"],
  ["no site is all integrations", { assets: [], credential: undefined }, "/integrations"],
])("the place to put right %s", (_, changes, href) => {
  expect(rank({ causes: [causeOf(changes)] })[0]?.action.href).toBe(href);
});

describe("the sentence", () => {
  const words = (facts: Partial<Facts>, isWhole = true) =>
    attentionWords(rank(facts), { sites: 13, unheard: 0, isWhole }, "tower");

  test("counts each site once, by its worst trouble", () => {
    const flags = [
      flagOf({ asset: "a.example" }),
      flagOf({ asset: "c.example" }),
      flagOf({ asset: "d.example", severity: "info" }),
    ];
    expect(words({ flags, causes: [causeOf()] })).toBe(
      "3 sites need attention: 2 with a broken connection, 1 with unusual numbers.",
    );
  });

  test("what needs nobody is not counted; what is Tower's own stands apart", () => {
    expect(words({})).toBe("All 13 sites are fine.");
    // A source that is retried needs nobody yet, and is not fine.
    expect(words({ causes: [causeOf({ isTold: false })] })).toBe("Nothing needs attention.");
    const disk = flagOf({ asset: "tower", rule: "disk-space", severity: "error", metric: null });
    expect(words({ flags: [disk] })).toBe("Tower itself has a problem.");
    expect(words({ flags: [disk, flagOf()] })).toBe(
      "1 site needs attention: 1 with unusual numbers. Tower itself has a problem.",
    );
  });

  test("what is broken of no site is no problem of Tower itself", () => {
    const unread = placedOf("t1");
    const lost = { ...unread, target: { ...unread.target, state: "unknown" as const } };
    expect(words({ causes: [causeOf({ assets: [], all: [lost] })] })).toBe(
      "1 shared connection has an unknown state.",
    );
    const calendar = causeOf({ assets: [] });
    expect(words({ causes: [calendar] })).toBe("1 shared connection is broken.");
    expect(words({ causes: [calendar, causeOf({ assets: [] })], flags: [flagOf()] })).toBe(
      "1 site needs attention: 1 with unusual numbers. 2 shared connections are broken.",
    );
  });

  test("is no all-clear where not everything could be read", () => {
    expect(words({}, false)).toBe("Nothing that could be read needs attention.");
    expect(attentionWords([], { sites: 13, unheard: 2, isWhole: true }, "tower")).toBe(
      "Nothing needs attention. 2 sites have not reported yet.",
    );
    expect(attentionWords([], { sites: 1, unheard: 0, isWhole: true }, "tower")).toBe("Your site is fine.");
  });
});

test.each([
  ["replace_credential", "Replace key"],
  ["check_account", "Check account"],
  ["give_access", "Give access"],
  ["enable_api", "Enable API"],
  ["check_sender", "Check sender"],
  ["check_token", "Check token"],
  ["correct_report", "See report"],
  ["check_setup", "See details"],
] as const)("what a person is to do about %s is one verb: %s", (code, verb) => {
  expect(rank({ causes: [causeOf({ code })] })[0]?.action.verb).toBe(verb);
});
