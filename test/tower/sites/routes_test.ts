import { expect, test } from "bun:test";
import { fresh } from "../../support/fresh.ts";
import { PROXY, testTower } from "../../support/test_tower.ts";
import { world } from "../../support/world.ts";

const KILN = { id: "kiln", url: "kiln.example", lifecycle: "live" };
const AT = "/sites/kiln/first-report";
const tokenIn = (text: string) => /smt_[a-z2-7]{8}_\w+/.exec(text)?.[0];

const site = fresh(world);
const post = (path: string, form: Readonly<Record<string, string>>) => site.ask(path, { form });
const page = async () => (await site.ask(AT)).text();

test("sent while the first is under way, it waits for it: a double click adds one site with one token", async () => {
  const answers = await Promise.all([1, 2, 3].map(() => post("/sites", KILN)));
  expect(answers.map(({ status, headers }) => [status, headers.get("location")])).toEqual(
    Array(3).fill([303, AT]),
  );
  expect(site.siteTokens.find(tokenIn(await page()) ?? "")?.asset).toBe("kiln");
  await post("/settings/tokens/receipt", { kind: "site", name: "kiln", to: AT });
  expect(await page()).toContain("1 token is in force");
  await Promise.all([1, 2].map(() => post(`${AT}/token`, {})));
  await post("/settings/tokens/receipt", { kind: "site", name: "kiln", to: AT });
  expect(await page()).toContain("2 tokens are in force");
});

test("a service that started anew shows no token, whoever asks", async () => {
  await post("/sites", KILN);
  const token = tokenIn(await page()) ?? "";
  const { store, writer, clock, ids, siteTokens } = site;
  const anew = await testTower({ ground: { store, writer, clock, ids, siteTokens }, settings: PROXY });
  const text = await (await anew.ask(AT)).text();
  expect(text).not.toContain(token);
  expect(text).toContain("1 token is in force");
});

test("the address that all of a site's begin with leads to the list of sites", async () => {
  const { status, headers } = await site.ask("/sites");
  expect([status, headers.get("location")]).toEqual([303, "/"]);
});
