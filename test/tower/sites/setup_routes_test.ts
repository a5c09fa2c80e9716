import { describe, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { renewSetupLink } from "../../../src/access/setup_link.ts";
import type { Files } from "../../../src/base/files.ts";
import { GOOD_PASSWORD, OTHER_PASSWORD } from "../../support/operators.ts";
import { ORIGIN, Walk } from "../../support/tower.ts";

const NO_FILES: Files = {
  facts: async () => undefined,
  read: async () => new Uint8Array(),
  writeNew: async () => undefined,
  rename: async () => undefined,
  syncFolder: async () => undefined,
  remove: async () => undefined,
};

async function withLink() {
  const walk = new Walk();
  const { url } = await renewSetupLink({ ...walk.deps, config: { dataDir: tmpdir() } }, ORIGIN, NO_FILES);
  const path = url.slice(ORIGIN.length);
  return { walk, path, code: new URL(url).searchParams.get("code") ?? "" };
}

describe("/setup", () => {
  test("the link opens the form, which no browser may keep, and looking uses nothing up", async () => {
    const { walk, path, code } = await withLink();
    for (let i = 0; i < 2; i++) {
      const response = await walk.get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(await response.text()).toContain(`value="${code}"`);
    }
  });

  test("makes the operator and signs in", async () => {
    const { walk, code } = await withLink();
    const response = await walk.post("/setup", { code, name: "ada", password: GOOD_PASSWORD });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe("/");
    expect((await walk.get("/settings/tokens")).status).toBe(200);
  });

  test("without the link there is no form, with a dead one it says so", async () => {
    const { walk } = await withLink();
    const bare = await walk.get("/setup");
    expect(bare.status).toBe(200);
    expect(await bare.text()).not.toContain("<form");
    const dead = await walk.get("/setup?code=nonsense");
    expect(dead.status).toBe(403);
    expect(await dead.text()).toContain("does not work");
  });

  test("a refused name or password keeps the form, with the reason beside the field", async () => {
    const { walk, code } = await withLink();
    const response = await walk.post("/setup", { code, name: "ada", password: "short" });
    expect(response.status).toBe(422);
    const text = await response.text();
    expect(text).toContain("at least 12 characters");
    expect(text).toContain(code);
    expect((await walk.post("/setup", { code, name: "ada", password: GOOD_PASSWORD })).status).toBe(303);
  });

  test("used twice is refused; expired is refused", async () => {
    const { walk, path, code } = await withLink();
    walk.deps.clock.advance(30 * 60_000);
    expect((await walk.get(path)).status).toBe(403);
    expect((await walk.post("/setup", { code, name: "ada", password: GOOD_PASSWORD })).status).toBe(403);
  });

  test("once an operator exists there is no set-up any more", async () => {
    const { walk, path, code } = await withLink();
    await walk.post("/setup", { code, name: "ada", password: GOOD_PASSWORD });
    walk.forgetCookies();
    expect((await walk.get(path)).headers.get("location")).toBe("/sign-in");
    const again = await walk.post("/setup", { code, name: "bob", password: OTHER_PASSWORD });
    expect(again.headers.get("location")).toBe("/sign-in");
    expect(walk.cookies().size).toBe(0);
    expect((await walk.post("/sign-in", { name: "bob", password: OTHER_PASSWORD })).status).toBe(401);
  });

  test("a page of another site cannot claim a new installation", async () => {
    const { walk, code } = await withLink();
    const form = { code, name: "eve", password: GOOD_PASSWORD };
    expect((await walk.post("/setup", form, { origin: "https://evil.example" })).status).toBe(403);
    expect((await walk.post("/setup", form, { origin: "" })).status).toBe(403);
  });
});
