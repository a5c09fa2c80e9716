import { expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../../src/base/time.ts";
import { PACKABLE_CODEBASE_REPORTS } from "../../../src/reports/codebase.ts";
import { packBodies } from "../../../src/reports/packing.ts";
import { PACKABLE_PULSES } from "../../../src/reports/pulse.ts";
import { actsAt } from "../../support/acts.ts";
import { fresh } from "../../support/fresh.ts";
import { parsed, textOf } from "../../support/html.ts";
import { fullCodebaseReport } from "../../support/make/codebase_report.ts";
import { world } from "../../support/world.ts";

const DAY = "2026-03-01" as UtcDay;
const AT = `/sites/harbor/reports/${DAY}`;
const codebase = fullCodebaseReport({ generatedAt: `${DAY}T04:00:00Z` });
const first = { asset: "harbor", generatedAt: `${DAY}T03:00:00Z`, metrics: { signups: { last24h: 1 } } };

const site = fresh(world);
/** Through the real door, as a site sends it. */
const send = async (path: string, body: object) => expect((await site.report(path, body)).status).toBe(201);

test("a report is given as it was sent, byte for byte; its page knows what the contract ignores, and no password of its repository", async () => {
  const pages = Array.from({ length: 250 }, (_, place) => ({ page: `/p${place}`, count: place }));
  const sent = { ...first, negativeByPage: pages };
  await send("/api/pulse", first);
  await send("/api/pulse", sent);
  const file = await site.ask(`${AT}/2/json`);
  expect(await file.text()).toBe(JSON.stringify(sent));
  expect(["content-type", "content-disposition"].map((name) => file.headers.get(name))).toEqual([
    "application/json; charset=utf-8",
    `attachment; filename="harbor-nightly-${DAY}-revision-2.json"`,
  ]);
  expect((await site.ask(`${AT}/9/json`)).status).toBe(404);
  await send("/api/pulse", {
    ...first,
    flags: [{ severity: "error", kind: "milestone", msg: "1,000 orders" }],
  });
  const remote = "https://ci:hunter2@git.example/acme/harbor.git";
  await send("/api/codebase-report", { ...codebase, repository: { remote } });
  const acts = actsAt(site);
  await acts.look(`${AT}/3`);
  await acts.look(`/sites/harbor/reports/codebase/${DAY}/1`);
  expect(acts.recorded()).not.toContain("hunter2");
  expect(acts.recorded()).toMatchSnapshot();
  // As many pages as are shown leave none to the JSON.
  await send("/api/pulse", { ...sent, negativeByPage: pages.slice(0, 200) });
  expect(await (await site.ask(`${AT}/4`)).text()).not.toContain("The highest 200 of");
});

test("a mean of few events is shown as what it is, and never as 0", async () => {
  await send("/api/pulse", { ...first, metrics: { signups: { last24h: 0, avg7d: 0.04 } } });
  await site.deps.follower.settle();
  for (const path of [`${AT}/1`, "/sites/harbor/metric?metric=signups"])
    expect(textOf(parsed(await (await site.ask(path)).text()))).toContain("0.04");
});

test("a damaged pack is named by what shows its reports, and hides no other report", async () => {
  await send("/api/pulse", first);
  await send("/api/codebase-report", codebase);
  site.store.raw.run("DELETE FROM pulse_waiting");
  site.clock.advance(3_600_000);
  await packBodies(site, [PACKABLE_PULSES, PACKABLE_CODEBASE_REPORTS]);
  for (const pack of ["pulse_pack", "codebase_pack"])
    site.store.raw.exec(`DROP TRIGGER ${pack}_stays; UPDATE ${pack} SET data = CAST(data || x'00' AS BLOB)`);
  const before = addDays(DAY, -1);
  await send("/api/pulse", { ...first, generatedAt: `${before}T03:00:00Z` });
  const acts = actsAt(site);
  for (const path of ["", "/codebase", "/reports", `/reports/${before}/1`, `/reports/${DAY}/1`])
    await acts.look(`/sites/harbor${path}`);
  for (const path of [`/sites/harbor/reports/codebase/${DAY}/1`, `${AT}/1/json`]) await acts.look(path);
  expect(acts.recorded()).toMatchSnapshot();
});
