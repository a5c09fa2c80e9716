import { expect, test } from "bun:test";
import { fresh } from "../../support/fresh.ts";
import { readAloud } from "../../support/html.ts";
import { world } from "../../support/world.ts";

const site = fresh(world);
const orders = (day: string, total: number) =>
  site.report("/api/pulse", {
    asset: "harbor",
    generatedAt: `${day}T02:30:00Z`,
    metrics: { orders: { last24h: 20, total } },
  });

test("a flag in the table of days is named by the rule that raised it; without one it is the site's", async () => {
  for (const [day, total] of [
    ["2026-02-28", 900],
    ["2026-03-01", 5_100],
  ] as const)
    expect((await orders(day, total)).status).toBe(201);
  await site.deps.follower.settle();
  const page = async () => {
    const lines = readAloud(await site.open("/sites/harbor/metric?metric=orders"));
    const start = lines.findIndex((line) => line.includes("id days"));
    return lines.slice(start).join(" ");
  };
  expect(await page()).toContain("Milestone total");
  expect(await page()).not.toContain("Flag of the site");
  await site.raise("own", { metric: "orders", rule: null, rule_inputs: { report: { date: "2026-02-28" } } });
  expect(await page()).toContain("Flag of the site");
});
