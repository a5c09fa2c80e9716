import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../../src/base/time.ts";
import { PACKABLE_CODEBASE_REPORTS } from "../../../src/reports/codebase.ts";
import { packBodies } from "../../../src/reports/packing.ts";
import { PACKABLE_PULSES } from "../../../src/reports/pulse.ts";
import { type TestGround, testGround } from "../../support/deps.ts";
import { parsed, rowsOf, tagged, textOf } from "../../support/html.ts";
import { fullCodebaseReport } from "../../support/make/codebase_report.ts";
import { testTower } from "../../support/test_tower.ts";
import { type World, world } from "../../support/world.ts";

const COMMIT = "3f786850e387550fdab836ed7e6dc881de23001b";
const DAY = "2026-03-01" as UtcDay;
const AT = `/sites/harbor/reports/${DAY}`;

let ground: TestGround;
let site: World;

/** Through the real door, as a site sends it. */
async function send(to: TestGround, path: string, body: object): Promise<string> {
  const service = await testTower({ ground: to });
  expect((await service.report(path, body)).status).toBe(201);
  await service.stop();
  return JSON.stringify(body);
}

const codebase = {
  ...fullCodebaseReport({ generatedAt: `${DAY}T04:00:00Z` }),
  repository: { remote: "git@github.com:acme/harbor.git", ref: "main", commit: COMMIT },
};
const pages = Array.from({ length: 250 }, (_, place) => ({ page: `/p${place}`, count: place }));
const first = { asset: "harbor", generatedAt: `${DAY}T03:00:00Z`, metrics: { signups: { last24h: 1 } } };
let sentSecond = "";

beforeAll(async () => {
  ground = await testGround();
  await send(ground, "/api/pulse", {
    ...first,
    metrics: { signups: { last24h: 1, "last 24h": 2 } },
    color: "red",
  });
  sentSecond = await send(ground, "/api/pulse", { ...first, negativeByPage: pages });
  await send(ground, "/api/codebase-report", codebase);
  site = await world({ ground });
});
afterAll(async () => {
  await site.stop();
  ground.store.close();
});

describe("the page of one report", () => {
  test("gives what was sent as a file, byte for byte", async () => {
    const file = await site.ask(`${AT}/2/json`);
    expect(await file.text()).toBe(sentSecond);
    expect(file.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(file.headers.get("content-disposition")).toBe(
      `attachment; filename="harbor-nightly-${DAY}-revision-2.json"`,
    );
    expect((await site.ask(`${AT}/9/json`)).status).toBe(404);
  });

  test("says of a milestone's severity why it is ignored: the contract knows it", async () => {
    const flags = [{ severity: "error", kind: "milestone", msg: "1,000 orders" }];
    await send(ground, "/api/pulse", { ...first, flags });
    const page = await (await site.ask(`${AT}/3`)).text();
    expect(page).toContain("/flags/0/severity");
    expect(page).toContain("A milestone is always info.");
  });

  test("leads to the repository without the password of its address", async () => {
    const repository = { remote: "https://ci:hunter2@git.example/acme/harbor.git" };
    await send(ground, "/api/codebase-report", { ...codebase, repository });
    const page = await (await site.ask(`/sites/harbor/reports/codebase/${DAY}/2`)).text();
    expect(page.includes('href="https://git.example/acme/harbor"')).toBe(true);
    expect(page.includes("hunter2")).toBe(false);
  });
});

describe("a damaged pack", () => {
  let broken: TestGround;
  let seen: World;
  beforeAll(async () => {
    broken = await testGround();
    await send(broken, "/api/pulse", first);
    await send(broken, "/api/codebase-report", codebase);
    broken.store.raw.run("DELETE FROM pulse_waiting");
    broken.clock.advance(3_600_000);
    await packBodies(broken, [PACKABLE_PULSES, PACKABLE_CODEBASE_REPORTS]);
    for (const pack of ["pulse_pack", "codebase_pack"]) {
      const change = `UPDATE ${pack} SET data = CAST(data || x'00' AS BLOB)`;
      broken.store.raw.exec(`DROP TRIGGER ${pack}_stays; ${change}`);
    }
    await send(broken, "/api/pulse", { ...first, generatedAt: `${addDays(DAY, -1)}T03:00:00Z` });
    seen = await world({ ground: broken });
  });
  afterAll(async () => {
    await seen.stop();
    broken.store.close();
  });
  const at = async (path: string) => {
    const answer = await seen.ask(path);
    return { status: answer.status, html: parsed(await answer.text()) };
  };

  test("does not hide the list of reports, nor any report that lies elsewhere", async () => {
    const list = await at("/sites/harbor/reports");
    expect(list.status).toBe(200);
    expect(rowsOf(list.html, "Reports, newest received first")).toHaveLength(4);
    const other = await at(`/sites/harbor/reports/${addDays(DAY, -1)}/1`);
    expect(rowsOf(other.html, "Metrics of the report")).toHaveLength(2);
  });

  test.each([`${AT}/1`, `/sites/harbor/reports/codebase/${DAY}/1`])(
    "is named on the page of its report, which shows the rest: %s",
    async (path) => {
      const { status, html } = await at(path);
      expect(status).toBe(200);
      expect(textOf(html)).toMatch(
        /cannot be read\. Its stored data is damaged: \w+_pack, row 1: it is not as it was written/,
      );
      expect(rowsOf(html, "Revisions of the day, newest first")).toHaveLength(2);
    },
  );

  test.each(["/sites/harbor", "/sites/harbor/codebase"])(
    "is named by what shows the site's latest: %s",
    async (path) => {
      const { status, html } = await at(path);
      expect(status).toBe(200);
      expect(textOf(html)).toContain("row 1: it is not as it was written");
      expect(textOf(html)).not.toContain("No nightly report yet");
      expect(tagged(html, "h1").map(textOf)).toEqual(["harbor"]);
    },
  );

  test("is named where nothing but it was asked for", async () => {
    const { status, html } = await at(`${AT}/1/json`);
    expect(status).toBe(500);
    expect(textOf(html)).toContain("Stored data is damaged: pulse_pack, row 1");
  });
});
