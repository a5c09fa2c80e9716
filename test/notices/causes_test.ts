import { expect, test } from "bun:test";
import type { AssetId } from "../../src/base/contract.ts";
import { performAct } from "../../src/flags/acts.ts";
import type { HealthView, TargetView } from "../../src/integrations/integrations.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
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
  expect(await run(REFUSED)).toStrictEqual([]);
  expect(await run({ ...WORKS, state: "never_run" })).toStrictEqual([]);
  expect(await run(WORKS)).toEqual([`ops integrations.recovered ${refused}: works again`]);
  const failingSince = world.clock.now();
  expect(await run(DOWN, failingSince)).toStrictEqual([]);
  world.clock.advance(20 * 60_000);
  expect(await run(DOWN, failingSince)).toStrictEqual([]);
  world.clock.advance(HOUR_MS);
  const down = "Analytics cannot be reached: 2 sites, 2 data sources";
  expect(await run(DOWN, failingSince)).toEqual([
    `ops integrations.failing analytics: ${down}`,
    `ops integrations.failing search-console: ${down}`,
  ]);
  // An operator who pauses it needs no message that it works again.
  expect(await run({ ...WORKS, state: "paused" })).toStrictEqual([]);
  expect(await run(WORKS)).toStrictEqual([]);
  // Access is given to each provider for itself.
  expect(await run({ ...REFUSED, action: said("give_access") })).toEqual([
    "ops integrations.failing Google refuses access to Analytics: 2 sites, 2 data sources",
    "ops integrations.failing Google refuses access to Search console: 2 sites, 2 data sources",
  ]);
});

test("the digest of a busy day says each thing in its place, and a channel of one site hears of that alone", async () => {
  await using world = await noticeWorld("2026-11-20T07:59:00Z");
  const { deps } = world.tower;
  const others = Array.from({ length: 8 }, (_, at) => `s${at}.example` as AssetId);
  const by = { name: "kim", id: "operator:kim" };
  await deps.writer.write((tx) => ensureAssets(tx, others, { actor: "test", now: world.clock.now() }));
  await world.channel("ops", { digest: "08:00" }, "mail");
  await world.channel("of-a", { digest: "08:00", sites: ["a.example"] });
  await world.channel("of-b", { digest: "08:00", sites: ["b.example"], severity: "error" });
  await world.run();
  // The first is over more than a day before the digest; the end of the last two is no news.
  const ends = [
    await world.raise({ asset: "s1.example", message: "long over" }),
    await world.raise({ asset: "b.example", message: "over" }),
    await world.raise({ asset: "s2.example", message: "retired" }),
    await world.raise({ asset: "s3.example", message: "never told", severity: "info" }),
  ];
  const acked = await world.raise({ asset: "c.example", message: "seen" });
  const snoozed = await world.raise({ asset: "c.example", message: "later", severity: "error" });
  await world.raise({ asset: "a.example", message: "gone", severity: "error" });
  await world.raise({ asset: deps.config.serviceAsset, message: "disk is full" });
  await world.run();
  await world.resolve(ends[0] ?? "");
  world.clock.advance(24 * HOUR_MS);
  await world.resolve(ends[1] ?? "");
  await world.resolve(ends[2] ?? "", "retired");
  await world.resolve(ends[3] ?? "");
  const now = world.clock.now();
  await deps.writer.write((tx) => {
    performAct(tx, "acknowledge", { id: acked, by, now });
    performAct(tx, "snooze", { id: snoozed, by, now, until: now + HOUR_MS });
  });
  await world.raise({ asset: "a.example", message: "slow" });
  for (const asset of ["a.example", "c.example", "c.example"])
    await world.raise({ asset, message: "nice", severity: "info" });
  const view = viewOf(["a.example", "s0.example"], { ...REFUSED, since: now });
  const down = viewOf(["b.example"], { ...DOWN, since: now });
  const health = {
    read: () => ({ ...view, capabilities: [...view.capabilities, ...down.capabilities] }),
  };
  world.clock.advance(60_000);
  const before = world.arrived.length;
  await runOnce({ ...deps, health }, world.answer, (one) => world.arrived.push(one));
  const digestTo = (channel: string) =>
    world.arrived.slice(before).findLast((one) => one.channel === channel)?.notice.text ?? "";
  for (const channel of ["ops", "of-a", "of-b"]) expect(digestTo(channel)).toMatchSnapshot();
  const added = ["s8.example", "s9.example"] as AssetId[];
  await deps.writer.write((tx) => ensureAssets(tx, added, { actor: "test", now: world.clock.now() }));
  world.clock.advance(24 * HOUR_MS);
  await runOnce({ ...deps, health }, world.answer, (one) => world.arrived.push(one));
  expect(digestTo("ops")).toContain("\nFine: 9 sites\n");
});

test("what quiet hours held back is one message: each site's news under its name, then the integrations'", async () => {
  await using world = await noticeWorld("2026-11-20T12:00:00Z");
  const { deps } = world.tower;
  await world.channel("ops", { resolved: true, quiet: { from: "22:00", to: "07:00" } });
  const run = async (...views: readonly HealthView[]) => {
    const before = world.arrived.length;
    const capabilities = views.flatMap((view) => view.capabilities);
    const health = { read: () => ({ ...viewOf([], WORKS_NOW), capabilities }) };
    await runOnce({ ...deps, health }, world.answer, (one) => world.arrived.push(one));
    return world.arrived.slice(before).map(({ notice }) => notice);
  };
  const WORKS_NOW = { ...WORKS, since: world.clock.now() };
  const of = (asset: string, state: Omit<State, "since">) =>
    viewOf([asset], { ...state, since: Date.parse("2026-11-20T12:00:00Z") });
  const over = await world.raise({ asset: "b.example", message: "Bookings are odd" });
  await run(of("a.example", REFUSED));
  world.clock.at("2026-11-22T22:30:00Z");
  await world.resolve(over);
  for (let at = 0; at < 26; at++)
    await world.raise({ asset: "a.example", message: `Odd thing ${at} (7 of 9).` });
  await world.raise({ asset: "c.example", message: "nice", severity: "info" });
  expect(await run(of("a.example", WORKS), of("c.example", DOWN))).toStrictEqual([]);
  world.clock.at("2026-11-23T07:00:00Z");
  const [notice, ...others] = await run(of("a.example", WORKS), of("c.example", DOWN));
  expect(others).toStrictEqual([]);
  const subject = "News of 2 sites and 3 integration problems";
  expect(notice).toMatchObject({ subject, type: "digest", asset: null });
  const lines = notice?.text.split("\n") ?? [];
  // Of 26 flags of a site 25 are written out, each with its link.
  expect(lines.filter((line) => /^ {2}WARNING {2}Odd thing \d+ \(7 of 9\)\.$/.test(line))).toHaveLength(25);
  expect(lines.join("\n")).toMatchSnapshot();
});

test("GET /api/notices lists deliveries newest first, by channel, outcome and days", async () => {
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
  expect((await ask("?channel=ops&from=2026-11-20&to=2026-11-20")).items).toMatchObject([{ channel: "ops" }]);
  const first = await ask("?limit=1");
  expect((await ask(`?limit=1&cursor=${first.next}`)).items).toEqual(all.items.slice(1));
  expect((await ask("?to=2026-11-19")).items).toStrictEqual([]);
});
