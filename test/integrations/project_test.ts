/** From what is stored to how it stands: which targets there are, what stands for what, and until when it holds. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { tallied } from "../../src/base/statistics.ts";
import { CAPABILITIES, NIGHTLY_REPORTS } from "../../src/health/catalogue.ts";
import {
  checkScope,
  dailyScope,
  type Evidence,
  feedScope,
  HEALTH_STATES,
  opaqueId,
  type Scope,
} from "../../src/health/health.ts";
import type { KnownState } from "../../src/health/state_store.ts";
import type { Inventory, Parts } from "../../src/integrations/inventory.ts";
import { type Projection, project } from "../../src/integrations/projection.ts";
import { viewOf } from "../../src/integrations/view.ts";
import { FAILURE_CATEGORIES } from "../../src/providers/faults.ts";
import { instant } from "../support/clock.ts";
import { partsOf, type Rows } from "../support/inventory.ts";

const NOW = instant("2026-11-20T14:02:10Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WORKSPACE = "default";

const inventoryOf = (rows: Rows): Inventory => ({ parts: partsOf(rows), unread: [] });

const projected = (parts: Rows, now = NOW): Projection => projectedOf(inventoryOf(parts), now);

const projectedOf = (inventory: Inventory, now = NOW): Projection =>
  project({
    workspace: WORKSPACE,
    inventory,
    catalogue: CAPABILITIES,
    silentHoursOf: () => 26,
    now,
  });

const site = (id: string, change: Partial<Parts["sites"][number]> = {}): Parts["sites"][number] => ({
  id,
  url: null,
  group: null,
  lifecycle: "live",
  addedAt: NOW - 90 * DAY,
  wentLiveAt: null,
  ...change,
});

const GOOGLE: Parts["accounts"][number] = {
  id: "google",
  kind: "google-service-account",
  providers: ["analytics", "search-console"],
  label: "Google",
  editRevision: 1,
  connectionRevision: "rev-google",
  addedAt: NOW - 90 * DAY,
  connectedAt: NOW - 90 * DAY,
};
const BING: Parts["accounts"][number] = {
  ...GOOGLE,
  id: "bing",
  kind: "webmaster-tools-key",
  providers: ["webmaster-tools"],
  connectionRevision: "rev-bing",
};

const attachment = (
  asset: string,
  provider: "analytics" | "search-console" | "webmaster-tools" = "analytics",
) => ({
  asset,
  provider,
  credential: provider === "webmaster-tools" ? "bing" : "google",
  connectionRevision: provider === "webmaster-tools" ? "rev-bing" : "rev-google",
  property: `property-of-${asset}`,
  attachedAt: NOW - 80 * DAY,
});

const pulled = (asset: string, connectionRevision = "rev-google") => ({
  asset,
  provider: "analytics" as const,
  connectionRevision,
  property: asset === "" ? "" : `property-of-${asset}`,
});

const daily = (asset: string, connectionRevision?: string) =>
  dailyScope(WORKSPACE, pulled(asset, connectionRevision));
const detached = (asset: string, provider: "analytics" | "webmaster-tools", property: string) => ({
  ...{ asset, provider, connectionRevision: "rev-before", property },
  ...{ detachedAt: NOW - HOUR, detachedBy: "operator:ada" },
});
/** One site with its analytics. */
const CONNECTED = { sites: [site("a")], accounts: [GOOGLE], attachments: [attachment("a")] };

const success = (at: number, coveredDate: string | null = "2026-11-18"): Evidence => ({
  latest: { attempt: `pull:${at}`, startedAt: at, category: null, code: null, nextRetryAt: null },
  success: { attempt: `pull:${at}`, startedAt: at, coveredDate },
  failingSince: undefined,
  recordedAt: at,
});
const failure = (at: number, change: Partial<Evidence["latest"]> = {}, before?: Evidence): Evidence => ({
  latest: {
    attempt: `pull:${at}`,
    startedAt: at,
    category: "access",
    code: null,
    nextRetryAt: null,
    ...change,
  },
  success: before?.success,
  failingSince: at,
  recordedAt: at,
});
const known = (scope: Scope, evidence: KnownState["evidence"]): KnownState => ({ scope, evidence });

