import { expect, test } from "bun:test";
import { replaceProperties } from "../../../src/providers/properties.ts";
import { textOf } from "../../support/html.ts";
import { pulledTower } from "../../support/pulled.ts";
import { Walk } from "../../support/tower.ts";
import { until } from "../../support/until.ts";

test("looking at a site and testing its account change no count of integrations", async () => {
  const { tower, credentials, close } = await pulledTower();
  const health = async () => (await tower.ask("/api/integrations/health")).text();
  const counts = async () => {
    const { summary, coverage } = JSON.parse(await health());
    const words = textOf(await tower.open("/integrations"));
    const row = /[\w ]+ of \d+ working/.exec(textOf(await tower.open("/")))?.[0];
    return { summary, coverage, said: /\d+ of \d+ data sources? [^.]+/.exec(words)?.[0], row };
  };
  const before = await counts();
  await tower.ask("/sites/harbor.example");
  const isLive = async () => (await health()).includes('"analytics.realtime"');
  expect((await until(isLive, Boolean)).seen).toBe(true);
  await tower.ask(`/settings/credentials/${credentials.google}/test`, { form: {} });
  expect(await counts()).toEqual(before);
  expect(before).toMatchObject({ said: expect.any(String), row: expect.any(String) });
  await close();
});

test("what an account listed is not told once it was refused, but what to do", async () => {
  const { tower, credentials, clock, simulators, run, close } = await pulledTower();
  const path = `/settings/credentials/${credentials.webmaster}`;
  await tower.ask(`${path}/discovery`, { form: {} });
  expect(textOf(await tower.open(path))).toContain("usable, 1 of 1 property can be attached.");
  clock.advance(60_000);
  simulators.script({ kind: "error", error: "3" }, { server: "webmasterTools", times: 9 });
  await run("webmaster-tools");
  const page = textOf(await tower.open(path));
  expect(page).not.toContain("can be attached");
  expect(page).toContain("The provider rejected this key. Upload a current key.");
  await close();
});

test("what is more than a page of properties lies on the next, of an account and of those to attach", async () => {
  const { tower, credentials, close } = await pulledTower();
  const of = { credential: credentials.google, provider: "analytics" } as const;
  const seen = Array.from({ length: 60 }, (_, place) => {
    const name = `Listed ${place + 10}`;
    return { provider: of.provider, property: `${place}`, name, timeZone: undefined, usable: true };
  });
  await tower.deps.writer.write((tx) => replaceProperties(tx, of, seen, 0));
  for (const list of [credentials.google, "attachments?q=Listed"]) {
    const page = await (await tower.ask(`/settings/credentials/${list}`)).text();
    const [, next = ""] = /href="([^"]*page=2)"/.exec(page) ?? [];
    expect(page).not.toContain("Listed 69");
    expect(textOf(await tower.open(next.replaceAll("&amp;", "&")))).toContain("Listed 69");
  }
  await close();
});

test("an account was tested when the last of its providers was: one that is on hold was asked before", async () => {
  const { tower, credentials, clock, simulators, close } = await pulledTower();
  const path = `/settings/credentials/${credentials.google}`;
  for (let times = 0; times < 2; times++) {
    if (times === 0)
      simulators.script({ kind: "error", error: "qps-429" }, { server: "searchConsole", times: 9 });
    clock.advance(60_000);
    await tower.ask(`${path}/test`, { form: {} });
  }
  const [, tested = ""] =
    /<b>Connection test<.*?datetime="([^"]+)"/.exec(await (await tower.ask(path)).text()) ?? [];
  expect(Date.parse(tested)).toBe(clock.now());
  await close();
});

test("when the password is asked for again, everything goes along but the secret", async () => {
  const walk = await new Walk().signedIn();
  for (let i = 0; i < 2; i++) {
    walk.deps.clock.advance(16 * 60_000);
    await walk.get("/settings/credentials");
    await walk.deps.writer.write(() => undefined);
  }
  const form = await walk.get("/settings/credentials/new");
  expect(await form.text()).toContain('name="confirm_password"');
  const asked = await walk.post("/settings/credentials/new", {
    kind: "webmaster-tools-key",
    secret: "canary-0123456789abcdef",
    label: "Main",
  });
  expect(asked.status).toBe(403);
  const page = await asked.text();
  expect(page).toContain('<input type="hidden" name="label" value="Main"/>');
  expect(page).toContain("except the secret");
  expect(page).not.toContain("canary");
});
