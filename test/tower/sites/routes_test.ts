import { expect, test } from "bun:test";
import { SettingsWalk } from "../../support/settings_walk.ts";
import { testTower } from "../../support/test_tower.ts";

const KILN = { id: "kiln", url: "kiln.example", lifecycle: "live" };
const AT = "/sites/kiln/first-report";
const tokenIn = (text: string) => /smt_[a-z2-7]{8}_\w+/.exec(text)?.[0];

test("sent while the first is under way, it waits for it: a double click adds one site with one token", async () => {
  using walk = await SettingsWalk.start();
  const answers = await Promise.all([1, 2, 3].map(() => walk.post("/sites", KILN)));
  expect(answers.map(({ status, headers }) => [status, headers.get("location")])).toEqual(
    Array(3).fill([303, AT]),
  );
  const page = await walk.page(AT);
  expect(walk.deps.siteTokens.find(tokenIn(page) ?? "")?.asset).toBe("kiln");
  await walk.post("/settings/tokens/receipt", { kind: "site", name: "kiln", to: AT });
  expect(await walk.page(AT)).toContain("1 token is in force");
  await Promise.all([1, 2].map(() => walk.post(`${AT}/token`, {})));
  await walk.post("/settings/tokens/receipt", { kind: "site", name: "kiln", to: AT });
  expect(await walk.page(AT)).toContain("2 tokens are in force");
});

test("a service that started anew shows no token, whoever asks", async () => {
  using walk = await SettingsWalk.start();
  await walk.post("/sites", KILN);
  const token = tokenIn(await walk.page(AT)) ?? "";
  const { store, writer, clock, ids, siteTokens } = walk.deps;
  const anew = await testTower({ ground: { store, writer, clock, ids, siteTokens } });
  const cookie = `${walk.cookie.name}=${walk.cookie.value}`;
  const headers = { host: "localhost:4611", cookie };
  const answer = await anew.tower(new Request(`http://localhost:4611${AT}`, { headers }));
  const text = await answer.text();
  expect(text).not.toContain(token);
  expect(text).toContain("1 token is in force");
});