const targetsOf = ({ groups }: Projection) => [...groups.values()].flatMap(({ targets }) => targets);
const standing = (projection: Projection, capability = "analytics.daily") =>
  targetsOf(projection)
    .filter(({ monitored }) => monitored.capability.id === capability)
    .map(({ view }) => `${view.asset} ${view.state}`);

describe("what stands for what", () => {
  const parts = {
    sites: [site("a"), site("b")],
    accounts: [GOOGLE],
    attachments: [attachment("a"), attachment("b")],
  };
  const [ofA, ofB, account] = ["a", "b", ""].map((asset) => dailyScope(WORKSPACE, pulled(asset))) as [
    Scope,
    Scope,
    Scope,
  ];
  const good = [known(ofA, success(NOW - 5 * MINUTE)), known(ofB, success(NOW - 5 * MINUTE))];

  test("a failure of the account stands for every site that is asked over it, with when it is tried again", () => {
    const held = failure(NOW - MINUTE, { nextRetryAt: NOW + HOUR });
    const projection = projected({ ...parts, states: [...good, known(account, held)] });
    expect(standing(projection)).toEqual(["a failing", "b failing"]);
    expect(
      targetsOf(projection).find(({ view }) => view.asset === "b" && view.state === "failing")?.view,
    ).toMatchObject({
      category: "access",
      nextRetryAt: NOW + HOUR,
      nextRetryReason: "slow_probe",
      lastSuccessStartedAt: NOW - 5 * MINUTE,
      coveredDate: "2026-11-18",
    });
  });

  test("that the account is let in again makes no site green, and a later figure of a site does", () => {
    const recovered = [known(account, success(NOW, null))];
    expect(standing(projected({ ...parts, states: recovered }))).toEqual(["a never_run", "b never_run"]);
    const later = [
      known(ofA, success(NOW)),
      known(ofB, success(NOW - 5 * MINUTE)),
      known(account, failure(NOW - MINUTE)),
    ];
    expect(standing(projected({ ...parts, states: later }))).toEqual(["a working", "b failing"]);
  });

  test("a failure of another connection, workspace or property says nothing", () => {
    const others = [
      known({ ...account, connectionRevision: "rev-before" }, failure(NOW)),
      known({ ...account, workspace: "another" }, failure(NOW)),
      known({ ...ofA, target: "another" }, failure(NOW)),
    ];
    expect(standing(projected({ ...parts, states: [...good, ...others] }))).toEqual([
      "a working",
      "b working",
    ]);
  });

  test("an attempt of the source that nothing was recorded of takes the green away, and no failure", () => {
    const attempts = [
      { ...pulled("a"), startedAt: NOW - MINUTE },
      { ...pulled("b"), startedAt: NOW - 5 * MINUTE },
    ];
    expect(standing(projected({ ...parts, attempts, states: good }))).toEqual(["a unknown", "b working"]);
    const failing = [known(ofA, failure(NOW - 5 * MINUTE)), good[1] as KnownState];
    expect(standing(projected({ ...parts, attempts, states: failing }))).toEqual(["a failing", "b working"]);
  });

  test("a recorder that failed takes the green away until something is recorded again", () => {
    const monitoring = [
      {
        kind: "recorder" as const,
        asset: "a",
        source: "analytics",
        subject: "analytics.daily",
        since: NOW - MINUTE,
        reason: "x",
      },
    ];
    const projection = projected({ ...parts, states: good, monitoring });
    expect(standing(projection)).toEqual(["a unknown", "b working"]);
    expect(targetsOf(projection).find(({ view }) => view.state === "unknown")?.view).toMatchObject({
      category: "monitoring_failure",
      since: NOW - MINUTE,
    });
  });
});

