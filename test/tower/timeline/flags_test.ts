import { expect, test } from "bun:test";
import { addDays, startOfDay, type UtcDay } from "../../../src/base/time.ts";
import { insertOpenFlag, raiseResolved, resolveFlag } from "../../../src/flags/store.ts";
import { actsAt } from "../../support/acts.ts";
import { fresh } from "../../support/fresh.ts";
import { newFlag } from "../../support/make/flag.ts";
import { timelineTower } from "./tower.ts";

const tower = fresh(timelineTower);

const TODAY = "2026-11-20" as UtcDay;
const noonOf = (day: UtcDay) => startOfDay(day) + 43_200_000;
/** The ids of what happened to flags, as a page lists it. */
const turnsIn = (html: string) =>
  [...html.matchAll(/ id="((?:raised|resolved)-[^"]+)"/g)].map((found) => found[1]);

const raise = (id: string, at: number, severity: "error" | "warn" | "info" = "warn") =>
  tower.writer.write((tx): void => {
    const of = { rule: null, origin: "site", message: `About ${id}`, severity } as const;
    insertOpenFlag(tx, id, newFlag(of), at, "site");
  });

test("flags stand beside deploys, the worst of a day first, resolved after raised; a milestone once, what an old report said not at all", async () => {
  const acts = actsAt(tower);
  await tower.keep([{ asset: "harbor", at: "2026-11-20T01:00:00Z", kind: "deploy", ref: "v7" }]);
  await raise("old", noonOf(addDays(TODAY, -2)), "error");
  for (const [place, severity] of (["info", "error", "warn"] as const).entries())
    await raise(severity, noonOf(TODAY) - place, severity);
  await tower.writer.write((tx): void => {
    resolveFlag(tx, "old", "cleared", noonOf(TODAY), "rule");
    const by = { now: noonOf(TODAY), actor: "rule" };
    const milestone = newFlag({ severity: "info", kind: "milestone", rule: null });
    raiseResolved(tx, milestone, { ...by, id: "passed", resolution: "milestone" });
    raiseResolved(tx, newFlag({ rule: null }), { ...by, id: "late", resolution: "older_report" });
  });
  for (const query of ["", "?kind=raised&severity=error", "?kind=resolved", "?kind=deploy", "?asset=*"])
    await acts.look(`/timeline${query}`);
  expect(acts.recorded()).toMatchSnapshot();
});

test("what came since the visit before is a filter, which lists just that", async () => {
  const { clock } = tower;
  const before = clock.now() - 3_600_000;
  await raise("seen", before - 1_000);
  await tower.keep([{ asset: "harbor", at: "2026-11-20T01:00:00Z", kind: "deploy", ref: "late-entry" }]);
  await raise("fresh", before + 1_000);
  const headers = { cookie: `visit=${before}.${clock.now()}` };
  const open = async (path: string) => (await tower.ask(path, { headers })).text();
  const link = /href="([^"]+)"[^>]*><span title="Since your last visit[^>]*>New since last visit</.exec(
    await open("/timeline"),
  );
  const html = await open((link?.[1] ?? "").replaceAll("&amp;", "&"));
  expect(turnsIn(html)).toEqual(["raised-fresh"]);
  expect(html).toContain("late-entry");
  expect(html).toContain("Remove the filter New since: 20 Nov 13:02");
  expect(html).toMatch(/href="\/timeline"[^>]*><span title="Since your last visit/);
  expect(await (await tower.ask("/timeline")).text()).not.toContain("last visit");
});

test("days of flags go on over pages by day, each once", async () => {
  for (let day = 0; day < 80; day++) {
    await raise(`a-${day}`, noonOf(addDays(TODAY, -day)));
    await raise(`b-${day}`, noonOf(addDays(TODAY, -day)) + 1);
  }
  const pages = await Promise.all(
    ["", "?page=2"].map(async (at) => (await tower.ask(`/timeline${at}`)).text()),
  );
  const all = pages.flatMap(turnsIn);
  expect([all.length, new Set(all).size]).toEqual([160, 160]);
});
