import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { UtcDay } from "../../../src/base/time.ts";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import { type TestGround, testGround } from "../../support/deps.ts";
import { attribute, byId, elements, textOf } from "../../support/html.ts";
import { fullPulse, pulse } from "../../support/make/pulse.ts";
import { accept, judgeAll, sendNights } from "../../support/nightly.ts";
import { setLifecycle } from "../../support/sites.ts";
import { type World, world } from "../../support/world.ts";

let ground: TestGround;
let site: World;
beforeAll(async () => {
  ground = await testGround();
  await ground.writer.write((tx) => ensureAssets(tx, ["tower", "ghost"], { actor: "test", now: 0 }));
  await setLifecycle(ground.writer, "ghost", "retired");
  await sendNights(ground, "harbor", { last: "2026-02-28" as UtcDay, days: 20 }, (back) =>
    back === 2 ? null : { metrics: { signups: { last24h: 10 } } },
  );
  await accept(ground, fullPulse({ generatedAt: "2026-03-01T02:30:00Z" }));
  await accept(
    ground,
    pulse({ generatedAt: "2026-03-01T03:30:00Z", metrics: { signups: { last24h: 15, total: 1_902 } } }),
  );
  await accept(ground, pulse({ asset: "ghost", generatedAt: "2026-01-01T03:30:00Z" }));
  await judgeAll(ground);
  site = await world({ ground });
});
afterAll(async () => {
  await site.stop();
  ground.store.close();
});

describe("/sites/{asset}", () => {
  test("has an ETag; the unchanged page costs a 304, and a change of range another", async () => {
    const etag = (await site.ask("/sites/harbor")).headers.get("etag") ?? "";
    expect((await site.ask("/sites/harbor", { headers: { "if-none-match": etag } })).status).toBe(304);
    expect((await site.ask("/sites/harbor?range=7", { headers: { "if-none-match": etag } })).status).toBe(
      200,
    );
  });

  test("of a retired site says that no report was due: none is expected any more, not yet", async () => {
    const page = textOf(await site.open("/sites/ghost"));
    expect(page).toContain("No nightly report was due.");
    expect(page).not.toContain("expected yet");
  });

  test("is 404 for a site that is not in the portfolio", async () => {
    expect((await site.ask("/sites/nowhere")).status).toBe(404);
    expect((await site.ask("/sites/nowhere/reports")).status).toBe(404);
  });
});

test.each([
  "/?sort=visitors-change&page=2",
  "/?sort=codebase&state=silent&lifecycle=live&alert=warn",
  "/sites/harbor?until=2026-02-20&sort=-week-change&page=9",
  "/sites/harbor/insights?report=none&sort=-clicks&q=cart&page=3",
  "/sites/harbor/reports?from=2026-02-28&to=2026-03-01",
  "/timeline?before=12&range=all&until=2026-02-20",
  "/sites/harbor/timeline?before=2026-02-20",
  "/flags?sort=newest&before=7",
])("%s, which was a link once, still opens", async (path) => {
  expect((await site.ask(path)).status).toBe(200);
});

describe("/sites/{asset}/reports/{date}/{revision}", () => {
  test.each(["2026-03-01/3", "2026-03-01/0", "2026-03-01/x", "2026-02-30/1", "codebase/2026-03-01/1"])(
    "%s is 404",
    async (place) => {
      expect((await site.ask(`/sites/harbor/reports/${place}`)).status).toBe(404);
    },
  );
});

describe("the portfolio", () => {
  test("shows the last 14 nights of each site; a retired one misses none", async () => {
    const tree = await site.open("/");
    const words = (asset: string) =>
      elements(byId(tree, `site-${asset}`), (element) => element.tagName === "svg")
        .map((svg) => attribute(svg, "aria-label"))
        .filter((label) => label?.startsWith("Of the last"));
    expect(words("harbor")).toEqual(["Of the last 14 nights 13 received, 1 missed"]);
    expect(words("ghost")).toEqual(["Of the last 14 nights 0 received, 0 missed"]);
    expect(words("orchard")).toEqual([]);
  });
});
