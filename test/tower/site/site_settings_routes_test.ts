import { describe, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../../src/access/audit.ts";
import { findFlag } from "../../../src/flags/queries.ts";
import { insertOpenFlag } from "../../../src/flags/store.ts";
import { DEFAULT_DOCUMENT } from "../../../src/sites/constants_document.ts";
import { parseConstants } from "../../../src/sites/constants_parse.ts";
import { addAsset } from "../../../src/sites/site_changes.ts";
import { issueSiteToken, listTokens } from "../../../src/sites/site_tokens.ts";
import { findAsset } from "../../../src/sites/sites.ts";
import { overridesOf } from "../../../src/tower/site/thresholds.tsx";
import { attribute, byId, parsed, rowsOf, tagged, textOf } from "../../support/html.ts";
import { newFlag } from "../../support/make/flag.ts";
import { SettingsWalk } from "../../support/settings_walk.ts";

const PATH = "/sites/shop/settings";
const shop = (walk: SettingsWalk) => findAsset(walk.deps.store.db, "shop");

describe("a site's settings", () => {
  test("address and lifecycle are changed by a form, and the audit says by whom", async () => {
    using walk = await SettingsWalk.start();
    const response = await walk.post(PATH, { url: "https://new.example", lifecycle: "retired" });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe(`${PATH}?done=site-changed`);
    expect(shop(walk)).toMatchObject({ url: "https://new.example", lifecycle: "retired" });
    // Nothing is expected of it any more that could be paused.
    expect(await walk.page(PATH)).not.toContain("Pause this site");
    const [audit] = listAudit(walk.deps.store.db, { limit: 1 });
    expect(audit).toMatchObject({ act: "asset.change", actor: "operator:ada", target: "shop" });
    await walk.post(PATH, { url: "", lifecycle: "live" });
    expect(shop(walk)).toMatchObject({ url: null, lifecycle: "live" });
    expect(await walk.page(PATH)).toContain("Pause this site");
  });

  test("its group is a field of the same form: it is offered, kept, taken out, and read by the API", async () => {
    using walk = await SettingsWalk.start();
    const save = (group: string) =>
      walk.post(PATH, { url: "https://shop.example/", group, lifecycle: "live" });
    const listed = async (query: string) =>
      ((await (await walk.get(`/api/assets${query}`)).json()) as { items: { id: string; group: unknown }[] })
        .items;
    const hostile = `<b>"Åsa" & عميل 👩‍🌾</b>`;
    expect((await save(`  ${hostile.normalize("NFD")} `)).status).toBe(303);
    expect(shop(walk)?.group).toBe(hostile);
    const page = parsed(await walk.page(PATH));
    expect(attribute(byId(page, "group"), "value")).toBe(hostile);
    expect(tagged(byId(page, "groups"), "option").map((option) => attribute(option, "value"))).toEqual([
      hostile,
    ]);
    expect(await listed(`?group=${encodeURIComponent(hostile)}`)).toMatchObject([
      { id: "shop", group: hostile },
    ]);
    expect(await listed("?group=other")).toEqual([]);
    // A form of before that does not name it leaves it as it is.
    await walk.post(PATH, { url: "", lifecycle: "live" });
    expect(shop(walk)).toMatchObject({ url: null, group: hostile });
    expect((await save("")).status).toBe(303);
    expect(await listed("?asset=shop")).toMatchObject([{ group: null }]);
  });

  test("a group's name has 200 characters at most and none of control; what was typed stays", async () => {
    using walk = await SettingsWalk.start();
    const save = (group: string) => walk.post(PATH, { url: "", group, lifecycle: "live" });
    expect((await save("👩".repeat(200))).status).toBe(303);
    for (const [typed, words] of [
      ["a".repeat(201), "It must have at most 200 characters."],
      ["a\u0007b", "It must be a name without control characters."],
    ] as const) {
      const refused = await save(typed);
      expect(refused.status).toBe(422);
      const page = parsed(await refused.text());
      expect(textOf(byId(page, "group-error"))).toBe(words);
      expect(attribute(byId(page, "group"), "value")).toBe(typed);
    }
    expect(shop(walk)?.group).toBe("👩".repeat(200));
  });

  test("retiring it resolves its open flags and what is said of its silence, in the same write", async () => {
    using walk = await SettingsWalk.start();
    const { writer, store } = walk.deps;
    await writer.write((tx): void => {
      insertOpenFlag(tx, "own", newFlag({ asset: "shop" }), 0, "rule");
      const silence = newFlag({ asset: "tower", rule: "stale-ingest", subject: "shop" });
      insertOpenFlag(tx, "silence", silence, 0, "rule");
    });
    await walk.post(PATH, { url: "", lifecycle: "retired" });
    for (const id of ["own", "silence"]) {
      expect(findFlag(store.db, id)).toMatchObject({ status: "resolved", resolution: "retired" });
    }
  });

  test("a site that never reported can be taken out with its tokens; one that has flags is to be retired", async () => {
    using walk = await SettingsWalk.start();
    const { writer, store } = walk.deps;
    await issueSiteToken(walk.deps, "shop", { actor: "test", now: 1 });
    expect(await walk.page(PATH)).toContain("Nothing was ever reported for it.");
    await writer.write((tx): void => insertOpenFlag(tx, "own", newFlag({ asset: "shop" }), 0, "rule"));
    expect(await walk.page(PATH)).toContain("which are never erased");
    expect((await walk.post(`${PATH}/removal`, {})).status).toBe(409);
    expect(shop(walk)).toBeDefined();
    store.raw.run("DELETE FROM flag");
    expect((await walk.post(`${PATH}/removal`, {})).headers.get("location")).toBe("/?done=site-removed");
    expect([shop(walk), listTokens(store.db, { asset: "shop", revoked: true })]).toEqual([undefined, []]);
    expect((await walk.post(`${PATH}/removal`, {})).status).toBe(404);
  });

  test("what is refused stands at its field, keeps what was typed and changes nothing", async () => {
    using walk = await SettingsWalk.start();
    const response = await walk.post(PATH, { url: "javascript:alert(1)", lifecycle: "asleep" });
    expect(response.status).toBe(422);
    const text = await response.text();
    expect(text).toContain("It must be an http or https address");
    expect(text).toContain("It must be one of live, pre-launch, retired.");
    expect(text).toContain('value="javascript:alert(1)"');
    expect((await walk.post(PATH, { url: "", lifecycle: " retired" })).status).toBe(422);
    expect(shop(walk)).toMatchObject({ url: "https://shop.example/", lifecycle: "live" });
  });

  test("metric families are added with their storage kind, and taken out, down to none", async () => {
    using walk = await SettingsWalk.start();
    await walk.post(`${PATH}/families`, { family: "signups", storage: "d1" });
    await walk.post(`${PATH}/families`, { family: "page views", storage: "kv" });
    expect(rowsOf(parsed(await walk.page(PATH)), "Metric families").slice(1)).toEqual([
      ["page views", "kv", "Remove the family page views"],
      ["signups", "d1", "Remove the family signups"],
    ]);
    await walk.post(`${PATH}/families/withdrawal`, { family: "signups" });
    await walk.post(`${PATH}/families/withdrawal`, { family: "page views" });
    expect(shop(walk)?.families).toEqual([]);
    for (const fields of [
      { family: "", storage: "d1" },
      { family: "a", storage: "tape" },
      { family: "a", storage: " d1" },
    ])
      expect((await walk.post(`${PATH}/families`, fields)).status).toBe(422);
  });

  test("a token is shown once on a page that is not kept, works, and is revoked here", async () => {
    using walk = await SettingsWalk.start();
    expect((await walk.post(`${PATH}/tokens`, {})).headers.get("location")).toBe(PATH);
    const response = await walk.get(PATH);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const token = /smt_[a-z2-7]{8}_\w+/.exec(await response.text())?.[0] ?? "";
    expect(walk.deps.siteTokens.find(token)?.asset).toBe("shop");
    await walk.post("/settings/tokens/receipt", { kind: "site", name: "shop", to: PATH });
    const html = await walk.page(PATH);
    expect(html).not.toContain(token);
    const id = token.split("_")[1] ?? "";
    expect(html).toContain(`id="token-${id}"`);
    expect((await walk.post(`${PATH}/tokens/${id}/revocation`, {})).status).toBe(303);
    expect(walk.deps.siteTokens.find(token)).toBeUndefined();
    expect((await walk.post(`${PATH}/tokens/${id}/revocation`, {})).status).toBe(404);
  });

  test("a site that reported thousands of metrics lists fifty at a time, found by name", async () => {
    using walk = await SettingsWalk.start();
    const { store } = walk.deps;
    for (let place = 0; place < 3_000; place++) {
      store.raw.run(
        "INSERT INTO series (asset, source, metric, last_day) VALUES ('shop', 'pulse', ?, 20485)",
        [`m.${String(place).padStart(4, "0")}`],
      );
    }
    const listed = async (query: string) => {
      const text = await walk.page(`${PATH}${query}`);
      expect(text.length).toBeLessThan(60_000);
      return [...text.matchAll(/metrics\/m\.(\d+)\/tune/g)].map((match) => Number(match[1]));
    };
    expect(await listed("")).toEqual(Array.from({ length: 50 }, (_, place) => place));
    expect((await listed("?page=60")).at(-1)).toBe(2_999);
    expect(await listed("?page=999")).toEqual(await listed("?page=60"));
    expect(await listed("?metric=M.123")).toEqual([
      1_230, 1_231, 1_232, 1_233, 1_234, 1_235, 1_236, 1_237, 1_238, 1_239,
    ]);
    expect(await walk.page(`${PATH}?metric=M.123`)).toContain('<details class="items" id="tune" open');
    expect(await listed("?metric=nothing")).toEqual([]);
    // The first page asked for by its link stands open as well.
    expect(await walk.page(`${PATH}?page=1`)).toContain('<details class="items" id="tune" open');
    expect(await walk.page(PATH)).not.toContain('id="tune" open');
  });

  test("a token of the setting stands with its own site alone", async () => {
    using walk = await SettingsWalk.start();
    walk.deps.siteTokens.setNamed([
      { asset: "shop", token: "of-the-shop-itself" },
      { asset: "other", token: "of-another-site-entirely" },
    ]);
    expect(rowsOf(parsed(await walk.page(PATH)), "Tokens").slice(1)).toEqual([
      [expect.any(String), "–", "never", "from ASSET_TOKENS"],
    ]);
  });

  test("another site's token cannot be revoked from here", async () => {
    using walk = await SettingsWalk.start();
    const by = { actor: "operator:ada", now: 0 };
    await addAsset(
      walk.deps.writer,
      { id: "other", url: null, lifecycle: "live", families: [] },
      { ...by, onRetired: () => {} },
    );
    const { id } = await issueSiteToken(walk.deps, "other", by);
    expect((await walk.post(`${PATH}/tokens/${id}/revocation`, {})).status).toBe(404);
    expect(listTokens(walk.deps.store.db, { asset: "other" })).toHaveLength(1);
  });

  test("an unknown site is 404 for the page and every act, and no act adds it", async () => {
    using walk = await SettingsWalk.start();
    expect((await walk.get("/sites/none/settings")).status).toBe(404);
    const acts: [string, Record<string, string>][] = [
      ["", { url: "", lifecycle: "live" }],
      ["/families", { family: "a", storage: "d1" }],
      ["/families/withdrawal", { family: "a" }],
      ["/tokens", {}],
      ["/tokens/abc/revocation", {}],
    ];
    for (const [below, fields] of acts)
      expect((await walk.post(`/sites/none/settings${below}`, fields)).status).toBe(404);
    expect(findAsset(walk.deps.store.db, "none")).toBeUndefined();
  });

  test("nothing is changed without a session", async () => {
    using walk = await SettingsWalk.start();
    walk.forgetSession();
    const response = await walk.post(PATH, { url: "", lifecycle: "retired" });
    expect(response.headers.get("location")).toContain("/sign-in");
    expect(shop(walk)?.lifecycle).toBe("live");
  });
});

describe("own thresholds", () => {
  const OWN = `${DEFAULT_DOCUMENT}
[assets."shop".codebase_rules]
growth_percent = 40
[assets."shop".flow_rules]
alpha = 0.005
negative_metrics = ["*lost*"]
[assets."shop".flow_rules."sign ups"]
percent_drop.percent = 60
[assets."shop".freshness]
silent_hours = 50
`;

  test("each override is listed with what would hold without it and where it is changed", () => {
    const read = parseConstants(OWN);
    if (!read.ok) throw new Error("the document of the test is not valid");
    expect(overridesOf(read.constants, "other")).toEqual([]);
    const rows = overridesOf(read.constants, "shop");
    expect(rows.map(({ metric, name, value, wider }) => [metric, name, value, wider])).toEqual([
      [null, "codebase_rules.growth_percent", "40", "25"],
      [null, "flow_rules.alpha", "0.005", "0.01"],
      [null, "flow_rules.negative_metrics", "1 pattern", "19 patterns"],
      ["sign ups", "flow_rules.percent_drop.percent", "60", "40"],
      [null, "freshness.silent_hours", "50", "26"],
    ]);
    expect(rows.map(({ href }) => href)).toEqual([
      "/sites/shop/codebase/tune",
      "/settings/constants",
      "/settings/constants",
      "/sites/shop/metrics/sign%20ups/tune",
      "/settings/constants",
    ]);
  });

  test("a metric leads to the page that tunes it, a provider's to one of its source; an average is no count to be tuned", async () => {
    using walk = await SettingsWalk.start();
    const series = { signups: "pulse", clicks: "search-console", position: "search-console" };
    for (const [metric, source] of Object.entries(series))
      walk.deps.store.raw.run(
        "INSERT INTO series (asset, source, metric, last_day) VALUES ('shop', ?, ?, 20485)",
        [source, metric],
      );
    const text = await walk.page(PATH);
    expect(text).toContain('href="/sites/shop/metrics/signups/tune"');
    expect(text).toContain('href="/sites/shop/signals/search-console/clicks/tune"');
    expect(text).not.toContain("/search-console/position/tune");
  });

  test("the page shows those in effect", async () => {
    using walk = await SettingsWalk.start();
    expect(await walk.page(PATH)).toContain("This site uses the thresholds of the constants");
    walk.file = OWN;
    await walk.constants.refresh();
    expect(rowsOf(parsed(await walk.page(PATH)), "Own thresholds")).toHaveLength(6);
  });
});

describe("/settings", () => {
  test("links every part and says how it stands", async () => {
    using walk = await SettingsWalk.start();
    const html = await walk.page("/settings");
    for (const path of ["constants", "credentials", "notices", "calendars", "panels", "operators", "audit"])
      expect(html).toContain(`href="/settings/${path}"`);
    expect(textOf(parsed(html))).toContain("version 1 of the constants, since 1 Mar 12:00");
    walk.file = "alpha =";
    await walk.constants.refresh();
    expect(await walk.page("/settings")).toContain("The constants file on disk is not in effect.");
  });

  test("says what is missing, each with its way, until it is there", async () => {
    using walk = await SettingsWalk.start();
    const missing = async () => rowsOf(parsed(await walk.page("/settings")), "To set up").slice(1);
    const first = await missing();
    expect(first).toContainEqual(["Nobody is notified of flags.", "Add channel"]);
    expect(first).toContainEqual(["No site sends reports: none has a token.", "Add a site"]);
    await walk.post("/sites", { id: "kiln.example", url: "", lifecycle: "live" });
    expect(await missing()).not.toContainEqual(expect.arrayContaining(["Add a site"]));
  });

  test.each([
    ["/settings/calibration", "Rules", ["Constants", "Calibration", "Tuning"]],
    ["/sites/shop/codebase/tune", "Rules", ["Constants", "Calibration", "Tuning"]],
    ["/settings/wall", "Access", ["Operators", "Sessions", "Tokens", "Kiosk links"]],
    ["/settings/audit", "Audit", []],
  ])("GET %s is under the tab %s, beside the other pages of its part", async (path, tab, pages) => {
    using walk = await SettingsWalk.start();
    const html = parsed(await walk.page(path));
    const linksOf = (label: string) =>
      tagged(html, "nav")
        .filter((nav) => attribute(nav, "aria-label") === label)
        .flatMap((nav) => tagged(nav, "a"));
    const tabs = linksOf("Settings");
    expect(tabs).toHaveLength(7);
    expect(tabs.filter((link) => attribute(link, "aria-current") === "page").map(textOf)).toEqual([tab]);
    expect(linksOf(tab).map(textOf)).toEqual(pages);
  });
});
