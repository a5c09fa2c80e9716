import { describe, expect, test } from "bun:test";
import { addDays, startOfDay, type UtcDay } from "../../../src/base/time.ts";
import type { NewFlag } from "../../../src/flags/flags.ts";
import { reconcileFlags } from "../../../src/flags/reconcile.ts";
import { insertOpenFlag, raiseResolved, resolveFlag } from "../../../src/flags/store.ts";
import { fresh } from "../../support/fresh.ts";
import { FIRES, judgedRule, newFlag } from "../../support/make/flag.ts";
import { timelineTower } from "./tower.ts";

const tower = fresh(timelineTower);

const TODAY = "2026-11-20" as UtcDay;
const noonOf = (day: UtcDay) => startOfDay(day) + 43_200_000;
const page = async (path = "/timeline") => (await tower.ask(path)).text();
/** The ids of what happened to flags, as the page lists it. */
const turnsIn = (html: string) =>
  [...html.matchAll(/ id="((?:raised|resolved)-[^"]+)"/g)].map((found) => found[1]);

async function raise(id: string, at: number, changes: Partial<NewFlag> = {}) {
  await tower.writer.write((tx): void =>
    insertOpenFlag(
      tx,
      id,
      newFlag({ rule: null, origin: "site", message: `About ${id}`, ...changes }),
      at,
      "site",
    ),
  );
}

describe("flags on the Timeline", () => {
  test("stand beside deploys: raised before resolved, the worst first within a day", async () => {
    await tower.keep([{ asset: "harbor", at: "2026-11-20T01:00:00Z", kind: "deploy", ref: "v7" }]);
    await raise("old", noonOf(addDays(TODAY, -2)), { severity: "error" });
    await raise("mild", noonOf(TODAY), { severity: "info" });
    await raise("bad", noonOf(TODAY) - 1_000, { severity: "error" });
    await raise("middling", noonOf(TODAY) - 2_000, { severity: "warn" });
    await tower.writer.write((tx): void => resolveFlag(tx, "old", "cleared", noonOf(TODAY), "rule"));
    const html = await page();
    expect(turnsIn(html)).toEqual([
      "raised-bad",
      "raised-middling",
      "raised-mild",
      "resolved-old",
      "raised-old",
    ]);
    expect(html.indexOf("v7")).toBeLessThan(html.indexOf("raised-bad"));
    expect(html).toContain('href="/flags/bad"');
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
    expect(await page()).not.toContain("last visit");
  });

  test("a lasting thing stands once, where it began and where it ended; a milestone once; what an old report said not at all", async () => {
    const { clock, ids } = tower;
    for (let night = 3; night >= 0; night--) {
      clock.at(`${addDays(TODAY, -night)}T02:00:00Z`);
      const verdict = night === 0 ? ({ state: "clear" } as const) : FIRES;
      await tower.writer.write((tx): void => {
        const judged = [judgedRule("codebase-duplication", verdict)];
        reconcileFlags(tx, {
          asset: "harbor",
          origin: "rule",
          judged,
          now: clock.now(),
          actor: "rule",
          newId: ids.uuid,
        });
      });
    }
    clock.at("2026-11-20T14:02:10Z");
    await tower.writer.write((tx): void => {
      const by = { now: noonOf(TODAY), actor: "rule" };
      const milestone = newFlag({ severity: "info", kind: "milestone", rule: null });
      raiseResolved(tx, milestone, { ...by, id: "passed", resolution: "milestone" });
      raiseResolved(tx, newFlag({ rule: null }), { ...by, id: "late", resolution: "older_report" });
    });
    const turns = turnsIn(await page());
    expect(turns.map((turn) => turn?.split("-")[0])).toEqual(["raised", "resolved", "raised"]);
    expect(turns[0]).toBe("raised-passed");
    expect(await page()).toContain("after 3 reports");
  });

  test("thirty of a day stay readable: five in sight, the rest behind one line, all of them where flags are asked for", async () => {
    for (let place = 0; place < 30; place++) {
      const severity = place < 2 ? "error" : place < 10 ? "warn" : "info";
      await raise(`f-${String(place).padStart(2, "0")}`, noonOf(TODAY) - place, { severity });
    }
    const html = await page();
    expect(turnsIn(html.slice(0, html.indexOf('<details class="items')))).toEqual(
      ["00", "01", "02", "03", "04"].map((place) => `raised-f-${place}`),
    );
    expect(html).toContain("<summary>25 more raised</summary>");
    const alone = await page("/timeline?kind=raised");
    expect(alone).not.toContain('<details class="items');
    expect(turnsIn(alone)).toHaveLength(30);
    expect(turnsIn(await page("/timeline?kind=raised&severity=error"))).toEqual([
      "raised-f-00",
      "raised-f-01",
    ]);
    expect(turnsIn(await page("/timeline?kind=resolved"))).toEqual([]);
    expect(turnsIn(await page("/timeline?kind=deploy"))).toEqual([]);
  });

  test("a site's timeline has its own flags and no other's; the entries for all sites have none", async () => {
    await raise("ours", noonOf(TODAY), { asset: "harbor" });
    await raise("theirs", noonOf(TODAY), { asset: "orchard" });
    expect(turnsIn(await page("/sites/harbor/timeline"))).toEqual(["raised-ours"]);
    expect(turnsIn(await page("/timeline?asset=orchard"))).toEqual(["raised-theirs"]);
    expect(turnsIn(await page("/timeline?asset=*"))).toEqual([]);
  });

  test("days of flags go on over pages by day, each once", async () => {
    for (let day = 0; day < 80; day++) {
      await raise(`a-${day}`, noonOf(addDays(TODAY, -day)));
      await raise(`b-${day}`, noonOf(addDays(TODAY, -day)) + 1);
    }
    const first = await page();
    const next = /href="(\/timeline\?page=2)"/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = await page(next);
    const all = [...turnsIn(first), ...turnsIn(second)];
    expect(new Set(all).size).toBe(160);
    expect(all).toHaveLength(160);
    expect(second).not.toContain("Earlier →");
  });
});
