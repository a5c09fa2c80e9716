/** Flags lists the open flags in the one order of `/`, `GET /api/attention` and the notices. */

import { expect, test } from "bun:test";
import { listInbox } from "../../../src/flags/inbox.ts";
import { fresh } from "../../support/fresh.ts";
import { attribute, elements } from "../../support/html.ts";
import { world } from "../../support/world.ts";

const site = fresh(world);

const listed = async (path: string) =>
  elements(await site.open(path), (element) => attribute(element, "data-row") !== undefined).map((row) =>
    (attribute(row, "id") ?? "").slice("open-".length),
  );

/** Flags of two sites and two days; a size is told by what was seen of 100. */
async function raise(): Promise<void> {
  const flow = (seen: number) => ({
    rule: "flow-drop",
    severity: "warn" as const,
    rule_inputs: { observed: { to: "2026-02-28", count: seen }, expected: 100 },
  });
  await site.raise("small", { ...flow(80), asset: "harbor", subject: "a", metric: "a" });
  await site.raise("great", { ...flow(1), asset: "orchard", subject: "a", metric: "a" });
  await site.raise("beside", { ...flow(90), asset: "orchard", subject: "b", metric: "b" });
  site.clock.advance(86_400_000);
  await site.raise("middle", { ...flow(40), asset: "harbor", subject: "b", metric: "b" });
  await site.raise("worst", { asset: "harbor", subject: "c", severity: "error" });
}

test("a flag's place is that of its entry, then its place within the entry", async () => {
  await raise();
  // `beside` is the mildest of all and stands second to the flag that it shares its cause with.
  const order = ["worst", "middle", "great", "beside", "small"];
  expect(await listed("/flags")).toEqual(order);
  const { items } = (await (await site.ask("/api/attention")).json()) as { items: { flags: string[] }[] };
  expect(items.flatMap(({ flags }) => flags)).toEqual(order);
  expect(await listed("/flags?asset=orchard")).toEqual(["great", "beside"]);
  expect(await listed("/sites/harbor/flags")).toEqual(["worst", "middle", "small"]);
});

test("of what is as bad a site comes first at once that is given more weight", async () => {
  for (const asset of ["harbor", "orchard"]) await site.raise(asset, { asset, severity: "error" });
  expect(await listed("/flags")).toEqual(["harbor", "orchard"]);
  const { constants } = site.deps;
  await constants.save("assets.orchard.weight = 9", { author: "ada" }, constants.document().digest);
  expect(await listed("/flags")).toEqual(["orchard", "harbor"]);
});

test("what somebody acknowledged gives way within its severity", async () => {
  await raise();
  await site.ask("/flags/great/acknowledgement", { method: "PUT" });
  expect((await listed("/flags")).at(-1)).toBe("great");
});

test("flags beyond the ranking follow it, worst first", async () => {
  await raise();
  const now = site.clock.now();
  const page = (offset: number, limit: number) =>
    listInbox(
      site.store.db,
      { status: "open" },
      { now, offset, limit, ranked: ["beside", "gone", "beside"] },
    ).map(({ id }) => id);
  const all = page(0, 9);
  expect(all.slice(0, 3)).toEqual(["beside", "worst", "middle"]);
  expect(all).toHaveLength(5);
  for (const limit of [1, 2, 3, 4])
    expect([0, 1, 2, 3, 4, 5].map((offset) => page(offset, limit))).toEqual(
      [0, 1, 2, 3, 4, 5].map((offset) => all.slice(offset, offset + limit)),
    );
});
