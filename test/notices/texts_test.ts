import { describe, expect, test } from "bun:test";
import { performAct } from "../../src/flags/acts.ts";
import { noticeWorld } from "./world.ts";

const BOOKINGS = {
  asset: "a.example",
  rule: "flow-drop",
  source: "pulse",
  subject: "bookings",
  metric: "bookings",
  origin: "rule",
  rule_inputs: {
    day: "2026-11-19",
    direction: "drop",
    expected: 112.4,
    observed: { from: "2026-11-19", to: "2026-11-19", count: 29 },
    poisson: { at_most: 1e-12, at_least: 1 },
  },
} as const;
const HOUR_MS = 3_600_000;

describe("the words of a notice", () => {
  test("the subject is the news; the text has figures, the proof's link, the nearest change and how to stop it", async () => {
    await using world = await noticeWorld();
    const { deps } = world.tower;
    await world.channel("ops", {}, "mail");
    deps.store.raw.run(
      `INSERT INTO annotation (id, asset, instant, at, at_ms, kind, ref, received_at, posted_by)
       VALUES ('n', 'a.example', '2026-11-18T16:20:00.000000000Z', '2026-11-18T16:20:00Z', 1795018800000, 'deploy', '418', 0, 'ci')`,
    );
    const id = await world.raise(BOOKINGS);
    expect(await world.run()).toEqual(["a.example: bookings down 74%"]);
    const notice = world.arrived[0]?.notice;
    expect(notice?.text).toMatchSnapshot();
    expect(notice?.html).toContain(`<a href="https://tower.example.org/flags/${id}">`);
    expect(notice?.flags).toMatchObject([{ id, rule: "flow-drop", severity: "warn", metric: "bookings" }]);
  });

  test("only addresses of Tower's own are links, and an abbreviation stays as it is", async () => {
    await using world = await noticeWorld();
    await world.channel("ops");
    await world.raise({ asset: "a.example", message: "SSL: see https://tower.example.org.evil.example/" });
    expect(await world.run()).toEqual(["a.example: SSL: see https://tower.example.org.evil.example/"]);
    expect(world.arrived[0]?.notice.html).not.toContain('href="https://tower.example.org.evil');
  });

  test("what a site writes makes no header, no markup, no line of its own and calls nobody", async () => {
    await using world = await noticeWorld("2026-11-20T12:00:00Z", {});
    await world.channel("ops");
    await world.raise({
      asset: "a.example",
      message: "odd\r\nBcc: evil@example.org <script> @everyone \u202e",
    });
    await world.run();
    const notice = world.arrived[0]?.notice;
    for (const text of [notice?.subject, notice?.text ?? ""])
      expect(text).not.toMatch(/\r|\nBcc|@everyone|\u202e/);
    expect(notice?.html).not.toContain("<script>");
    expect(notice?.text).toContain("Links need the setting TOWER_PUBLIC_URL.");
    expect(notice?.flags[0]?.href).toBe("/flags/flag-1");
  });
});

test("news of up to twenty sites is a message each; of more it is one, as when a network is gone, and so is its end", async () => {
  await using world = await noticeWorld();
  await world.channel("ops", { resolved: true });
  const silent = (count: number, from: number) =>
    Array.from({ length: count }, (_, place) => {
      const subject = `${String(from + place).padStart(2, "0")}.example`;
      const inputs = { last_received_at: "2026-11-19T06:00:00.000Z", silent_hours: 30 };
      return {
        asset: subject,
        rule: "stale-ingest",
        subject,
        rule_inputs: inputs,
        severity: "error",
      } as const;
    });
  for (const flag of silent(20, 0)) await world.raise(flag);
  expect((await world.run()).length).toBe(20);
  const ids: string[] = [];
  for (const flag of silent(30, 20)) ids.push(await world.raise(flag));
  await world.run();
  for (const id of ids) await world.resolve(id, "reporting_again");
  await world.run();
  const told = world.arrived
    .slice(20)
    .map(({ notice: { type, asset, text, subject } }) => ({ type, asset, subject, text }));
  expect(told).toMatchSnapshot();
});

describe("the daily digest", () => {
  test("counts a site before its launch with the sites, and calls none fine that somebody only acknowledged", async () => {
    await using world = await noticeWorld("2026-11-20T07:59:00Z");
    const { deps } = world.tower;
    await world.channel("ops", { digest: "08:00" });
    await world.run();
    deps.store.raw.run("UPDATE asset SET lifecycle = 'pre-launch' WHERE id = 'b.example'");
    await world.raise({ asset: "b.example", message: "odd" });
    const id = await world.raise({ asset: "c.example", message: "gone", severity: "error" });
    const now = world.clock.now();
    await deps.writer.write((tx) =>
      performAct(tx, "acknowledge", { id, by: { name: "kim", id: "operator:kim" }, now }),
    );
    await world.run();
    world.clock.advance(60_000);
    expect(await world.run()).toEqual(["1 of 3 sites needs attention"]);
    expect(world.arrived.at(-1)?.notice.text).toContain("Fine: a.example\n");
  });

  test("says that all is fine only where health is watched whole and nothing is open; else what is open or unknown", async () => {
    await using world = await noticeWorld("2026-11-20T07:59:00Z");
    const { deps } = world.tower;
    await world.channel("ops", { digest: "08:00" });
    await world.run();
    world.clock.advance(60_000);
    expect(await world.run()).toEqual(["All 3 sites fine"]);
    expect(await world.run()).toStrictEqual([]);
    await world.raise({ asset: "c.example", message: "nice", severity: "info" });
    world.clock.advance(24 * HOUR_MS);
    expect(await world.run()).toEqual(["No site needs attention now, 1 flag less urgent"]);
    expect(world.arrived.at(-1)?.notice.text).toContain("Less urgent: 1 info flag on 1 site");
    const flag = await world.raise({ asset: "b.example", message: "odd" });
    expect(await world.run()).toEqual(["b.example: odd"]);
    world.clock.advance(24 * HOUR_MS);
    expect(await world.run()).toEqual(["1 of 3 sites needs attention, nothing new"]);
    expect(world.arrived.at(-1)?.notice.text).toContain("Fine: a.example\n");
    world.clock.advance(60_000);
    await world.resolve(flag);
    deps.store.raw.run(
      `INSERT INTO monitoring_failure (kind, asset, source, subject, since, reason) VALUES ('job', '', '', 'sense', 0, 'It was due.')`,
    );
    world.clock.advance(24 * HOUR_MS - 60_000);
    expect(await world.run()).toEqual(["No site is known to need attention, but not everything is watched"]);
    expect(world.arrived.at(-1)?.notice.text).toMatchSnapshot();
  });

  test("of one site's channel calls nothing fine where more flags are open than it looks through", async () => {
    await using world = await noticeWorld("2026-11-20T07:59:00Z");
    await world.channel("ops", { digest: "08:00", sites: ["b.example"] });
    await world.run();
    await Promise.all(
      Array.from({ length: 500 }, (_, at) =>
        world.raise({ asset: "a.example", subject: String(at), message: "odd", severity: "error" }),
      ),
    );
    world.clock.advance(60_000);
    expect(await world.run()).toEqual(["No site is known to need attention, but not everything is watched"]);
  });
});
