import { afterEach, beforeEach, expect, test } from "bun:test";
import { findFlag } from "../../../src/flags/queries.ts";
import { resolveFlag } from "../../../src/flags/store.ts";
import { attribute, byId, elements, parsed, tagged, textOf } from "../../support/html.ts";
import { flagFaults } from "../../support/read_models.ts";
import { type World, world } from "../../support/world.ts";

let site: World;
beforeEach(async () => {
  site = await world();
  await site.raise("one", { severity: "error" });
  site.clock.advance(3_600_000);
});
afterEach(async () => {
  expect(flagFaults(site.store.db)).toEqual([]);
  await site.close();
});

const HTMX = { "hx-request": "true" };
const stored = (id = "one") => findFlag(site.store.db, id);
const page = (path: string, headers: Record<string, string> = {}) => site.open(path, { headers });
const rowsOf = (tree: ReturnType<typeof parsed>) =>
  elements(tree, (element) => attribute(element, "data-row") !== undefined).map((row) =>
    (attribute(row, "id") ?? "").slice("open-".length),
  );

test("PUT sets, DELETE takes back", async () => {
  expect((await site.ask("/flags/one/acknowledgement", { method: "PUT", headers: HTMX })).status).toBe(200);
  expect(stored()?.acked_by).toBe("ada");
  expect(
    (await site.ask("/flags/one/acknowledgement", { as: "ben", method: "DELETE", headers: HTMX })).status,
  ).toBe(200);
  expect(stored()?.acked_by).toBeNull();
});

test("htmx gets the flag, and the list and the counts with it", async () => {
  const response = await site.ask("/flags/one/resolution", { method: "PUT", headers: HTMX });
  const tree = parsed(await response.text());
  expect(textOf(byId(tree, "flag"))).toContain("Resolved by hand.");
  expect(attribute(byId(tree, "flags-list"), "hx-swap-oob")).toBe("outerMorph");
  expect(textOf(byId(tree, "flags-head"))).toContain("Resolved 1");
  expect(textOf(tagged(tree, "title")[0] ?? tree)).toContain("No open flags");
  expect(tagged(tree, "html")).toEqual([]);
});

test("the loser of a race gets 409 with the row as it is", async () => {
  const opened = await page("/flags/one");
  const seen =
    elements(opened, (element) => attribute(element, "name") === "seen").map((e) =>
      attribute(e, "value"),
    )[0] ?? "";
  await site.ask("/flags/one/acknowledgement", { form: { seen } });
  const late = await site.ask("/flags/one/snooze", { as: "ben", form: { seen, days: "1" }, headers: HTMX });
  expect(late.status).toBe(409);
  const tree = parsed(await late.text());
  expect(textOf(byId(tree, "flag-told"))).toContain("Nothing was changed");
  expect(textOf(byId(tree, "flag"))).toContain("Acknowledged by ada");
  expect(stored()?.snoozed_until).toBeNull();
});

test("a flag that its rule resolved offers no reopening, and refuses it with what it is now", async () => {
  await site.writer.write((tx): void => resolveFlag(tx, "one", "cleared", site.clock.now(), "rule"));
  expect(tagged(byId(await page("/flags/one"), "flag"), "button").map(textOf)).not.toContain("Raise again");
  const response = await site.ask("/flags/one/resolution", { method: "DELETE" });
  expect(response.status).toBe(409);
  expect(textOf(byId(parsed(await response.text()), "flag-told"))).toContain("this flag was resolved");
});

test("the key t on a row leads to its rule's thresholds, or to the flag where there are none", async () => {
  await site.raise("milestone", { rule: "stale-ingest", subject: "2" });
  const leadsTo = async (id: string) => {
    const response = await site.ask(`/flags/${id}?act=tune`);
    return [response.status, response.headers.get("location")];
  };
  expect(await leadsTo("one")).toEqual([303, "/flags/one/tune"]);
  expect(await leadsTo("milestone")).toEqual([200, null]);
});

/** Sends what is ticked. */
const bulk = (fields: readonly (readonly [string, string])[]) =>
  site.ask("/flags/dispositions", { form: new URLSearchParams(fields.map(([k, v]) => [k, v])) });

test("an unknown act, and more flags than a page holds, are refused", async () => {
  expect(
    (
      await bulk([
        ["act", "delete"],
        ["flag", "one"],
      ])
    ).status,
  ).toBe(400);
  const many = Array.from({ length: 201 }, (_, i) => ["flag", `f${i}`] as const);
  expect((await bulk([["act", "acknowledge"], ...many])).status).toBe(400);
  expect((await bulk([["act", "acknowledge"], ...many.slice(1)])).status).toBe(303);
});

test("nothing ticked says so", async () => {
  const tree = parsed(
    await (
      await site.ask("/flags/dispositions", { form: { act: "snooze", days: "1" }, headers: HTMX })
    ).text(),
  );
  expect(textOf(byId(tree, "flags-told"))).toBe("Select flags first.");
});

test("an act on selected flags brings the opened one anew where it is among them", async () => {
  const form = { act: "acknowledge", flag: "one" };
  const answer = await site.ask("/flags/dispositions?open=one", { form, headers: HTMX });
  expect(textOf(byId(parsed(await answer.text()), "flag"))).toContain("Acknowledged by ada");
});

test("pages hold fifty, and a page beyond the end is the last", async () => {
  for (let i = 0; i < 60; i++) await site.raise(`p${i}`, { subject: `p${i}` });
  expect(rowsOf(await page("/flags"))).toHaveLength(50);
  const seen = new Set([...rowsOf(await page("/flags")), ...rowsOf(await page("/flags?page=2"))]);
  expect(seen.size).toBe(61);
  expect(rowsOf(await page("/flags?page=99"))).toHaveLength(11);
});
