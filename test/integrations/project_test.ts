/** From what is stored to how it stands: which targets there are, what stands for what, and until when it holds. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { tallied } from "../../src/base/statistics.ts";
import { CAPABILITIES, NIGHTLY_REPORTS } from "../../src/health/catalogue.ts";
import {
  channelScope,
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

const BOTH = {
  sites: [site("a"), site("b")],
  accounts: [GOOGLE],
  attachments: [attachment("a"), attachment("b")],
};
const [ofA, ofB, account] = [daily("a"), daily("b"), daily("")];
const good = [ofA, ofB].map((scope) => known(scope, success(NOW - 5 * MINUTE)));
const check = checkScope({
  ...{
    workspace: WORKSPACE,
    job: "connection-test",
    provider: "analytics",
    connectionRevision: "rev-google",
  },
});
const attempts = [
  { ...pulled("a"), startedAt: NOW - MINUTE },
  { ...pulled("b"), startedAt: NOW - 5 * MINUTE },
];
const unrecorded = {
  ...{ kind: "recorder" as const, asset: "a", source: "analytics", subject: "analytics.daily" },
  ...{ since: NOW - MINUTE, reason: "x" },
};
const nights = ["a", "b", "c"].map((asset) => ({ asset, at: NOW - 3 * DAY, date: "2026-11-17" as never }));
const longAgo = { asset: "a", at: NOW - 30 * DAY, date: "2026-10-21" as never };
const refused = {
  asset: "c",
  route: "/api/codebase-report",
  code: "broken-contract",
  lastAt: NOW - DAY,
  count: 3,
};
const taken = {
  ...{ sites: [site("a", { url: "https://a.example" })], accounts: [BING] },
  detachments: [detached("a", "webmaster-tools", "https://a.example/")],
  listed: [{ credential: "bing", property: "https://a.example/", seenAt: NOW - DAY }],
};
const away = { ...CONNECTED, attachments: [], detachments: [detached("a", "analytics", "p")] };
const pauses = [
  {
    capability: "analytics.daily",
    asset: "",
    pausedAt: NOW - HOUR,
    pausedBy: "operator:ada",
    until: NOW + HOUR,
  },
];
const paused = { ...CONNECTED, states: [known(ofA, success(NOW - MINUTE))], pauses };
const CHANNEL = {
  ...{ id: "c1", kind: "webhook", connection_revision: "rev-hook" },
  ...{ changed_at: NOW - DAY, paused_at: null },
};
const unsent = (category: "provider_error" | "access") => ({
  channels: [CHANNEL],
  states: [
    known(
      channelScope(WORKSPACE, CHANNEL, false),
      failure(NOW - MINUTE, { category, nextRetryAt: NOW + MINUTE }),
    ),
  ],
});
const feed = feedScope(WORKSPACE, { asset: "a", kind: "realtime", source: attachment("a") });
const looked = (change: object = {}) => {
  const question = { ...pulled("a"), kind: "realtime" as const, takenAt: NOW, ...change };
  return { ...CONNECTED, states: [known(feed, success(NOW, null))], questions: [question] };
};
const list = dailyScope(WORKSPACE, {
  ...{ asset: "", provider: "webmaster-tools", connectionRevision: "rev-bing", property: "" },
});
const found = {
  ...{ sites: [site("a.example"), site("b.example")], accounts: [BING] },
  listed: [{ credential: "bing", property: "https://www.a.example/", seenAt: NOW - 10 * DAY }],
};
const read = [known(list, success(NOW - DAY, null))];
const own = { ...list, asset: "b.example", target: opaqueId("webmaster-tools", "https://b.example/") };
const asked = (startedAt: number) => ({
  ...{ asset: "b.example", provider: "webmaster-tools" as const, connectionRevision: "rev-bing" },
  ...{ property: "https://b.example/", startedAt },
});

/** What is stored, and how the targets of a capability (analytics by the day, where none is said) stand by it. */
const WORLDS: readonly (readonly [claim: string, rows: Rows, capability?: string, now?: number])[] = [
  [
    "a failure of the account stands for every site that is asked over it, with when it is tried again",
    { ...BOTH, states: [...good, known(account, failure(NOW - MINUTE, { nextRetryAt: NOW + HOUR }))] },
  ],
  ...[5 * MINUTE, 0].map((later) => {
    const limited = failure(NOW, { category: "rate_limit", nextRetryAt: NOW + later });
    return [`a rate limit of ${later} ms more`, { ...CONNECTED, states: [known(ofA, limited)] }] as const;
  }),
  [
    "an account that is let in again makes no site green",
    { ...BOTH, states: [known(account, success(NOW, null))] },
  ],
  [
    "a later figure of a site does",
    { ...BOTH, states: [known(ofA, success(NOW)), ...good.slice(1), known(account, failure(NOW - MINUTE))] },
  ],
  [
    "a failure of another connection, workspace or property says nothing",
    {
      ...BOTH,
      states: [
        ...good,
        known({ ...account, connectionRevision: "rev-before" }, failure(NOW)),
        known({ ...account, workspace: "another" }, failure(NOW)),
        known({ ...ofA, target: "another" }, failure(NOW)),
      ],
      attempts: [{ ...pulled("a", "rev-before"), startedAt: NOW }],
    },
  ],
  ["an attempt that nothing was recorded of takes the green away", { ...BOTH, attempts, states: good }],
  [
    "and no failure",
    { ...BOTH, attempts, states: [known(ofA, failure(NOW - 5 * MINUTE)), ...good.slice(1)] },
  ],
  [
    "a recorder that failed takes the green away",
    { ...BOTH, states: good, monitoring: [unrecorded, { ...unrecorded, kind: "rule", asset: "b" }] },
  ],
  ["a credential proves nothing: its checks never ran, no site has a target", { accounts: [GOOGLE] }, ""],
  [
    "a check that passed is idle",
    { accounts: [GOOGLE], states: [known(check, success(NOW - 400 * DAY, null))] },
    "analytics.connection-test",
  ],
  [
    "a check that failed is failing until it passes",
    { accounts: [GOOGLE], states: [known(check, failure(NOW - 400 * DAY))] },
    "analytics.connection-test",
  ],
  [
    "a retired site is no part of it, and one before its launch owes no report",
    {
      sites: [site("a"), site("b", { lifecycle: "retired" }), site("c", { lifecycle: "pre-launch" })],
      nights,
    },
    "ingest.nightly",
  ],
  [
    "a site that went live is silent from then on, not from before",
    { sites: [site("a", { wentLiveAt: NOW - HOUR })], nights: [longAgo] },
    "ingest.nightly",
  ],
  [
    "codebase reports are watched of sites that sent or tried one, and are idle after eight days",
    {
      sites: ["a", "b", "c", "d"].map((id) => site(id)),
      codebase: [
        { asset: "a", date: "2026-11-19" as never, receivedAt: NOW - DAY },
        { asset: "b", date: "2026-11-11" as never, receivedAt: NOW - 9 * DAY },
      ],
      refused: [refused],
    },
    "ingest.codebase",
  ],
  ["a site of webmaster tools that an account finds is not disconnected", taken, "webmaster-tools.daily"],
  ["one that no account finds is", { ...taken, listed: [] }, "webmaster-tools.daily"],
  ...(["accounts", "listed", "attempts", "attachments"] as const).map(
    (name) =>
      [
        `nor is it while ${name} are not known`,
        { ...taken, listed: [], [name]: undefined },
        "webmaster-tools.daily",
      ] as const,
  ),
  ["a connection that was taken away stands disconnected", away],
  ["until there is another", { ...away, ...CONNECTED }],
  [
    "a replaced credential is another connection: what was seen before confirms nothing",
    { ...CONNECTED, states: [known(daily("a", "rev-before"), success(NOW - MINUTE))] },
  ],
  [
    "a message goes out again at Tower's own pace, whichever way it failed",
    unsent("provider_error"),
    "notices.webhook",
  ],
  ["nor is it paused until somebody acts", unsent("access"), "notices.webhook"],
  ["a pause is told with its end", paused],
  ["and ends by itself", paused, "analytics.daily", NOW + HOUR],
  ["a live feed is watched after somebody looked", looked(), "analytics.realtime"],
  ["it is idle when nobody does", looked(), "analytics.realtime", NOW + HOUR],
  ["and no more after a day", looked(), "analytics.realtime", NOW + DAY],
  ["nor of another property", looked({ property: "another" }), "analytics.realtime"],
  ["nor of another connection", looked({ connectionRevision: "another" }), "analytics.realtime"],
  ["nor where nobody looked", { ...looked(), questions: [] }, "analytics.realtime"],
  ["webmaster tools find a site by its address in the list", found, "webmaster-tools.daily"],
  ["without it there is the account", { ...found, listed: [] }, "webmaster-tools.daily"],
  [
    "a later list without a question about it lists it no more",
    { ...found, states: read },
    "webmaster-tools.daily",
  ],
  [
    "one that was read as it was listed lists it",
    { ...found, states: [known(list, success(NOW - 10 * DAY, null))] },
    "webmaster-tools.daily",
  ],
  [
    "it stays while it is asked",
    { ...found, attempts: [asked(NOW - DAY)], states: [...read, known(own, success(NOW - DAY))] },
    "webmaster-tools.daily",
  ],
  ["for 98 days", { ...found, listed: [], attempts: [asked(NOW - 98 * DAY)] }, "webmaster-tools.daily"],
];

