/** The documented query over the archive, run as it stands over what the product's own store and writer of manifests left. */

import { beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type NewReport, recordReport } from "../../src/archive/manifest.ts";
import { copyManifests } from "../../src/archive/manifest_copy.ts";
import { dayNumber, utcDayOf } from "../../src/base/time.ts";
import { openObjectStore } from "../../src/store/directory_store.ts";
import { HARBOR_PAGES, objectIn, reportOf } from "../support/archive.ts";
import { openNewFolder } from "../support/data_folder.ts";
import { documentBlock } from "../support/documents.ts";
import { askDuckDb } from "../support/duckdb.ts";
import { fresh } from "../support/fresh.ts";
import { objectHolding, spooled } from "../support/objects.ts";
import { packDue } from "../support/packing.ts";

const DAY = 86_400_000;

const SQL = documentBlock("top_queries.sql");

const opened = fresh(openNewFolder);
let today: number;
beforeEach(() => {
  today = dayNumber(utcDayOf(opened.deps.clock.now()));
});

type Told = readonly (readonly [query: string, clicks: number])[];
const pageOf = (rows: Told) =>
  JSON.stringify(
    {
      ...(rows.length === 0 ? {} : { rows: rows.map(rowOf) }),
      responseAggregationType: "byProperty",
    },
    null,
    2,
  );
const rowOf = ([query, clicks]: Told[number]) => ({
  keys: [query],
  clicks,
  impressions: clicks * 10,
  ctr: 0.1,
  position: 3.5,
});

/** An attempt, so many days ago, whose object holds these pages. */
async function stored(
  pages: readonly Told[],
  daysAgo: number,
  changes: Partial<NewReport> & { readonly site?: string } = {},
): Promise<{ readonly report: NewReport; readonly sha256: string }> {
  const { deps } = opened;
  const made = objectHolding(pages.map(pageOf).join("\n"));
  await openObjectStore(deps.config).put(made, spooled(opened.path, made));
  const { sha256, bytes, storedBytes, storedSha256 } = made;
  const object = {
    sha256,
    bytes,
    storedBytes,
    storedSha256,
    content: sha256,
    rows: pages.flat().length,
  };
  const { site = "harbor.example", ...rest } = changes;
  const target = { ...HARBOR_PAGES, asset: site, property: `sc-domain:${site}`, family: "query" };
  return { sha256, report: reportOf({ target, date: today - daysAgo, object, ...rest }) };
}

/** Lets a run of the job record these, and end. */
async function ran(attempts: readonly { readonly report: NewReport }[]): Promise<void> {
  const { deps } = opened;
  const work = async ({ id }: { readonly id: number }) => {
    await deps.writer.write((tx) => {
      for (const { report } of attempts) recordReport(tx, { ...report, run: id });
    });
  };
  await deps.jobs.runEntry({ name: "analysis", at: "15 12 * * *", recorded: true, work }, "command");
  const objects = openObjectStore(deps.config);
  await copyManifests({ ...deps, objects });
}

const archive = () => join(opened.path, "raw-signals");
const ask = async () => {
  const { rows } = await askDuckDb({ before: [`SET VARIABLE archive = '${archive()}'`], sql: SQL });
  return rows.map(
    ({ asset, query, clicks, impressions, days }) => `${asset} ${query} ${clicks} ${impressions} ${days}`,
  );
};

