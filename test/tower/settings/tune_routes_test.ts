import { describe, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../../src/access/audit.ts";
import type { UtcDay } from "../../../src/base/time.ts";
import type { FlagRow } from "../../../src/flags/flags.ts";
import { findFlag, listFlags } from "../../../src/flags/queries.ts";
import { insertOpenFlag, readHistory } from "../../../src/flags/store.ts";
import { DEFAULT_DOCUMENT } from "../../../src/sites/constants_document.ts";
import { flowThresholds } from "../../../src/sites/constants_store.ts";
import { attribute, parsed, rowsOf, tagged, textOf } from "../../support/html.ts";
import { newFlag } from "../../support/make/flag.ts";
import { judgeNightly, sendNightly } from "../../support/send_nightly.ts";
import { SettingsWalk } from "../../support/settings_walk.ts";

const TODAY = "2026-03-01" as UtcDay;
const METRIC = "sign ups/é 100%";
const PATH = `/sites/shop/metrics/${encodeURIComponent(METRIC)}/tune`;

/** A hundred days of forty a day, with 21 on two of them and a full stop on the last. */
async function withHistory(metric = METRIC): Promise<SettingsWalk> {
  const walk = await SettingsWalk.start();
  const counts = (back: number) => (back === 0 ? 0 : back === 20 || back === 60 ? 19 : 40);
  await sendNightly(walk.deps, "shop", TODAY, 100, { [metric]: counts });
  await judgeNightly(walk.deps, (asset, name) =>
    flowThresholds(walk.constants.current().constants, asset, "pulse", name),
  );
  return walk;
}

function dropOf(walk: SettingsWalk): FlagRow {
  const [flag] = listFlags(walk.deps.store.db, { asset: "shop", rule: "flow-drop", status: "open" }, 1);
  if (flag === undefined) throw new Error("no flag was raised");
  return flag;
}

/** The fields of the confirming form. */
function confirming(html: string): Record<string, string> {
  const post = tagged(parsed(html), "form").find(
    (held) => attribute(held, "method") === "post" && attribute(held, "action")?.endsWith("/tune"),
  );
  if (post === undefined) throw new Error("nothing to confirm");
  return Object.fromEntries(
    tagged(post, "input").map((input) => [attribute(input, "name") ?? "", attribute(input, "value") ?? ""]),
  );
}

describe("tuning a metric", () => {
  test("shows the thresholds in effect and the stored days they would have flagged", async () => {
    using walk = await withHistory();
    const html = await walk.page(PATH);
    expect(textOf(parsed(html))).toContain(
      "With the thresholds in effect this metric would have raised 3 flags in the 90 days to 28 Feb.",
    );
    expect(rowsOf(parsed(html), "Days with a flag").slice(1)).toHaveLength(3);
    expect(html).not.toContain('id="change"');
  });

  test("a proposal is an address: it says how many flags it would have raised instead, and shows the change (anchors 2.4, 4)", async () => {
    using walk = await withHistory();
    const html = await walk.page(`${PATH}?alpha=0.000000001`);
    const text = textOf(parsed(html));
    expect(text).toContain(
      "With alpha 1e-9 this metric would have raised 1 flag in the 90 days to 28 Feb instead of 3.",
    );
    expect(rowsOf(parsed(html), "On the stored days")[1]).toEqual(["Flags", "3", "1"]);
    expect(text).toContain('[assets."shop".flow_rules."sign ups/é 100%"]');
    expect(walk.file).toBe(DEFAULT_DOCUMENT);
  });

  test("confirming writes the metric's table under the operator's name, with an audit row", async () => {
    using walk = await withHistory();
    const fields = confirming(await walk.page(`${PATH}?alpha=0.001&max_window_days=7`));
    const response = await walk.post(PATH, fields);
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe(`${PATH}?done=tuned`);
    const now = flowThresholds(walk.constants.current().constants, "shop", "pulse", METRIC);
    expect(now).toMatchObject({ alpha: 0.001, max_window_days: 7 });
    expect(walk.constants.current().author).toBe("operator:ada");
    const [audit] = listAudit(walk.deps.store.db, { limit: 1 });
    expect(audit).toMatchObject({ act: "constants.save", actor: "operator:ada" });
    expect(JSON.parse(audit?.detail ?? "")).toEqual({
      version: 2,
      asset: "shop",
      metric: METRIC,
      changes: "alpha 0.01 to 0.001, max_window_days 14 to 7",
    });
  });

  test("from a flag, confirming also marks the flag as tuned, and its record says what was changed", async () => {
    using walk = await withHistory();
    const flag = dropOf(walk);
    const path = `/flags/${flag.id}/tune`;
    const html = await walk.page(`${path}?alpha=0.001`);
    // Shown on the day that the report of 04:00 mostly counts.
    expect(flag.message).toContain(" on 1 Mar");
    expect(textOf(parsed(html))).toContain(`Because of the flag ${flag.message.replace("1 Mar", "28 Feb")}`);
    const response = await walk.post(path, confirming(html));
    expect(response.headers.get("location")).toMatch(/^\/flags\/[^?]+\?told=tune\+1\+0\+[^+]+$/);
    expect(findFlag(walk.deps.store.db, flag.id)?.tuned_at).not.toBeNull();
    expect(JSON.stringify(readHistory(walk.deps.store.db, flag.id, 10))).toContain(
      "alpha 0.01 to 0.001; constants version 2",
    );
  });

  test("refused values stand at their fields and nothing can be confirmed", async () => {
    using walk = await withHistory();
    const response = await walk.get(`${PATH}?alpha=2&percent=x`);
    expect(response.status).toBe(422);
    const html = await response.text();
    expect(html).toContain("It must be a number from 0.000000000001 to 0.5.");
    expect(() => confirming(html)).toThrow();
    expect((await walk.post(PATH, { alpha: "2", digest: "" })).status).toBe(422);
  });

  test("when the document changed meanwhile nothing is saved and the change is shown on the new document", async () => {
    using walk = await withHistory();
    const fields = confirming(await walk.page(`${PATH}?alpha=0.001`));
    walk.file = `${DEFAULT_DOCUMENT}\n# a note\n`;
    const response = await walk.post(PATH, fields);
    expect(response.status).toBe(409);
    const html = await response.text();
    expect(html).toContain("The constants document changed meanwhile.");
    expect(walk.file).not.toContain("shop");
    expect((await walk.post(PATH, confirming(html))).status).toBe(303);
    expect(walk.file).toContain("# a note");
    expect(walk.file).toContain('"shop"');
  });

  test("while the file on disk has a mistake nothing can be written, and the page says so", async () => {
    using walk = await withHistory();
    walk.file = "alpha = ";
    const html = await walk.page(`${PATH}?alpha=0.001`);
    expect(html).toContain("is not in effect.");
    expect(() => confirming(html)).toThrow();
    const digest = walk.constants.document().digest;
    expect((await walk.post(PATH, { alpha: "0.001", digest })).status).toBe(409);
    expect(walk.file).toBe("alpha = ");
  });

  test("a metric named like a key of the rules is told to have no table", async () => {
    using walk = await withHistory("alpha");
    const html = await walk.page("/sites/shop/metrics/alpha/tune?alpha=0.001");
    expect(html).toContain("This metric cannot have its own thresholds");
    expect(() => confirming(html)).toThrow();
  });

  test("a metric that the report's next revision left out is still listed, and can be tuned", async () => {
    using walk = await withHistory();
    await sendNightly(walk.deps, "shop", TODAY, 1, { gone: () => 3 });
    await sendNightly(walk.deps, "shop", TODAY, 1, { [METRIC]: () => 3 });
    expect(await walk.page("/sites/shop/settings")).toContain('href="/sites/shop/metrics/gone/tune"');
    expect((await walk.get("/sites/shop/metrics/gone/tune")).status).toBe(200);
  });

  test("an unknown metric, site or flag is 404, and so is a flag whose rule has no thresholds", async () => {
    using walk = await withHistory();
    const { writer, store } = walk.deps;
    const silent = newFlag({ asset: "shop", rule: "stale-ingest", subject: "harbor" });
    await writer.write((tx) => insertOpenFlag(tx, "silent", silent, 0, "rule"));
    expect(findFlag(store.db, "silent")).toBeDefined();
    for (const path of [
      "/sites/shop/metrics/unheard/tune",
      `/sites/none/metrics/${encodeURIComponent(METRIC)}/tune`,
      "/sites/none/codebase/tune",
      "/flags/none/tune",
      "/flags/silent/tune",
    ]) {
      expect((await walk.get(path)).status).toBe(404);
    }
  });
});

describe("tuning the codebase rules", () => {
  test("a site without reports has nothing to try them on, and can be tuned all the same", async () => {
    using walk = await SettingsWalk.start();
    const html = await walk.page("/sites/shop/codebase/tune?growth_percent=40");
    expect(html).toContain("No data to preview");
    const response = await walk.post("/sites/shop/codebase/tune", confirming(html));
    expect(response.status).toBe(303);
    expect(walk.file).toContain('[assets."shop".codebase_rules]\ngrowth_percent = 40\n');
  });

  test("from a flag only the thresholds of its rule are offered", async () => {
    using walk = await SettingsWalk.start();
    const flag = newFlag({ asset: "shop", rule: "codebase-duplication" });
    await walk.deps.writer.write((tx) => insertOpenFlag(tx, "repeats", flag, 0, "rule"));
    const html = await walk.page("/flags/repeats/tune?duplication_percent=12");
    expect(Object.keys(confirming(html)).sort()).toEqual(["digest", "duplication_percent"]);
    await walk.post("/flags/repeats/tune", confirming(html));
    expect(findFlag(walk.deps.store.db, "repeats")?.tuned_at).not.toBeNull();
  });
});
