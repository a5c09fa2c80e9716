/** A provider's figure beside a sent metric of the same name: on every page each is its own, with its own thresholds. */

import { describe, expect, test } from "bun:test";
import type { UtcDay } from "../../../src/base/time.ts";
import type { FlagRow } from "../../../src/flags/flags.ts";
import { listFlags } from "../../../src/flags/queries.ts";
import { FlowFollower } from "../../../src/rules/rules.ts";
import { flowThresholds } from "../../../src/sites/constants_store.ts";
import { laneKey, worstByLane } from "../../../src/tower/site/lanes.ts";
import { attribute, parsed, rowsOf, tagged, textOf } from "../../support/html.ts";
import { sendNightly } from "../../support/send_nightly.ts";
import { SettingsWalk } from "../../support/settings_walk.ts";
import { MISSING_DAY, pullSignals, told } from "../../support/signals.ts";

const TODAY = "2026-03-01" as UtcDay;
const SEARCH = { asset: "shop", source: "search-console" } as const;
const PATH = "/sites/shop/signals/search-console/clicks/tune";

/** A hundred days of clicks: thirty a day as the site counts them, sixty as search tells them, of which a day fell; ctr beside it. */
async function bothClicks(): Promise<SettingsWalk> {
  const walk = await SettingsWalk.start();
  await sendNightly(walk.deps, "shop", TODAY, 100, { clicks: () => 30 });
  await pullSignals(
    walk.deps,
    SEARCH,
    { last: TODAY, days: 100 },
    {
      clicks: (back) =>
        back < 3 ? told(40, "provisional") : back === 50 ? MISSING_DAY : told(back === 3 ? 20 : 60),
      ctr: (back) => told(0.1, back < 3 ? "provisional" : "final"),
    },
  );
  const follower = new FlowFollower({
    ...walk.deps,
    thresholdsOf: (asset, metric, source) =>
      flowThresholds(walk.constants.current().constants, asset, source, metric),
    isJudgedElsewhere: () => false,
  });
  await follower.settle();
  await follower.stop();
  return walk;
}

function dropOf(walk: SettingsWalk): FlagRow {
  const [flag, ...others] = listFlags(walk.deps.store.db, { asset: "shop", status: "open" }, 9);
  if (flag === undefined || others.length > 0) throw new Error(`${others.length + 1} flags are open`);
  return flag;
}

function confirming(html: string): Record<string, string> {
  const post = tagged(parsed(html), "form").find(
    (held) => attribute(held, "method") === "post" && attribute(held, "action")?.endsWith("/tune"),
  );
  if (post === undefined) throw new Error("nothing to confirm");
  return Object.fromEntries(
    tagged(post, "input").map((input) => [attribute(input, "name") ?? "", attribute(input, "value") ?? ""]),
  );
}

const links = (html: string) => tagged(parsed(html), "a").map((link) => attribute(link, "href") ?? "");

describe("tuning a provider's figure", () => {
  test("from its flag is tried on its own stored days and written under its source; the sent metric keeps what it had", async () => {
    using walk = await bothClicks();
    const flag = dropOf(walk);
    expect(flag).toMatchObject({ rule: "flow-drop", source: "search-console", metric: "clicks" });
    const path = `/flags/${flag.id}/tune`;
    const text = textOf(parsed(await walk.page(path)));
    expect(text).toContain("Tune clicks (search console)");
    expect(text).toContain("would have raised 1 flag in the 90 days to 26 Feb.");
    expect(text).toContain("a day is missing");
    const html = await walk.page(`${path}?alpha=0.000000000001`);
    expect(textOf(parsed(html))).toContain('[assets."shop".signal_rules."search-console"."clicks"]');
    const response = await walk.post(path, confirming(html));
    expect(response.status).toBe(303);
    const now = (source: string) =>
      flowThresholds(walk.constants.current().constants, "shop", source, "clicks").alpha;
    expect([now("search-console"), now("webmaster-tools"), now("pulse")]).toEqual([1e-12, 0.01, 0.01]);
    expect(listFlags(walk.deps.store.db, { asset: "shop" }, 1)[0]?.tuned_at).not.toBeNull();
  });

  test("by its own address is of that source; a figure that is no count, or that nobody told, has none", async () => {
    using walk = await bothClicks();
    expect(textOf(parsed(await walk.page(`${PATH}?alpha=0.2`)))).toContain(
      "With alpha 0.2 this metric would have raised",
    );
    for (const of of ["search-console/ctr", "analytics/sessions", "pulse/clicks", "search-console/visits"]) {
      const response = await walk.get(`/sites/shop/signals/${of}/tune`);
      expect([of, response.status]).toEqual([of, 404]);
    }
  });
});

describe("beside a sent metric of its name", () => {
  test("the calibration page lists both, each with its own way to be tuned, and no ratio", async () => {
    using walk = await bothClicks();
    const html = await walk.page("/settings/calibration");
    const rows = rowsOf(parsed(html), "Metrics to tune").slice(1);
    expect(rows.map(([metric]) => metric).sort()).toEqual(["clicks", "clicks (search console)"]);
    expect(links(html)).toContain(PATH);
    expect(links(html)).toContain("/sites/shop/metrics/clicks/tune");
    expect(rowsOf(parsed(html), "Metrics that are not tested")).toContainEqual(["not a count", "1"]);
    expect(rowsOf(parsed(html), "Calibration")[1]?.slice(0, 3)).toEqual(["7 days", "73", "1"]);
  });

  test("the settings of the site offer both, and name an override with its source", async () => {
    using walk = await bothClicks();
    const tune = await walk.page(`${PATH}?alpha=0.001`);
    await walk.post(PATH, confirming(tune));
    const html = await walk.page("/sites/shop/settings");
    expect(links(html)).toContain(PATH);
    expect(links(html)).toContain("/sites/shop/metrics/clicks/tune");
    expect(links(html)).not.toContain("/sites/shop/signals/search-console/ctr/tune");
    expect(textOf(parsed(html))).toContain("signal_rules.alpha");
    expect(textOf(parsed(html))).toContain("clicks (search console)");
  });

  test("the inbox says whose figure it is and can be narrowed to it", async () => {
    using walk = await bothClicks();
    const title = "Search console clicks down 67% (20 on 26 Feb, normally about 60)";
    expect(textOf(parsed(await walk.page("/flags?source=search-console")))).toContain(title);
    expect(textOf(parsed(await walk.page("/flags?source=pulse")))).not.toContain(title);
    expect(textOf(parsed(await walk.page("/flags?source=pulse")))).toContain("Figures from: the site");
  });

  test("its flag belongs to its own chart", async () => {
    using walk = await bothClicks();
    expect([...worstByLane(walk.deps.store.db, "shop")]).toEqual([
      [laneKey("search-console", "clicks"), "warn"],
    ]);
  });
});
