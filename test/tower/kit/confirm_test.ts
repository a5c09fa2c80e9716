import { describe, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../../src/access/audit.ts";
import { addAsset } from "../../../src/sites/site_changes.ts";
import { GOOD_PASSWORD } from "../../support/operators.ts";
import { SettingsWalk } from "../../support/settings_walk.ts";
import { Walk } from "../../support/tower.ts";

const MINUTE = 60_000;

/** Signed in, and so much later that the password must be given again; the session itself is kept alive. */
async function stale(): Promise<Walk> {
  const walk = await new Walk().signedIn();
  const shop = { id: "shop.example", url: null, lifecycle: "live", families: [] } as const;
  await addAsset(
    walk.deps.writer,
    { ...shop, families: [] },
    { actor: "command-line", now: 0, onRetired: () => undefined },
  );
  for (let i = 0; i < 2; i++) {
    walk.deps.clock.advance(16 * MINUTE);
    await walk.get("/settings/tokens");
    await walk.deps.writer.write(() => undefined);
  }
  return walk;
}

const issued = (walk: Walk) =>
  listAudit(walk.deps.store.db, { limit: 50 }).filter(({ act }) => /token\.issue/.test(act)).length;

describe("acts that hand out access ask for the password again after 30 minutes", () => {
  test("nothing is done, what was filled in is kept, and the right password carries it out", async () => {
    const walk = await stale();
    const form = { name: 'ci "x" <b>', scopes: "read" };
    const asked = await walk.post("/settings/tokens/operator", { ...form, name: "ci" });
    expect(asked.status).toBe(403);
    expect(asked.headers.get("cache-control")).toBe("no-store");
    const page = await asked.text();
    expect(page).toContain('action="/settings/tokens/operator"');
    expect(page).toContain('<input type="hidden" name="name" value="ci"/>');
    expect(page).toContain('<input type="hidden" name="scopes" value="read"/>');
    expect(issued(walk)).toBe(0);
    const done = await walk.post("/settings/tokens/operator", {
      name: "ci",
      scopes: "read",
      confirm_password: GOOD_PASSWORD,
    });
    expect(done.status).toBe(303);
    expect(issued(walk)).toBe(1);
    const again = await walk.post("/settings/tokens/site", { asset: "shop.example" });
    expect(again.status).toBe(303);
    expect(issued(walk)).toBe(2);
  });

  test("a wrong password does nothing, and is not written into the page", async () => {
    const walk = await stale();
    const wrong = { asset: "shop.example", confirm_password: "wrong wrong wrong" };
    const answer = await walk.post("/settings/tokens/site", wrong);
    expect(answer.status).toBe(403);
    const page = await answer.text();
    expect(page).toContain("This is not your password.");
    expect(page).not.toContain("wrong wrong wrong");
    for (let i = 0; i < 4; i++) await walk.post("/settings/tokens/site", wrong);
    const slowed = await walk.post("/settings/tokens/site", wrong);
    expect(slowed.status).toBe(429);
    expect(slowed.headers.get("retry-after")).toBe("1");
    expect(issued(walk)).toBe(0);
  });

  test("what was filled in comes back as text, whatever it is", async () => {
    const walk = await stale();
    const asked = await walk.post("/settings/tokens/operator", { name: '"><script>alert(1)</script>' });
    expect(await asked.text()).not.toContain("<script>alert");
  });

  test("each such act asks: issuing and revoking tokens of sites and operators", async () => {
    const walk = await stale();
    for (const path of [
      "/settings/tokens/site",
      "/settings/tokens/operator",
      "/settings/tokens/site/aaaaaaaa/revocation",
      "/settings/tokens/operator/aaaaaaaa/revocation",
    ]) {
      expect([path, (await walk.post(path, {})).status]).toEqual([path, 403]);
    }
  });

  test("someone named by a proxy's header has no password here and is not asked", async () => {
    const walk = new Walk({ header: "x-remote-user" });
    walk.peer = "127.0.0.1";
    await walk.get("/settings/tokens", { "x-remote-user": "ada" });
    walk.deps.clock.advance(60 * MINUTE);
    const answer = await walk.post(
      "/settings/tokens/operator",
      { name: "ci", scopes: "read" },
      { "x-remote-user": "ada" },
    );
    expect(answer.status).toBe(303);
  });

  test("a site's tokens, its codebase rules and the constants document ask; showing a change and tuning a metric do not", async () => {
    using walk = await SettingsWalk.start();
    for (let i = 0; i < 2; i++) {
      walk.deps.clock.advance(16 * MINUTE);
      await walk.get("/settings");
      await walk.deps.writer.write(() => undefined);
    }
    const status = async (path: string, fields: Readonly<Record<string, string>>) =>
      (await walk.post(path, fields)).status;
    expect(await status("/sites/shop/settings/tokens", {})).toBe(403);
    expect(await status("/sites/shop/settings/tokens/aaaaaaaa/revocation", {})).toBe(403);
    const digest = walk.constants.document().digest;
    const text = walk.file.replace("growth_percent = 25", "growth_percent = 30");
    expect(await status("/settings/constants", { text, digest })).toBe(200);
    expect(await status("/settings/constants", { text, digest, act: "save" })).toBe(403);
    expect(await status("/sites/shop/codebase/tune", { growth_percent: "30", digest })).toBe(403);
    expect(await status("/sites/shop/settings", { url: "", lifecycle: "live" })).toBe(303);
    expect(walk.file).not.toContain("growth_percent = 30");
  });
});
