import { afterEach, beforeEach, expect, test } from "bun:test";
import { noteFailure } from "../../../src/health/monitoring.ts";
import { flushRefusals, loadRefusals, REPORT_ROUTES } from "../../../src/health/refusals.ts";
import { instant } from "../../support/clock.ts";
import { type TestGround, testGround } from "../../support/deps.ts";
import { byId, parsed, rowsOf, textOf } from "../../support/html.ts";
import { capturingLog } from "../../support/log.ts";
import { pulse } from "../../support/make/pulse.ts";
import { accept } from "../../support/nightly.ts";
import { type World, world } from "../../support/world.ts";

let ground: TestGround;
let site: World;
beforeEach(async () => {
  ground = await testGround();
  site = await world({ ground });
  await accept(ground, pulse({ generatedAt: "2026-02-26T02:30:00Z" }));
});
afterEach(async () => {
  await site.stop();
  ground.store.close();
});

async function refuse(route: string, times: readonly string[], pointer: string): Promise<void> {
  const book = loadRefusals(ground.store.db);
  const faults = [{ pointer, rule: "count", message: "must be a whole number" }];
  const kind = { asset: "harbor", route, status: 422, code: "broken-contract", faults, more: 2 };
  for (const time of times) book.note({ ...kind, at: instant(time) });
  await flushRefusals(ground.writer, book, "default", capturingLog().log);
}

const NIGHTS = ["2026-02-27T02:30:00Z", "2026-02-28T02:30:00Z", "2026-03-01T02:30:00Z"];

test("a site refused every night says so on its row, on its page and among its reports", async () => {
  await refuse(REPORT_ROUTES.nightly, NIGHTS, "/metrics/signups/last24h");
  await refuse(REPORT_ROUTES.codebase, NIGHTS.slice(0, 1), "/measures/files");

  const row = textOf(byId(await site.open("/"), "site-harbor"));
  expect(row).toContain("refused 3 times since the last good one, the latest 422 /metrics/signups/last24h");
  expect(row).toContain("refused once, with 422 /measures/files");

  const live = textOf(byId(await site.open("/sites/harbor"), "heard"));
  expect(live).toContain(
    "3 reports were refused since this one, the latest 1 Mar 02:30 with 422: /metrics/signups/last24h must be a whole number.",
  );
  expect(live).toContain("1 report was refused, the latest 27 Feb 02:30 with 422: /measures/files");

  const rows = rowsOf(
    await site.open("/sites/harbor/reports"),
    "Refused reports, one row for each reason, the latest first",
  );
  expect(rows.slice(1)).toEqual([
    [
      "1 Mar 02:30",
      "Nightly",
      "422 broken-contract",
      "/metrics/signups/last24h must be a whole number and 2 more rules",
      "3",
      "27 Feb 02:30",
    ],
    [
      "27 Feb 02:30",
      "Codebase",
      "422 broken-contract",
      "/measures/files must be a whole number and 2 more rules",
      "1",
      "27 Feb 02:30",
    ],
  ]);
  const nightly = textOf(await site.open("/sites/harbor/reports?kind=nightly"));
  expect(nightly).not.toContain("/measures/files");
});

test("a site of which nothing was refused shows nothing of it", async () => {
  for (const path of ["/", "/sites/harbor", "/sites/harbor/reports"]) {
    expect(textOf(await site.open(path))).not.toContain("efused");
  }
});

test("constants that are not in effect stand on the portfolio and on Flags, with since when", async () => {
  const of = { kind: "constants", asset: "", source: "", subject: "constants.toml" } as const;
  const reason =
    "The rules run with the last good constants, version 3. constants.toml is not in effect: <b>.";
  const since = instant("2026-02-28T09:00:00Z");
  const told = `Not everything here is watched. This is not an all-clear. System healthThe constants document, since 28 Feb 09:00: ${reason} Correct the document, or save an earlier version again. Constants`;
  await ground.writer.write((tx) => noteFailure(tx, of, { reason, now: since }));
  expect(textOf(byId(await site.open("/"), "not-watched"))).toBe(told);

  const flags = await world();
  await flags.writer.write((tx) => noteFailure(tx, of, { reason, now: since }));
  for (const path of ["/flags", "/sites/harbor/flags"]) {
    const page = parsed(await (await flags.ask(path)).text());
    expect(textOf(byId(page, "not-watched"))).toBe(told);
  }
  await flags.close();
});
