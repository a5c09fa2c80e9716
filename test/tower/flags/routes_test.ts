/**
 * Flags over their life on the pages, recorded: a lasting thing with its earlier readings, acts that come too late, and lists of addresses.
 * After a change that is meant, `bun test test/tower/flags/routes_test.ts --update-snapshots` writes it anew; the difference is to be read
 * like code.
 */

import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Severity } from "../../../src/flags/flags.ts";
import { listInbox } from "../../../src/flags/inbox.ts";
import { type JudgedRule, reconcileFlags, type Verdict } from "../../../src/flags/reconcile.ts";
import { resolveFlag } from "../../../src/flags/store.ts";
import { type Acts, actsAt } from "../../support/acts.ts";
import { attribute, elements } from "../../support/html.ts";
import { CLEAR } from "../../support/make/flag.ts";
import { flagFaults } from "../../support/read_models.ts";
import { words } from "../../support/words.ts";
import { type World, world } from "../../support/world.ts";

const DAY = 86_400_000;

let site: World;
let acts: Acts;
let nights: number;
beforeEach(async () => {
  site = await world();
  acts = actsAt(site);
  nights = 0;
});
afterEach(async () => {
  expect(flagFaults(site.store.db)).toStrictEqual([]);
  await site.close();
});

function judge(judged: Pick<JudgedRule, "rule" | "source" | "metric">, verdict: Verdict): Promise<unknown> {
  const of = { ...judged, subject: judged.metric ?? "", verdict };
  const by = { now: site.clock.now(), actor: "rule", newId: () => `n${nights}` };
  return site.writer.write((tx) =>
    reconcileFlags(tx, { asset: "harbor", origin: "rule", judged: [of], ...by }),
  );
}

/** A night on which the site's report is judged; the flag it raises is `n1`, `n2` and so on. */
async function night(severity: Severity | null = "warn"): Promise<void> {
  site.clock.advance(DAY);
  nights++;
  const fires = { state: "fires", kind: "anomaly", message: `Reading ${nights}.`, inputs: {} } as const;
  const of = { rule: "flow-drop", source: "pulse", metric: "signups" } as const;
  await judge(of, severity === null ? CLEAR : { ...fires, severity });
}

const listed = async (path: string) =>
  elements(await site.open(path), (element) => attribute(element, "data-row") !== undefined).map((row) =>
    (attribute(row, "id") ?? "").slice("open-".length),
  );

test("five dead nights are one flag with its earlier readings, and a worse one is raised again", async () => {
  for (let count = 0; count < 5; count++) await night();
  await acts.watch("/flags", "/sites/harbor/flags", "/timeline", "/flags/n5");
  for (const empty of words("snoozed resolved open&asset=orchard")) await acts.look(`/flags?status=${empty}`);
  await acts.send("/flags/n5", "/flags/n5/incident", { text: "INC-7" });
  await night();
  await acts.send("/flags/n6", "/flags/n6/acknowledgement", {});
  await night();
  await acts.look("/flags/n7");
  await night("error");
  await acts.look("/flags/n8");
  await night(null);
  await acts.watch("/flags", "/flags?status=resolved", "/timeline");
  for (const path of ["/api/flags?source=pulse&limit=2", "/api/flags/n8"])
    expect(await (await site.ask(path)).json()).toMatchSnapshot();
  expect(acts.recorded()).toMatchSnapshot();
});

test("a reading that was over says that another came", async () => {
  for (const severity of ["warn", null, "warn"] as const) await night(severity);
  expect(await (await site.ask("/flags/n1")).text()).toContain("Raised again later.");
});

test("acts on an earlier reading, on a flag that was changed or resolved meanwhile, and by htmx on several", async () => {
  await night();
  await night();
  await acts.look("/flags/n1?severity=warn");
  const incident = { form: { text: "INC-7" } };
  await acts.swap("/flags/n1/incident", incident);
  await acts.send("/flags/n1", "/flags/n1/incident", incident.form);
  const several = new URLSearchParams([
    ["act", "acknowledge"],
    ["flag", "n1"],
    ["flag", "n2"],
  ]);
  await acts.swap("/flags/dispositions?open=n2", { form: several });
  await site.raise("one", { severity: "error" });
  const seen = await acts.found("/flags/one", /name="seen" value="([^"]*)"/);
  await acts.send("/flags/one", "/flags/one/acknowledgement", { seen });
  await acts.swap("/flags/one/snooze", { as: "ben", form: { seen, days: "1" } });
  await site.writer.write((tx): void => resolveFlag(tx, "one", "cleared", site.clock.now(), "rule"));
  await acts.look("/flags/one");
  await acts.swap("/flags/one/resolution", { method: "DELETE" });
  const late = { act: "acknowledge", flag: "one" };
  await acts.swap("/flags/dispositions?site=harbor&open=n2", { form: late });
  await acts.send("/flags/one", "/flags/dispositions?open=one", late);
  expect(acts.recorded()).toMatchSnapshot();
});

