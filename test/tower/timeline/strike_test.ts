import { beforeEach, expect, test } from "bun:test";
import { findAnnotation } from "../../../src/sites/annotations.ts";
import { fresh } from "../../support/fresh.ts";
import { timelineTower } from "./tower.ts";

const tower = fresh(timelineTower);
let id: string;
beforeEach(async () => {
  await tower.addSites(["harbor"]);
  [id = ""] = await tower.keep([
    { asset: "harbor", at: "2026-11-19T08:00:00Z", kind: "deploy", ref: "v1" },
    { asset: "harbor", at: "2026-11-18T08:00:00Z", kind: "deploy", ref: "v0" },
  ]);
});

const page = async (path: string) => (await tower.ask(path)).text();

test("an entry is struck and put back by forms, and each comes back to where it stood", async () => {
  const back = "/sites/harbor/timeline?range=30";
  const struck = await tower.send(`/timeline/${id}/strike`, { back, reason: " <b>wrong</b> " });
  expect(struck.status).toBe(303);
  const location = `/sites/harbor/timeline?range=30&done=entry-struck#entry-${id}`;
  expect(struck.headers.get("location")).toBe(location);
  const after = await page(location);
  expect(after).toContain("The entry is struck");
  expect(after).toContain('Struck by <bdi hx-ignore class="wrap">ada</bdi>');
  expect(after).toContain("&lt;b&gt;wrong&lt;/b&gt;");
  expect(after).toContain("1 struck entry is listed below and not drawn.");
  expect(after).toContain("1 entry by kind");
  const putBack = await tower.send(`/timeline/${id}/strike/withdrawal`, { back });
  expect(putBack.headers.get("location")).toContain("done=entry-put-back");
  expect(await page(back)).toContain("2 entries by kind");
});

test("a reason that is too long is shown again where it was typed, and nothing is struck", async () => {
  const reason = "x".repeat(2_001);
  const refused = await tower.send(`/timeline/${id}/strike`, { back: "/timeline", reason });
  expect(refused.status).toBe(422);
  const html = await refused.text();
  expect(html.includes(`value="${reason}"`)).toBe(true);
  expect(html.includes("It must have at most 2000 characters.")).toBe(true);
  expect(findAnnotation(tower.store.db, id)?.struck).toBeUndefined();
});

test("an entry that is not there is 404, and no form leads to another host", async () => {
  expect((await tower.send("/timeline/nope/strike", {})).status).toBe(404);
  const { headers } = await tower.send(`/timeline/${id}/strike`, { back: "//evil.example" });
  expect(headers.get("location")).toStartWith("/timeline?done=");
});