test("what stands for what, and until when it holds, is recorded", () => {
  const all = WORLDS.map(([claim, rows, capability = "analytics.daily", now = NOW]) => {
    const projection = projected(rows, now);
    const seconds = (at: number | null) => (at === null ? null : (at - NOW) / 1_000);
    const views = targetsOf(projection).filter(({ monitored: { capability: of } }) =>
      [of.id, ""].includes(capability),
    );
    const lines = views.map(({ monitored, view }) => {
      const {
        category,
        since,
        dueAt,
        nextRetryAt,
        nextRetryReason,
        pausedUntil,
        lastSuccessStartedAt,
        coveredDate,
      } = view;
      const moments = [since, dueAt, nextRetryAt, pausedUntil ?? null, lastSuccessStartedAt].map(seconds);
      const [from, due, again, paused, worked] = moments;
      const of = { category, from, due, again, why: nextRetryReason, paused, worked, covers: coveredDate };
      const known = Object.entries(of).flatMap(([name, value]) =>
        value === null ? [] : [`${name} ${value}`],
      );
      return `  ${monitored.capability.id} ${view.asset} ${view.state}: ${known.join(", ")}`;
    });
    return [`${claim} (holds for ${seconds(projection.until)} s)`, ...lines].join("\n");
  });
  expect(all.join("\n")).toMatchSnapshot();
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
  expect(view.coverage).toMatchSnapshot();
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
