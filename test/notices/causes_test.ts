import { expect, test } from "bun:test";
import type { HealthView, TargetView } from "../../src/integrations/integrations.ts";
import { noticeWorld, runOnce } from "./world.ts";

const HOUR_MS = 3_600_000;
type State = Pick<TargetView, "state" | "category" | "action" | "why"> & { readonly since: number };

/** Two data sources of each site over one connection, all in one state. */
function viewOf(sites: readonly string[], state: State): HealthView {
  const target = (asset: string): TargetView => ({
    asset,
    target: "opaque",
    family: "",
    connectionRevision: "revision",
    lastAttemptStartedAt: state.since,
    lastSuccessStartedAt: state.since,
    coveredDate: null,
    dueAt: null,
    nextRetryAt: null,
    nextRetryReason: null,
    pausedUntil: null,
    counts: null,
    ...state,
  });
  const capability = (of: "analytics" | "search-console") => ({
    capability: `${of}.daily`,
    label: of,
    provider: of,
    kind: "production_read" as const,
    state: state.state,
    affectedAssets: sites,
    targets: sites.map(target),
  });
  return {
    capabilities: [capability("analytics"), capability("search-console")],
    coverage: { state: "complete", reason: null },
  } as unknown as HealthView;
}

const said = (code: TargetView["action"]["code"]) => ({ code, text: "Upload a current one." });
const WORKS = { state: "working", category: null, action: said("none"), why: "" } as const;
const REFUSED = {
  state: "failing",
  category: "access",
  action: said("replace_credential"),
  why: "No.",
} as const;
const DOWN = {
  state: "failing",
  category: "network",
  action: said("wait"),
  why: "Analytics cannot be reached.",
} as const;

test("failing integrations are told once by their cause, what Tower retries once it missed two turns, recoveries where wished", async () => {
  await using world = await noticeWorld();
  const { deps } = world.tower;
  await world.channel("ops", { resolved: true });
  await world.channel("errors", { severity: "error", resolved: true });
  await world.channel("of-c", { sites: ["c.example"] });
  const sites = ["a.example", "b.example"];
  const run = async (state: Omit<State, "since">, since = world.clock.now()) => {
    const before = world.arrived.length;
    const health = { read: () => viewOf(sites, { ...state, since }) };
    await runOnce({ ...deps, health }, world.answer, (one) => world.arrived.push(one));
    return world.arrived
      .slice(before)
      .map(({ channel, notice }) => `${channel} ${notice.type} ${notice.subject}`);
  };
  const refused = "Google rejected this key: 1 account, 2 sites, 4 data sources";
  expect(await run(REFUSED)).toEqual([`ops integrations.failing ${refused}`]);
  expect(world.arrived[0]?.notice.text).toContain("Upload a current one.");
  expect(await run(REFUSED)).toEqual([]);
  expect(await run({ ...WORKS, state: "never_run" })).toEqual([]);
  expect(await run(WORKS)).toEqual([`ops integrations.recovered ${refused}: works again`]);
  const failingSince = world.clock.now();
  expect(await run(DOWN, failingSince)).toEqual([]);
  world.clock.advance(20 * 60_000);
  expect(await run(DOWN, failingSince)).toEqual([]);
  world.clock.advance(HOUR_MS);
  const down = "Analytics cannot be reached: 2 sites, 2 data sources";
  expect(await run(DOWN, failingSince)).toEqual([
    `ops integrations.failing analytics: ${down}`,
    `ops integrations.failing search-console: ${down}`,
  ]);
  // An operator who pauses it needs no message that it works again.
  expect(await run({ ...WORKS, state: "paused" })).toEqual([]);
  expect(await run(WORKS)).toEqual([]);
  // Access is given to each provider for itself.
  expect(await run({ ...REFUSED, action: said("give_access") })).toEqual([
    "ops integrations.failing Google refuses access to Analytics: 2 sites, 2 data sources",
    "ops integrations.failing Google refuses access to Search console: 2 sites, 2 data sources",
  ]);
});

test("GET /api/notices lists deliveries newest first, by channel and outcome, with the fields of the contract", async () => {
  await using world = await noticeWorld();
  await world.channel("ops");
  await world.channel("night", { quiet: { from: "11:00", to: "13:00" } });
  const id = await world.raise({ asset: "a.example", message: "odd" });
  await world.run();
  const ask = async (search = "") => {
    return (await (await world.tower.ask(`/api/notices${search}`)).json()) as {
      items: object[];
      next: string | null;
    };
  };
  const all = await ask();
  expect(all.items).toHaveLength(2);
  const [held] = (await ask("?outcome=held")).items;
  expect(held).toMatchObject({
    channel: "night",
    flags: [{ id }],
    attempts: 0,
    receipt: null,
    delivered_at: null,
  });
  expect((await ask("?channel=ops&from=2026-11-20&to=2026-11-20")).items).toEqual([
    {
      id: expect.any(String),
      channel: "ops",
      channel_kind: "webhook",
      test: false,
      type: "flags.raised",
      asset: "a.example",
      flags: [
        {
          id,
          rule: null,
          severity: "warn",
          kind: "anomaly",
          metric: null,
          message: "odd",
          raised_at: "2026-11-20T12:00:00.000Z",
          href: `https://tower.example.org/flags/${id}`,
        },
      ],
      created_at: "2026-11-20T12:00:00.000Z",
      attempts: 1,
      last_attempt_at: "2026-11-20T12:00:00.000Z",
      delivered_at: "2026-11-20T12:00:00.000Z",
      receipt: "200",
      outcome: "delivered",
    },
  ]);
  const first = await ask("?limit=1");
  expect((await ask(`?limit=1&cursor=${first.next}`)).items).toEqual(all.items.slice(1));
  expect((await ask("?to=2026-11-19")).items).toEqual([]);
});