describe("what is set up", () => {
  test("a credential proves nothing: its checks never ran, and no site has a target of it", () => {
    const targets = targetsOf(projected({ accounts: [GOOGLE] }));
    expect(targets.map(({ monitored, view }) => `${monitored.capability.id} ${view.state}`)).toEqual([
      "analytics.connection-test never_run",
      "search-console.connection-test never_run",
      "analytics.site-discovery never_run",
      "search-console.site-discovery never_run",
    ]);
  });

  test("a check that passed is idle, and one that failed is failing until it passes", () => {
    const check = checkScope({
      workspace: WORKSPACE,
      job: "connection-test",
      provider: "analytics",
      connectionRevision: "rev-google",
    });
    const at = (evidence: Evidence) =>
      standing(
        projected({ accounts: [GOOGLE], states: [known(check, evidence)] }),
        "analytics.connection-test",
      );
    expect(at(success(NOW - 400 * DAY, null))).toEqual([" idle"]);
    expect(at(failure(NOW - 400 * DAY))).toEqual([" failing"]);
  });

  test("a site that is retired is no part of it, and one before its launch owes no report", () => {
    const nights = ["a", "b", "c"].map((asset) => ({
      asset,
      at: NOW - 3 * DAY,
      date: "2026-11-17" as never,
    }));
    const sites = [site("a"), site("b", { lifecycle: "retired" }), site("c", { lifecycle: "pre-launch" })];
    expect(standing(projected({ sites, nights }), "ingest.nightly")).toEqual(["a stale", "c idle"]);
  });

  test("a site that went live is silent from then on, not from before", () => {
    const nights = [{ asset: "a", at: NOW - 30 * DAY, date: "2026-10-21" as never }];
    const sites = [site("a", { wentLiveAt: NOW - HOUR })];
    const projection = projected({ sites, nights });
    expect(standing(projection, "ingest.nightly")).toEqual(["a working"]);
    expect(projection.until).toBe(NOW + 25 * HOUR);
  });

  test("codebase reports are watched of sites that sent or tried one, and are idle after eight days", () => {
    const sites = [site("a"), site("b"), site("c"), site("d")];
    const codebase = [
      { asset: "a", date: "2026-11-19" as never, receivedAt: NOW - DAY },
      { asset: "b", date: "2026-11-11" as never, receivedAt: NOW - 9 * DAY },
    ];
    const refused = [
      { asset: "c", route: "/api/codebase-report", code: "broken-contract", lastAt: NOW - DAY, count: 3 },
    ];
    expect(standing(projected({ sites, codebase, refused }), "ingest.codebase")).toEqual([
      "a working",
      "b idle",
      "c failing",
    ]);
  });

  test("a site of webmaster tools is disconnected only where it is known that no account finds it", () => {
    const detachments = [detached("a", "webmaster-tools", "https://a.example/")];
    const parts = { sites: [site("a", { url: "https://a.example" })], accounts: [BING], detachments };
    const listed = [{ credential: "bing", property: "https://a.example/", seenAt: NOW - DAY }];
    const at = (change: Rows) => standing(projected({ ...parts, ...change }), "webmaster-tools.daily");
    expect(at({ listed })).toEqual(["a never_run"]);
    expect(at({ listed: [] })).toContain("a disconnected");
    for (const name of ["accounts", "listed", "attempts", "attachments"] as const) {
      expect(at({ [name]: undefined }).filter((one) => one.startsWith("a "))).toEqual([]);
    }
  });

  test("a connection that was taken away stands disconnected until there is another", () => {
    const detachments = [detached("a", "analytics", "p")];
    const parts = { sites: [site("a")], accounts: [GOOGLE], detachments };
    const projection = projected(parts);
    expect(standing(projection)).toEqual(["a disconnected"]);
    expect(targetsOf(projection).find(({ view }) => view.state === "disconnected")?.view).toMatchObject({
      since: NOW - HOUR,
      dueAt: null,
      nextRetryAt: null,
    });
    expect(standing(projected({ ...parts, attachments: [attachment("a")] }))).toEqual(["a never_run"]);
  });

  test("a replaced credential is another connection: what was seen before confirms nothing", () => {
    const states = [known(daily("a", "rev-before"), success(NOW - MINUTE))];
    expect(standing(projected({ ...CONNECTED, states }))).toEqual(["a never_run"]);
  });

  test("a pause is told with its end, and ends by itself", () => {
    const states = [known(daily("a"), success(NOW - MINUTE))];
    const paused = { capability: "analytics.daily", pausedAt: NOW - HOUR, pausedBy: "operator:ada" };
    const parts = { ...CONNECTED, states, pauses: [{ ...paused, asset: "", until: NOW + HOUR }] };
    const projection = projected(parts);
    expect(targetsOf(projection).find(({ view }) => view.state === "paused")?.view).toMatchObject({
      pausedUntil: NOW + HOUR,
      since: NOW - HOUR,
      dueAt: null,
    });
    expect(projection.until).toBeLessThanOrEqual(NOW + HOUR);
    expect(standing(projected(parts, NOW + HOUR))).toEqual(["a stale"]);
  });

  test("a live feed is watched for a day after somebody looked, by the property of now, and idle when nobody does", () => {
    const source = attachment("a");
    const scope = feedScope(WORKSPACE, { asset: "a", kind: "realtime", source });
    const question = {
      asset: "a",
      kind: "realtime" as const,
      connectionRevision: "rev-google",
      property: source.property,
      takenAt: NOW,
    };
    const parts = { ...CONNECTED, states: [known(scope, success(NOW, null))] };
    const at = (change: object, now = NOW) =>
      standing(projected({ ...parts, questions: [{ ...question, ...change }] }, now), "analytics.realtime");
    expect(at({})).toEqual(["a working"]);
    expect(at({}, NOW + HOUR)).toEqual(["a idle"]);
    expect(at({}, NOW + DAY)).toEqual([]);
    expect(at({ property: "another" })).toEqual([]);
    expect(at({ connectionRevision: "another" })).toEqual([]);
    expect(standing(projected(parts), "analytics.realtime")).toEqual([]);
  });

  test("webmaster tools: a site is found by its address in the list, and stays while it is asked", () => {
    const listed = [{ credential: "bing", property: "https://www.a.example/", seenAt: NOW - 10 * DAY }];
    const sites = [site("a.example"), site("b.example")];
    const at = (change: Rows) =>
      standing(projected({ sites, accounts: [BING], listed, ...change }), "webmaster-tools.daily");
    expect(at({})).toEqual(["a.example never_run"]);
    expect(at({ listed: [] })).toEqual([" never_run"]);
    // A later list was followed by no question about it: it is listed no more.
    const account = dailyScope(WORKSPACE, {
      asset: "",
      provider: "webmaster-tools",
      connectionRevision: "rev-bing",
      property: "",
    });
    const states = [known(account, success(NOW - DAY, null))];
    expect(at({ states })).toEqual([" working"]);
    const attempts = [
      {
        asset: "b.example",
        provider: "webmaster-tools" as const,
        connectionRevision: "rev-bing",
        property: "https://b.example/",
        startedAt: NOW - DAY,
      },
    ];
    const own = { ...account, asset: "b.example", target: opaqueId("webmaster-tools", "https://b.example/") };
    expect(at({ states: [...states, known(own, success(NOW - DAY))], attempts })).toEqual([
      "b.example working",
    ]);
    expect(
      at({ attempts: attempts.map((one) => ({ ...one, startedAt: NOW - 98 * DAY })), listed: [] }),
    ).toEqual([" never_run"]);
  });
});

