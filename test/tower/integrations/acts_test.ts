import { describe, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../../src/access/audit.ts";
import { utcDayOf } from "../../../src/base/time.ts";
import { isPaused, listPauses, pause } from "../../../src/health/pauses.ts";
import { detachProperty, listAttachmentsOf, listDetachments } from "../../../src/providers/attachments.ts";
import { attachProperty } from "../../../src/signals/connections.ts";
import { addAsset } from "../../../src/sites/site_changes.ts";
import { storedCredential } from "../../support/credentials.ts";
import { fresh } from "../../support/fresh.ts";
import { byId, parsed, rowsOf, textOf } from "../../support/html.ts";
import { SettingsWalk } from "../../support/settings_walk.ts";

const DAILY = "analytics.daily";
const DAY_MS = 86_400_000;
const walk = fresh(() => SettingsWalk.start());

const PAUSES = "/integrations/pauses";
const RESUME = `${PAUSES}/withdrawal`;
const DISCONNECT = "/integrations/disconnection";
const FORGET = `${DISCONNECT}/withdrawal`;
const send = async (path: string, fields: Readonly<Record<string, string>>) => {
  const { status, headers } = await walk.post(path, fields);
  return `${status} ${headers.get("location")}`;
};
const acts = (limit: number) =>
  listAudit(walk.deps.store.db, { limit }).map(({ act, actor, target }) => `${act} ${actor} ${target}`);
const paused = (capability: string, asset: string) =>
  isPaused(walk.deps.store.db, { capability, asset }, walk.deps.clock.now());

describe("pausing and resuming", () => {
  test("a site's capability, and back to the page it was done on, which says so once", async () => {
    const fields = { capability: DAILY, asset: "shop", to: "/sites/shop/settings?page=2&done=resumed" };
    expect(await send(PAUSES, fields)).toBe("303 /sites/shop/settings?page=2&done=paused");
    expect(paused(DAILY, "shop")).toBe(true);
    expect(await walk.page("/sites/shop/settings?done=paused")).toContain("Paused. Nothing of it is asked");
    expect(await walk.page(PAUSES)).toContain('href="/sites/shop">shop');
    expect(await send(RESUME, fields)).toBe("303 /sites/shop/settings?page=2&done=resumed");
    expect(await send(RESUME, fields)).toBe("303 /sites/shop/settings?page=2&done=not-paused");
    expect(paused(DAILY, "shop")).toBe(false);
    expect(acts(2)).toEqual(["health.resume operator:ada shop", "health.pause operator:ada shop"]);
  });

  test("one that another pause holds still is not said to be resumed", async () => {
    const one = { capability: "analytics.daily", asset: "shop" };
    const everywhere = { capability: "analytics.daily", asset: "" };
    await send(PAUSES, one);
    await send(PAUSES, everywhere);
    expect(await send(RESUME, one)).toBe("303 /integrations?done=still-paused");
    expect(await send(RESUME, one)).toBe("303 /integrations?done=still-paused");
    expect(await send(RESUME, everywhere)).toBe("303 /integrations?done=resumed");
    expect(await send(RESUME, one)).toBe("303 /integrations?done=not-paused");
  });

  test("until a day, at whose first moment in UTC it is over; what is paused is listed", async () => {
    const { clock } = walk.deps;
    const day = utcDayOf(clock.now() + 3 * DAY_MS);
    expect(await send(PAUSES, { capability: DAILY, asset: "", until: day })).toBe(
      "303 /integrations?done=paused",
    );
    expect(listPauses(walk.deps.store.db)[0]?.until).toBe(Date.parse(`${day}T00:00:00Z`));
    const [, row] = rowsOf(parsed(await walk.page(PAUSES)), "Paused now");
    expect(row?.slice(0, 2)).toEqual(["Analytics, daily", "Every site"]);
    expect(paused(DAILY, "shop")).toBe(true);
  });

  test.each([
    [{ capability: "analytics.weekly", asset: "shop" }, "capability", "There is no such capability."],
    [
      { capability: "ingest.nightly", asset: "shop" },
      "capability",
      "Nightly reports cannot be paused by itself",
    ],
    [{ capability: "analytics.connection-test", asset: "" }, "capability", "cannot be paused by itself"],
    [{ capability: DAILY, asset: "<b>" }, "asset", "There is no site with this identifier."],
    [{ capability: "", asset: "" }, "asset", "Name a site, or choose what is paused on every site."],
    [{ capability: "", asset: "tower" }, "asset", "tower is Tower's own site"],
    [{ capability: "", asset: "gone" }, "asset", "gone is retired: nothing of it is asked."],
    [{ capability: "", asset: "shop", until: "1999-12-31" }, "until", "This moment is over."],
    [{ capability: "", asset: "shop", until: "soon" }, "until", "Give a day, or a day and a time in UTC."],
  ])("%p is refused at its field, %s", async (fields, field, words) => {
    const by = { actor: "test", now: walk.deps.clock.now(), onRetired: () => {} };
    await addAsset(walk.deps.writer, { id: "gone", lifecycle: "retired" }, by);
    const before = acts(1);
    const response = await walk.post(PAUSES, { ...fields, to: "/sites/shop" });
    expect(response.status).toBe(422);
    const page = parsed(await response.text());
    expect(textOf(byId(page, `${field}-error`))).toContain(words);
    expect(listPauses(walk.deps.store.db)).toEqual([]);
    expect(acts(1)).toEqual(before);
  });

  test("a way back that is not ours leads to the portfolio, none to the integrations", async () => {
    const fields = { capability: DAILY, asset: "shop" };
    expect(await send(PAUSES, { ...fields, to: "//evil.example/x" })).toBe("303 /?done=paused");
    expect(await send(RESUME, fields)).toBe("303 /integrations?done=resumed");
  });
});

describe("all of a site", () => {
  const SITE = { capability: "", asset: "shop" };

  test("retiring it ends its pauses: a site that comes back is watched", async () => {
    await send(PAUSES, SITE);
    await walk.post("/sites/shop/settings", { url: "", lifecycle: "retired" });
    expect(listPauses(walk.deps.store.db)).toEqual([]);
    expect(acts(2)).toEqual(["asset.change operator:ada shop", "health.resume operator:ada shop"]);
  });

  test("taking it out of the portfolio ends them, too", async () => {
    await send(PAUSES, SITE);
    await walk.post("/sites/shop/settings/removal", {});
    expect(listPauses(walk.deps.store.db)).toEqual([]);
  });
});

describe("disconnecting and forgetting", () => {
  const CONNECTION = { provider: "analytics", asset: "shop", to: "/sites/shop/integrations" } as const;

  test("a site's connection to a provider is taken away and seen to be, until it is forgotten", async () => {
    const { deps } = walk;
    const { id: credential } = await storedCredential(deps, "analytics");
    const by = { actor: "test", now: deps.clock.now() };
    await attachProperty(deps, { ...CONNECTION, credential, property: "11", replace: false }, by);
    const back = "303 /sites/shop/integrations?done=";
    expect(await send(FORGET, CONNECTION)).toBe(`${back}not-disconnected`);
    expect(await send(DISCONNECT, CONNECTION)).toBe(`${back}disconnected`);
    expect(listAttachmentsOf(deps.store.db, "shop")).toEqual([]);
    expect(listDetachments(deps.store.db)).toMatchObject([{ asset: "shop", detachedBy: "operator:ada" }]);
    expect(await send(DISCONNECT, CONNECTION)).toBe(`${back}not-connected`);
    expect(await send(FORGET, CONNECTION)).toBe(`${back}forgotten`);
    expect(listDetachments(deps.store.db)).toEqual([]);
    expect(acts(2)).toEqual(["property.forget operator:ada shop", "property.detach operator:ada shop"]);
  });

  test("of webmaster tools, forgetting says that a listed site may be found again", async () => {
    const { deps } = walk;
    const { id: credential } = await storedCredential(deps, "webmaster-tools");
    const of = { asset: "shop", provider: "webmaster-tools" } as const;
    const by = { actor: "test", now: deps.clock.now() };
    await attachProperty(deps, { ...of, credential, property: "https://shop.example/", replace: false }, by);
    await send(DISCONNECT, of);
    expect(await send(FORGET, of)).toBe("303 /integrations?done=forgotten-listed");
    expect(await walk.page("/settings?done=forgotten-listed")).toContain("the next night finds it again");
  });

  test.each([DISCONNECT, FORGET])(
    "%s refuses what is no provider and no site of ours, by its field",
    async (path) => {
      for (const [fields, words] of [
        [{ ...CONNECTION, provider: "radio" }, "provider: must be one of"],
        [{ ...CONNECTION, asset: "nowhere" }, "asset: there is no site with this identifier"],
      ] as const) {
        const response = await walk.post(path, fields);
        expect(response.status).toBe(422);
        expect(await response.text()).toContain(words);
      }
    },
  );
});

describe("a site's settings", () => {
  const settings = async () => textOf(parsed(await walk.page("/sites/shop/settings")));

  test("pause and resume all of it, and say since when, by whom and until when", async () => {
    const until = utcDayOf(walk.deps.clock.now() + 3 * DAY_MS);
    expect(await settings()).toContain("Pause this site");
    await send(PAUSES, { capability: "", asset: "shop", until });
    expect(await settings()).toMatch(/It is paused since .* by ada, until \d+ \w+ 00:00\.Resume all of shop/);
    // A capability that is paused on every site is no pause of this one.
    await send(RESUME, { capability: "", asset: "shop" });
    await send(PAUSES, { capability: DAILY, asset: "" });
    expect(await settings()).not.toContain("It is paused since");
  });

  test("offer no pause of Tower's own site, nor of a retired one", async () => {
    await addAsset(walk.deps.writer, { id: "tower" }, { actor: "test", now: 0, onRetired: () => {} });
    expect(await walk.page("/sites/tower/settings")).not.toContain("Pause this site");
    await walk.post("/sites/shop/settings", { url: "", lifecycle: "retired" });
    expect(await settings()).not.toContain("Pause this site");
  });

  test("say of a connection that was taken away by whom and when, and forget it", async () => {
    const { deps } = walk;
    const { id: credential } = await storedCredential(deps, "analytics");
    const by = { actor: "command-line", now: deps.clock.now() };
    const shop = { asset: "shop", provider: "analytics" } as const;
    await attachProperty(deps, { ...shop, credential, property: "11", replace: false }, by);
    await detachProperty(deps, shop, by);
    expect(await settings()).toMatch(/Disconnected11 was taken away .* by the command lineAttachForget that/);
    await send(FORGET, shop);
    expect(await settings()).not.toContain("Disconnected");
  });
});

test("a long list of what is paused comes in pages", async () => {
  const { writer, clock } = walk.deps;
  await writer.write((tx) => {
    for (let place = 0; place < 101; place++) {
      const asset = `site-${String(place).padStart(3, "0")}`;
      pause(tx, { capability: DAILY, asset, until: null }, { actor: "operator:ada", now: clock.now() });
    }
  });
  const listed = async (query: string) =>
    rowsOf(parsed(await walk.page(`${PAUSES}${query}`)), "Paused now").slice(1);
  expect((await listed("")).length).toBe(100);
  expect((await listed("?page=2")).map(([, site]) => site)).toEqual(["site-100"]);
});
