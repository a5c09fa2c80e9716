/**
 * A report whose sums no rule can work with, walked through the real listeners over a real data folder: other sites are judged, a
 * restart changes nothing, every page stands and says so, and it is over when the figures are put right.
 */

import { afterAll, expect, test } from "bun:test";
import { addOperator } from "../../src/access/operators.ts";
import { type Opened, openData } from "../../src/app/boot.ts";
import { createIngest } from "../../src/app/ingest_app.ts";
import { createTower } from "../../src/app/tower_app.ts";
import { readConfig } from "../../src/base/config.ts";
import { addDays, utcDayOf } from "../../src/base/time.ts";
import { temporaryFolder } from "../support/folder.ts";
import { GOOD_PASSWORD } from "../support/operators.ts";

const HUGE = Number.MAX_SAFE_INTEGER;
const TODAY = utcDayOf(Date.now());
const SITES = ["harbor", "orchard", "lone"] as const;
const PORTS = { ingest: 4610, tower: 4611 };

const folder = temporaryFolder();
let opened: Opened | undefined;
afterAll(async () => {
  await stop();
  folder[Symbol.dispose]();
});

async function start(): Promise<Opened> {
  opened = await openData(
    readConfig({
      DATA_DIR: folder.path,
      ASSET_TOKENS: SITES.map((site) => `${site}:${tokenOf(site)}`).join(" "),
      TRUSTED_AUTH_HEADER: "x-operator",
    }),
  );
  return opened;
}

async function stop(): Promise<void> {
  await opened?.deps.follower.stop();
  opened?.close();
  opened = undefined;
}

const tokenOf = (site: string) => `${site}-token-0123456789`;

function deps() {
  if (opened === undefined) throw new Error("nothing is open");
  return opened.deps;
}

/** Posts a nightly report of the day so many days before today. */
async function send(site: string, back: number, counts: Readonly<Record<string, number>>): Promise<void> {
  const metrics = Object.fromEntries(Object.entries(counts).map(([name, last24h]) => [name, { last24h }]));
  const response = await createIngest(
    deps(),
    () => PORTS,
  )(
    new Request(`http://127.0.0.1:${PORTS.ingest}/api/pulse`, {
      method: "POST",
      headers: {
        host: `127.0.0.1:${PORTS.ingest}`,
        authorization: `Bearer ${tokenOf(site)}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ asset: site, generatedAt: `${addDays(TODAY, -back)}T00:00:00Z`, metrics }),
    }),
  );
  expect(response.status).toBe(201);
}

/** What the Tower answers ada; it is never a failure. */
async function ask(path: string): Promise<string> {
  const response = await createTower(deps(), () => PORTS)(
    new Request(`http://127.0.0.1:${PORTS.tower}${path}`, {
      headers: { host: `127.0.0.1:${PORTS.tower}`, "x-operator": "ada", accept: "text/html" },
    }),
    () => "127.0.0.1",
  );
  expect(`${path} ${response.status}`).toBe(`${path} 200`);
  return (await response.text()).replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
}

const openFlags = async (site: string) =>
  (
    JSON.parse(await ask(`/api/flags?asset=${site}&status=open`)) as {
      items: { rule: string; metric: string }[];
    }
  ).items.map(({ rule, metric }) => `${rule} ${metric}`);

test("one poison report stops nothing, is told everywhere, outlives a restart, and ends when it is put right", async () => {
  await start();
  await addOperator(deps(), { name: "ada", password: GOOD_PASSWORD }, { actor: "test", now: Date.now() });
  // Before the nights are judged one by one: a month of quiet days, and three of the largest count there is.
  const nights: Promise<void>[] = [];
  for (let back = 36; back >= 1; back--) {
    const bomb = back <= 3 ? HUGE : 1;
    nights.push(send("harbor", back, { bomb, signups: 20 }), send("orchard", back, { signups: 20 }));
    nights.push(send("lone", back, { bomb }));
  }
  await Promise.all(nights);
  await send("harbor", 0, { bomb: HUGE, signups: 0 });
  await send("orchard", 0, { signups: 0 });
  await deps().follower.settle();

  const untroubled = async () => {
    expect(await openFlags("harbor")).toEqual(["flow-drop signups"]);
    expect(await openFlags("orchard")).toEqual(["flow-drop signups"]);
    expect(JSON.parse(await ask("/readyz"))).toEqual({
      status: "ready",
      reports_waiting: 0,
      oldest_waiting_seconds: null,
      monitoring_failures: 2,
    });
    const figures = await ask("/metrics");
    expect(figures).toContain('tower_monitoring_failures{kind="rule"} 2');
    expect(figures).toContain("tower_reports_waiting 0");
    expect(await ask("/sites/harbor")).toContain(
      "The rules could not check everything this site sent. The rest was checked.",
    );
    expect(await ask("/sites/harbor/metric?metric=bomb")).toContain("Not tested: the rule failed");
    expect(await ask("/sites/lone/flags")).toContain("The rules did not run");
    expect(await ask("/")).toContain(
      "The rules could not check everything these sites sent: harbor , lone .",
    );
  };
  await untroubled();
  for (const path of [
    "/sites/harbor/metric?range=90&metric=bomb",
    "/sites/harbor/flags",
    "/sites/harbor/reports",
    `/sites/harbor/reports/${TODAY}/1`,
    "/sites/harbor/settings",
    "/sites/harbor/metrics/bomb/tune",
    "/sites/harbor/metrics/bomb/tune?alpha=0.001",
    "/api/assets/harbor/pulses?limit=500",
    "/settings/calibration",
    "/flags",
  ]) {
    await ask(path);
  }

  await stop();
  await start();
  await deps().follower.settle();
  await untroubled();
  await send("orchard", 0, { signups: 20 });
  await deps().follower.settle();
  expect(await openFlags("orchard")).toEqual([]);

  for (const site of ["harbor", "lone"]) {
    for (let back = 3; back >= 0; back--) await send(site, back, { bomb: 1, signups: 20 });
  }
  await deps().follower.settle();
  expect(JSON.parse(await ask("/readyz"))).toMatchObject({ monitoring_failures: 0 });
  expect(await ask("/sites/harbor")).not.toContain("could not judge");
  expect(await ask("/sites/lone/flags")).not.toContain("Rules did not run");
  expect(await openFlags("harbor")).toEqual([]);
});