const moment = fc.integer({ min: -40 * DAY, max: 40 * DAY }).map((ms) => NOW + ms);
const near = fc.oneof(
  moment,
  fc.integer({ min: -HOUR, max: HOUR }).map((ms) => NOW + ms),
);
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null });
const day = fc
  .integer({ min: -5, max: 5 })
  .map((back) => new Date(NOW + back * DAY).toISOString().slice(0, 10));
const evidence: fc.Arbitrary<Evidence> = fc
  .record({
    at: near,
    ok: fc.boolean(),
    category: fc.constantFrom(...FAILURE_CATEGORIES),
    retry: maybe(near),
    covered: maybe(day),
    before: maybe(near),
  })
  .map(({ at, ok, category, retry, covered, before }) =>
    ok
      ? success(at, covered)
      : failure(at, { category, nextRetryAt: retry }, before === null ? undefined : success(before, covered)),
  );
const parts: fc.Arbitrary<Rows> = fc
  .record({
    lifecycle: fc.constantFrom("live" as const, "pre-launch" as const, "retired" as const),
    wentLiveAt: maybe(near),
    night: maybe(near),
    report: maybe(near),
    refusedAt: maybe(near),
    daily: maybe(evidence),
    account: maybe(evidence),
    live: maybe(evidence),
    looked: maybe(near),
    attempt: maybe(near),
    webmaster: maybe(near),
    list: maybe(evidence),
    seenAt: near,
    paused: maybe(fc.record({ capability: fc.constantFrom("", "analytics.daily"), until: maybe(near) })),
  })
  .map((of) => {
    const asset = "a.example";
    const source = attachment(asset);
    const listing = dailyScope(WORKSPACE, {
      asset: "",
      provider: "webmaster-tools",
      connectionRevision: "rev-bing",
      property: "",
    });
    const states = [
      [dailyScope(WORKSPACE, pulled(asset)), of.daily],
      [dailyScope(WORKSPACE, pulled("")), of.account],
      [feedScope(WORKSPACE, { asset, kind: "hourly", source }), of.live],
      [listing, of.list],
    ] as const;
    return {
      sites: [site(asset, { lifecycle: of.lifecycle, wentLiveAt: of.wentLiveAt })],
      accounts: [GOOGLE, BING],
      attachments: [source],
      listed: [{ credential: "bing", property: "https://a.example/", seenAt: of.seenAt }],
      nights: of.night === null ? [] : [{ asset, at: of.night, date: null }],
      codebase: of.report === null ? [] : [{ asset, date: "2026-11-19" as never, receivedAt: of.report }],
      refused:
        of.refusedAt === null
          ? []
          : [{ asset, route: "/api/pulse", code: "broken-contract", lastAt: of.refusedAt, count: 1 }],
      states: states.flatMap(([scope, told]) => (told === null ? [] : [known(scope, told)])),
      questions:
        of.looked === null
          ? []
          : [
              {
                asset,
                kind: "hourly" as const,
                connectionRevision: "rev-google",
                property: source.property,
                takenAt: of.looked,
              },
            ],
      attempts: [
        ...(of.attempt === null ? [] : [{ ...pulled(asset), startedAt: of.attempt }]),
        ...(of.webmaster === null
          ? []
          : [
              {
                asset,
                provider: "webmaster-tools" as const,
                connectionRevision: "rev-bing",
                property: "https://a.example/",
                startedAt: of.webmaster - 80 * DAY,
              },
            ]),
      ],
      pauses: of.paused === null ? [] : [{ ...of.paused, asset, pausedAt: NOW - DAY, pausedBy: "x" }],
    };
  });

