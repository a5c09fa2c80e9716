import { expect, test } from "bun:test";
import { proxyHints } from "../../src/tower/session.ts";
import { textOf } from "../support/html.ts";
import { capturingLog } from "../support/log.ts";
import { OPERATOR_HEADER, PROXY, testTower } from "../support/test_tower.ts";

const SECRET = "harbour-of-the-proxy-0123456789";
const HOST = "localhost:4611";

test("what a proxy's settings lack is told once for each peer, and of few peers", () => {
  const { log, lines } = capturingLog();
  const hint = proxyHints(log);
  for (let i = 0; i < 3; i++) {
    hint("unlisted", "10.0.0.9");
    hint("unproved", "10.0.0.9");
  }
  expect(lines.map(({ level, properties }) => [level, properties["peer"]])).toEqual([
    ["warn", "10.0.0.9"],
    ["warn", "10.0.0.9"],
  ]);
  for (let i = 0; i < 99; i++) hint("unlisted", `10.0.1.${i}`);
  expect(lines).toHaveLength(10);
});

test("the log says which address is not listed and which header was not proved, and never the secret", async () => {
  const service = await testTower({ settings: { ...PROXY, TRUSTED_PROXY_SECRET: SECRET } });
  const ask = (headers: Readonly<Record<string, string>>) => {
    const request = new Request(`http://${HOST}/sign-in`, {
      method: "POST",
      body: new URLSearchParams({ name: "x", password: "y" }),
      headers: { host: HOST, origin: `http://${HOST}`, ...headers },
    });
    return service.tower(request, () => "127.0.0.1");
  };
  await ask({ "x-forwarded-for": "203.0.113.9", [OPERATOR_HEADER]: `${SECRET}x ada` });
  const told = service.lines.filter(({ level }) => level === "warn").map(({ message }) => message);
  expect(told.sort()).toEqual([
    "X-Forwarded-For came from an address that TRUSTED_PROXIES does not name, and was not believed",
    "the trusted header came without TRUSTED_PROXY_SECRET, and was not believed",
  ]);
  expect(JSON.stringify(service.lines)).not.toContain(SECRET);
  await service.close();
});

test("a listed proxy that says nothing of where requests come from is named", async () => {
  const service = await testTower({ settings: { TRUSTED_PROXIES: "10.0.0.2" } });
  const post = (peer: string, headers: Readonly<Record<string, string>>) => {
    const body = new URLSearchParams({ name: "x", password: "y" });
    const all = { host: HOST, origin: `http://${HOST}`, ...headers };
    const request = new Request(`http://${HOST}/sign-in`, { method: "POST", body, headers: all });
    return service.tower(request, () => peer);
  };
  await post("10.0.0.2", { "x-forwarded-for": "203.0.113.9" });
  await post("127.0.0.1", {});
  expect(service.lines).toStrictEqual([]);
  await post("10.0.0.2", {});
  expect(service.lines.map(({ message, properties }) => [message, properties])).toMatchSnapshot();
  await service.close();
});

test("the settings say that the header is believed as it comes, until there is a secret", async () => {
  const settingsWith = async (more: Readonly<Record<string, string>>, named: string) => {
    const service = await testTower({ settings: { ...PROXY, ...more } });
    const page = textOf(await service.open("/settings", { as: named }));
    await service.close();
    return page;
  };
  const words = "lets callers name themselves";
  expect(await settingsWith({}, "ada")).toContain(words);
  const proved = await settingsWith({ TRUSTED_PROXY_SECRET: SECRET }, `${SECRET} ada`);
  expect(proved).toContain("Signed in as ada");
  expect(proved).not.toContain(words);
});