test("what a crawler met is text, the first fifty of it; inputs of another release show none of it", async () => {
  const many = Array.from({ length: 50 }, (_, n) => `https://x/${n}`);
  for (const [place, rule_inputs] of [
    { urls: many, url_count: 73 },
    { urls: [1, "https://x/<script>alert(1)</script>", null], url_count: 1 },
    { urls: "x", url_count: 1 },
    { urls: ["https://x/"] },
  ].entries()) {
    const rule = "url_count" in rule_inputs ? "provider-issue" : "formerly";
    const of = { rule, origin: "provider", subject: `${place}`, rule_inputs } as const;
    await site.raise(`issue-${place}`, of);
    await acts.look(`/flags/issue-${place}`);
  }
  expect(acts.recorded()).toMatchSnapshot();
});

test("the key t on a row leads to its rule's thresholds, or to the flag where there are none", async () => {
  await site.raise("one", { severity: "error" });
  await site.raise("milestone", { rule: "stale-ingest", subject: "2" });
  const leadsTo = async (id: string) => (await site.ask(`/flags/${id}?act=tune`)).headers.get("location");
  expect([await leadsTo("one"), await leadsTo("milestone")]).toEqual(["/flags/one/tune", null]);
});

test("a page holds fifty, and a page beyond the end is the last; without a filter the first is shown; an act takes two hundred at most", async () => {
  for (let place = 0; place < 61; place++) await site.raise(`p${place}`, { subject: `p${place}` });
  const pages = await Promise.all(["", "?page=2", "?page=99"].map((query) => listed(`/flags${query}`)));
  expect(pages.map(({ length }) => length)).toEqual([50, 11, 11]);
  expect(new Set(pages.flat()).size).toBe(61);
  const narrowed = await (await site.ask("/flags?severity=warn&page=2")).text();
  expect(narrowed).not.toContain('href="/flags?page=2"');
  const many = (count: number) =>
    Array.from({ length: count }, (_, i): [string, string] => ["flag", `f${i}`]);
  const bulk = async (count: number) => {
    const form = new URLSearchParams([["act", "acknowledge"], ...many(count)]);
    return (await site.ask("/flags/dispositions", { form })).status;
  };
  expect([await bulk(200), await bulk(201)]).toEqual([303, 400]);
});

test("flags stand in the order of `/`, `GET /api/attention` and the notices; those beyond the ranking follow it, worst first", async () => {
  const flow = (seen: number) => ({
    rule: "flow-drop",
    severity: "warn" as const,
    rule_inputs: { observed: { to: "2026-02-28", count: seen }, expected: 100 },
  });
  await site.raise("small", { ...flow(80), asset: "harbor", subject: "a", metric: "a" });
  await site.raise("great", { ...flow(1), asset: "orchard", subject: "a", metric: "a" });
  await site.raise("beside", { ...flow(90), asset: "orchard", subject: "b", metric: "b" });
  site.clock.advance(DAY);
  await site.raise("middle", { ...flow(40), asset: "harbor", subject: "b", metric: "b" });
  await site.raise("worst", { asset: "harbor", subject: "c", severity: "error" });
  // `beside` is the mildest of all and stands second to the flag that it shares its cause with.
  const order = ["worst", "middle", "great", "beside", "small"];
  const { items } = (await (await site.ask("/api/attention")).json()) as { items: { flags: string[] }[] };
  expect([await listed("/flags"), items.flatMap(({ flags }) => flags)]).toEqual([order, order]);
  expect(await listed("/sites/harbor/flags")).toEqual(["worst", "middle", "small"]);
  const page = (offset: number, limit: number) => {
    const cut = { now: site.clock.now(), offset, limit, ranked: ["beside", "gone", "beside"] };
    return listInbox(site.store.db, { status: "open" }, cut).map(({ id }) => id);
  };
  const all = page(0, 9);
  expect(all).toEqual(["beside", "worst", "middle", "small", "great"]);
  for (const limit of [1, 2, 3, 4])
    for (const offset of [0, 1, 2, 3, 4, 5])
      expect(page(offset, limit)).toEqual(all.slice(offset, offset + limit));
});