const told = (of: Rows, now: number) =>
  viewOf({
    workspace: WORKSPACE,
    catalogue: CAPABILITIES,
    inventory: inventoryOf(of),
    projection: projected(of, now),
    events: [],
    asset: undefined,
    reports: undefined,
    isRefused: false,
  });

test("what was worked out holds until the moment that it names, whatever is stored", () => {
  fc.assert(
    fc.property(parts, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (of, share) => {
      const { until } = projected(of);
      const last = Math.min(until, NOW + 200 * DAY) - 1;
      const later = Math.max(NOW, Math.floor(NOW + (last - NOW) * share));
      expect(told(of, later)).toEqual(told(of, NOW));
      expect(told(of, last)).toEqual(told(of, NOW));
    }),
    { numRuns: 400 },
  );
});

test("a pause that ends by itself, with nothing written, is over for the site that it held", () => {
  const pauses = [
    { capability: "analytics.daily", asset: "a", pausedAt: NOW - HOUR, pausedBy: "x", until: NOW + MINUTE },
  ];
  const inventory: Inventory = {
    ...inventoryOf({ ...CONNECTED, states: [known(daily("a"), success(NOW - MINUTE))], pauses }),
    changed: new Map(),
  };
  const by = { workspace: WORKSPACE, inventory, catalogue: CAPABILITIES, silentHoursOf: () => 26 };
  const before = project({ ...by, now: NOW });
  expect(standing(before)).toEqual(["a paused"]);
  expect(standing(project({ ...by, now: NOW + MINUTE, before }))).toEqual(["a working"]);
});

