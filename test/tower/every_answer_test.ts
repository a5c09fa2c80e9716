/** What every answer of the Tower and of the ingest carries, and what every page tells of the service itself. */

import { expect, spyOn, test } from "bun:test";
import { addressesBoundTo } from "../../src/base/hosts.ts";
import type { UtcDay } from "../../src/base/time.ts";
import { addTally } from "../../src/rules/verdicts.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { readStatic } from "../../src/tower/tower.tsx";
import { testGround } from "../support/deps.ts";
import { byId, parsed, textOf } from "../support/html.ts";
import { PORTS, type TestTower, testTower } from "../support/test_tower.ts";
import { world } from "../support/world.ts";

const PATHS = [
  "/",
  "/sign-in",
  "/healthz",
  "/nowhere",
  "/static/nothing",
  "/api/assets",
  "/openapi",
] as const;
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'";

const headersOf = async (service: TestTower, listener: "ingest" | "tower", path: string) => {
  const host = `localhost:${PORTS[listener]}`;
  return (await service[listener](new Request(`http://${host}${path}`, { headers: { host } }))).headers;
};

test("every answer of the Tower forbids what its pages do not need", async () => {
  const service = await testTower();
  for (const path of PATHS) {
    const headers = await headersOf(service, "tower", path);
    expect([path, headers.get("content-security-policy")]).toEqual([path, CSP]);
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("permissions-policy")).toContain("geolocation=()");
    expect(headers.get("strict-transport-security")).toBeNull();
  }
  const style = await headersOf(service, "tower", readStatic("public").url("tower.css"));
  expect(style.get("cache-control")).toBe("public, max-age=31536000, immutable");
  const ingest = await headersOf(service, "ingest", "/nowhere");
  expect(ingest.get("content-security-policy")).toBe("default-src 'none'");
  expect(ingest.get("cache-control")).toBe("no-store");
  await service.close();
});

test.each([
  ["https://tower.example", "max-age=31536000"],
  ["http://tower.example", null],
])("published as %s, browsers are told to keep to https: %p", async (TOWER_PUBLIC_URL, told) => {
  const service = await testTower({ settings: { TOWER_PUBLIC_URL } });
  for (const path of PATHS) {
    expect((await headersOf(service, "tower", path)).get("strict-transport-security")).toBe(told);
  }
  await service.close();
});

test("what the operator must know about the service stands on every page, and at no door", async () => {
  const service = await testTower({ settings: { TRUSTED_AUTH_HEADER: "x-operator" } });
  spyOn(service.deps.machine, "warnings").mockReturnValue(["The disk is nearly full."]);
  const page = async (path: string, as: string) =>
    textOf(parsed(await (await service.ask(path, { as, headers: { accept: "text/html" } })).text()));
  for (const path of ["/", "/flags", "/settings", "/nowhere"]) {
    expect(await page(path, "ada")).toContain("The disk is nearly full.");
  }
  for (const path of ["/setup", "/nowhere"]) expect(await page(path, "")).not.toContain("disk");
  await service.close();
});

test("the flags that chance alone would raise are told of thirty days, today among them", async () => {
  const ground = await testGround();
  ground.clock.at("2026-03-31T12:00:00Z");
  const tally = (date: string, tests: number) =>
    ground.writer.write((tx) =>
      addTally(
        tx,
        { date: date as UtcDay, asset: "harbor", source: "pulse" },
        { tests, notTested: 0, raised: 0, expected: tests / 100 },
      ),
    );
  await tally("2026-03-01", 1_000);
  await tally("2026-03-02", 200);
  await tally("2026-03-31", 30);
  const site = await world({ ground });
  const head = textOf(byId(parsed(await (await site.ask("/flags")).text()), "flags-head"));
  expect(head).toContain("Flow rules, 30 days: 230 tests, 0 raised a flag, about 2.3 expected by chance.");
  await site.stop();
  ground.store.close();
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:4610", {}],
  ["0.0.0.0", `http://${addressesBoundTo("0.0.0.0")[0] ?? "127.0.0.1"}:4610`, {}],
  ["192.0.2.1", "http://192.0.2.1:4610", {}],
  ["0.0.0.0", "https://ingest.example", { INGEST_PUBLIC_URL: "https://ingest.example" }],
] as const)("an ingest on %s is reached at %s", async (host, address, more) => {
  const service = await testTower({
    ground: await testGround(),
    settings: { INGEST_HOST: host, TRUSTED_AUTH_HEADER: "x-operator", ...more },
  });
  expect(await (await service.ask("/sites/harbor")).text()).toContain(`${address}/api/`);
  await service.close();
});

test("nobody is asked to send the nightly report that Tower writes of itself", async () => {
  const ground = await testGround();
  await ground.writer.write((tx) => ensureAssets(tx, ["tower"], { actor: "service", now: 0 }));
  const service = await testTower({ ground, settings: { TRUSTED_AUTH_HEADER: "x-operator" } });
  const own = textOf(await service.open("/sites/tower"));
  expect(own).toContain("Tower writes this report itself");
  expect(own).not.toContain("/api/pulse");
  expect(own).not.toContain("Send the first report");
  await service.close();
});
