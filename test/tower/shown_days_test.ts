/** The day that a nightly count is shown on, on pages and in notices, beside what is stored and answered over the API. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { DAY_MS, type UtcDay } from "../../src/base/time.ts";
import type { FlagRow } from "../../src/flags/flags.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { type Arrived, ensureChannel, runOnce } from "../notices/world.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { parsed, textOf } from "../support/html.ts";
import { judgeAll, sendNights } from "../support/nightly.ts";
import { type World, world } from "../support/world.ts";

let ground: TestGround;
let site: World;
beforeAll(async () => {
  ground = await testGround();
  // Sunday 1 March, made early in the morning: it counts mostly Saturday.
  await sendNights(ground, "harbor", { last: "2026-03-01" as UtcDay, days: 60 }, (back) => ({
    metrics: { signups: { last24h: back === 0 ? 2 : 40 } },
  }));
  await judgeAll(ground);
  site = await world({ ground });
});
afterAll(async () => {
  await site.stop();
  ground.store.close();
});

const textAt = async (path: string) => textOf(parsed(await (await site.ask(path)).text()));

test("a flag on a morning's report is shown on the day before in lists, titles and sentences", async () => {
  const [flag] = listFlags(ground.store.db, { asset: "harbor", status: "open" }, 10);
  expect(flag?.message).toBe("Signups down 95% (2 on 1 Mar, normally about 40)");
  const sites = ["", "/flags", "/timeline", "/codebase", "/metric?metric=signups"].map(
    (tab) => `/sites/harbor${tab}`,
  );
  for (const path of ["/", "/wall", "/flags", "/timeline", ...sites]) {
    const text = await textAt(path);
    expect(text).toContain("Signups down 95% (2 on 28 Feb, normally about 40)");
    expect(text).not.toContain("(2 on 1 Mar");
  }
  const page = await textAt(`/flags/${flag?.id}`);
  expect(page).toContain("Signups down 95% (2 on 28 Feb, normally about 40)");
  expect(page).toContain("Saturday");
  expect(page).not.toContain("Sunday");
  expect(page).toContain("Rule and inputsby report date, one day later");
});

test("a notice says the day that pages show, and its flags what the API says of them: the report's date", async () => {
  await ensureChannel(site.deps, "ops", { digest: "06:00" }, "webhook");
  ground.clock.advance(DAY_MS);
  const arrived: Arrived[] = [];
  await runOnce(
    site.deps,
    () => ({ ok: true, receipt: "200" }),
    (one) => arrived.push(one),
  );
  const notice = arrived.find(({ notice: { type } }) => type === "digest")?.notice;
  expect(notice?.text).toContain("harbor: Signups down 95% (2 on 28 Feb, normally about 40)");
  expect(notice?.flags.map(({ message }) => message)).toContain(
    "Signups down 95% (2 on 1 Mar, normally about 40)",
  );
  // Whatever an earlier release said of it as it was raised.
  ground.store.raw.run("UPDATE flag SET message = 'Few signups'");
  const { items } = (await (await site.ask("/api/flags")).json()) as { items: FlagRow[] };
  for (const told of [items[0], await (await site.ask(`/api/flags/${items[0]?.id}`)).json()])
    expect(told).toMatchObject({
      message: "Signups down 95% (2 on 1 Mar, normally about 40)",
      rule_inputs: { day: "2026-03-01", observed: { from: "2026-03-01" } },
    });
});