describe("top queries of every site over a year", () => {
  test("clicks are summed over dates, each by its newest whole report, whatever was asked for later in vain", async () => {
    const first = await stored([[["boats", 5]]], 3, { attemptedAt: 1 });
    const late = await stored([[["boats", 7]], [["anchors", 2]]], 3, { attemptedAt: 2 });
    const cut = { attemptedAt: 3, outcome: "incomplete", category: "incomplete_report" } as const;
    const pages = { ...HARBOR_PAGES, asset: "harbor.example" };
    await ran([
      first,
      await stored([[["boats", 40]]], 4),
      await stored([[["ropes", 1]]], 9, { site: "inn.example" }),
    ]);
    await ran([
      late,
      await stored([[["boats", 900]]], 3, { ...cut, failureCode: "report_over_ceiling", complete: false }),
      {
        report: reportOf({
          ...late.report,
          attemptedAt: 4,
          outcome: "failed",
          object: null,
          complete: false,
        }),
      },
      await stored([[["https://harbor.example/", 800]]], 3, { target: pages }),
      await stored([[["boats", 700]]], 400),
    ]);
    expect(await ask()).toEqual([
      "harbor.example boats 47 470 2",
      "harbor.example anchors 2 20 1",
      "inn.example ropes 1 10 1",
    ]);
  });

  test("what two dates or two sites share is one object, and counts for each", async () => {
    const same: Told = [["boats", 5]];
    const inn = { site: "inn.example" };
    const attempts = [await stored([same], 5), await stored([same], 6), await stored([same], 5, inn)];
    expect(new Set(attempts.map(({ sha256 }) => sha256)).size).toBe(1);
    await ran([...attempts, await stored([[]], 7, { outcome: "empty" })]);
    expect(await ask()).toEqual(["harbor.example boats 10 100 2", "inn.example boats 5 50 1"]);
  });

  test("of each site the first ten are told", async () => {
    const many = Array.from({ length: 12 }, (_, place) => [`query ${place}`, 100 - place] as const);
    await ran([await stored([many], 5), await stored([[["ropes", 1]]], 5, { site: "inn.example" })]);
    const told = await ask();
    expect(told).toHaveLength(11);
    expect([told[0], told[9], told[10]]).toEqual([
      "harbor.example query 0 100 1000 1",
      "harbor.example query 9 91 910 1",
      "inn.example ropes 1 10 1",
    ]);
  });

  test("what lies in packs counts as what lies by itself does, once", async () => {
    const { deps } = opened;
    const objects = openObjectStore(deps.config);
    const at = (daysAgo: number) => ({ attemptedAt: deps.clock.now() - daysAgo * DAY });
    const told = (day: number): Told[] => [[["boats", day]], [["anchors", 1]]];
    await ran([
      await stored(told(100), 100, at(100)),
      await stored(told(95), 95, at(95)),
      await stored([[]], 80, { ...at(80), outcome: "empty" }),
      await stored(told(70), 70, at(70)),
      await stored(told(70), 66, { ...at(66), site: "inn.example" }),
      await stored(told(40), 40, at(40)),
      await stored([[["boats", 5]]], 2, at(2)),
    ]);
    const expected = await ask();
    expect(expected).toEqual([
      "harbor.example boats 310 3100 5",
      "harbor.example anchors 4 40 4",
      "inn.example boats 70 700 1",
      "inn.example anchors 1 10 1",
    ]);
    const packing = { ...deps, objects };
    await packDue(packing);
    expect(await ask()).toEqual(expected);
    await packDue({ ...packing, clock: { now: () => deps.clock.now() + 7 * DAY } });
    expect((await Array.fromAsync(objects.list())).length).toBeLessThan(4);
    expect(await ask()).toEqual(expected);
    const [pack] = await Array.fromAsync(objects.listFiles("packs/"));
    const path = join(archive(), pack ?? "");
    chmodSync(path, 0o600);
    const whole = readFileSync(path);
    writeFileSync(path, whole.subarray(0, whole.length - 40));
    await expect(ask()).rejects.toThrow(pack ?? "no pack");
  });

  test("an object that is missing or cut off fails the query by its name: no sum leaves it out unsaid", async () => {
    const lost = await stored([[["boats", 5]]], 5);
    await ran([lost, await stored([[["boats", 6]]], 6)]);
    const path = objectIn(archive(), lost);
    const whole = readFileSync(path);
    rmSync(path);
    await expect(ask()).rejects.toThrow(lost.sha256);
    writeFileSync(path, whole.subarray(0, whole.length / 2));
    await expect(ask()).rejects.toThrow(lost.sha256);
  });
});