test("where the same moment makes more sites silent than are judged at once, the rest follow and none is left as it was", () => {
  const ids = Array.from({ length: 130 }, (_, place) => `site-${1_000 + place}`);
  const parts = {
    sites: ids.map((id) => site(id)),
    nights: ids.map((asset) => ({ asset, at: NOW, date: null })),
  };
  const later = NOW + 27 * HOUR;
  const inventory: Inventory = { ...inventoryOf(parts), changed: new Map() };
  const by = { workspace: WORKSPACE, inventory, catalogue: CAPABILITIES, silentHoursOf: () => 26 };
  let projection = project({ ...by, now: NOW });
  const stale: number[] = [];
  do {
    projection = project({ ...by, now: later, before: projection });
    stale.push(standing(projection, NIGHTLY_REPORTS).filter((one) => one.endsWith("stale")).length);
  } while (projection.until <= later && stale.length < 9);
  expect(stale).toEqual([50, 100, 130]);
  const { groups, healths, until } = project({ ...by, now: later });
  expect(projection).toMatchObject({ groups, healths, until });
});

test("what is enabled and nothing shows the state of is Unmonitored: counted, and never an all-clear", () => {
  const inventory = inventoryOf({
    sites: [site("harbor"), site("quay")],
    nights: [{ asset: "harbor", at: NOW, date: null }],
  });
  const catalogue = CAPABILITIES.map((one) =>
    one.id === NIGHTLY_REPORTS ? { ...one, observedBy: null } : one,
  );
  const by = { workspace: WORKSPACE, inventory, catalogue };
  const view = viewOf({
    ...by,
    projection: project({ ...by, silentHoursOf: () => 26, now: NOW }),
    events: [],
    asset: undefined,
    reports: undefined,
    isRefused: false,
  });
  expect(view.summary).toMatchObject({ unmonitored: 2, working: 0, never_run: 0 });
  expect(view.coverage).toMatchObject({
    state: "partial",
    reason: "Nothing observes 2 targets.",
    configured: 2,
    monitored: 0,
    unmonitored: 2,
  });
  expect(view.capabilities.flatMap(({ targets }) => targets)).toMatchObject([
    { asset: "harbor", state: "unmonitored", lastSuccessStartedAt: null, action: { code: "look_yourself" } },
    { asset: "quay", state: "unmonitored" },
  ]);
});

test("the counts are those of what is due, and green is only what works", () => {
  fc.assert(
    fc.property(parts, (of) => {
      const view = told(of, NOW);
      const targets = view.capabilities.flatMap((one) => one.targets);
      const asked = ["on_demand", "connection_test", "discovery"];
      const due = view.capabilities.filter(({ kind }) => !asked.includes(kind));
      const states = due.flatMap((one) => one.targets.map(({ state }) => state));
      expect(view.summary).toEqual(tallied(HEALTH_STATES, states));
      expect(view.coverage.configured).toBe(states.length);
      for (const target of targets) {
        expect(target.state === "working" && target.category !== null).toBe(false);
        expect((target.nextRetryAt === null) === (target.nextRetryReason === null)).toBe(true);
        expect(target.action.text).not.toBe("");
      }
    }),
    { numRuns: 200 },
  );
});
