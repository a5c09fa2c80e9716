/** Reports are read on a worker, to the same end as at once. */

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { readRaw } from "../../src/archive/insight_fold.ts";
import { ReportReader } from "../../src/archive/store_report.ts";
import { SpoolFault } from "../../src/base/files.ts";
import { findFamily, type RawReport } from "../../src/providers/report_families.ts";
import { PageFile } from "../../src/providers/report_pages.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fresh } from "../support/fresh.ts";

const DAY = 20_770;
const folder = fresh(temporaryFolder);

/** A report of search console in pages of so many rows. */
function rawOf(pages: readonly number[], known: Partial<RawReport> = {}): RawReport {
  const family = findFamily("search-console", "page");
  if (family === undefined) throw new Error("there is no such family");
  let offset = 0;
  return {
    asked: {
      family,
      property: "sc-domain:harbor.example",
      from: DAY,
      to: DAY,
      timeZone: undefined,
      bounds: { rows: 250_000, bytes: 67_108_864 },
      errorEvents: { events: ["exception"], message: "error_message", source: "error_source" },
    },
    askedAt: 1_795_000_000_000,
    pages: pages.map((rows, place) => {
      const path = join(folder.path, `page-${place}`);
      const all = Array.from({ length: rows }, (_, row) => ({
        keys: [`https://harbor.example/${offset + row}`],
        clicks: row,
        impressions: 10 * row + 1,
        ctr: row / (10 * row + 1),
        position: 3.5,
      }));
      const text = JSON.stringify({ rows: all, responseAggregationType: "byPage" });
      writeFileSync(path, text);
      const page = { path, bytes: text.length, step: "rows", value: undefined, offset } as const;
      offset += rows;
      return page;
    }),
    cut: undefined,
    ...known,
  };
}

test("a worker reads what is read at once: the same rows, the same bytes, each time", async () => {
  const raw = rawOf([40, 7]);
  const at = (name: string) => join(folder.path, name);
  const once = await readRaw({ raw, into: at("once"), known: undefined });
  const reader = new ReportReader({ path: at("tower.db") });
  await reader.during(async () => {
    const answers = await Promise.all([
      reader.read({ raw, into: at("one"), known: undefined }),
      reader.read({ raw, into: at("other"), known: undefined }),
    ]);
    expect(answers).toEqual([once, once]);
    if (!once.ok || once.packed === undefined) throw new Error("the report was not read");
    expect([once.read.rows, once.insight?.rows, once.insight?.top.length]).toEqual([47, 47, 47]);
    const plain = raw.pages.map(({ path }) => readFileSync(path, "utf8")).join("\n");
    const sha256 = new Bun.CryptoHasher("sha256").update(plain).digest("hex");
    expect([once.packed.sha256, once.packed.bytes]).toEqual([sha256, plain.length]);
    for (const name of ["once", "one", "other"]) {
      const stored = readFileSync(at(name));
      expect(gunzipSync(stored).toString()).toBe(plain);
      expect(new Bun.CryptoHasher("sha256").update(stored).digest("hex")).toBe(once.packed.storedSha256);
    }
    // What says the same as what is stored is not packed.
    const known = await reader.read({ raw, into: at("again"), known: once.read.content });
    expect(known).toEqual({ ...once, packed: undefined });
    expect(await Bun.file(at("again")).exists()).toBe(false);
  });
});

test("a page that a worker takes is the one that is taken at once, also when it is begun anew", async () => {
  const rows = Array.from({ length: 30_000 }, (_, row) => ({ keys: [`"AuthenticationCode":"${row}`] }));
  const body = Buffer.from(JSON.stringify({ rows, told: "the-secret-of-the-service", rowCount: 30_000 }));
  const secrets = ["the-secret-of-the-service"];
  const asked = (name: string) => ({ path: join(folder.path, name), secrets, list: "rows", firstRows: 2 });
  const reader = new ReportReader({ path: join(folder.path, "tower.db") });
  await reader.during(async () => {
    const pages = [new PageFile(asked("once")), reader.page(asked("one")), reader.page(asked("other"))];
    await Promise.all(
      pages.map(async (page) => {
        for (const bytes of [body.subarray(0, 999), body]) {
          await page.begin(200);
          // The buffer is lent: it is more than what came.
          await page.write(bytes);
          await page.end();
        }
      }),
    );
    const kept = body.toString().replace("the-secret-of-the-service", "[secret]");
    const seen = { bytes: Buffer.byteLength(kept), isCut: false, items: 30_000 };
    for (const page of pages) expect(page.seen).toMatchObject({ ...seen, first: rows.slice(0, 2) });
    for (const name of ["once", "one", "other"]) {
      expect(readFileSync(join(folder.path, name), "utf8")).toBe(kept);
    }
    const nowhere = reader.page(asked("nowhere/at/all"));
    expect(await nowhere.begin(200).catch((error: unknown) => error)).toBeInstanceOf(SpoolFault);
  });
});

test("nothing is kept of the rows of a report that was cut", async () => {
  const read = await readRaw({
    raw: rawOf([5], { cut: { by: "rows" } }),
    into: join(folder.path, "into"),
    known: undefined,
  });
  expect(read).toMatchObject({ ok: true, read: { rows: 5 }, insight: undefined });
});

test("a spool that cannot be written is told as that, from a worker too", async () => {
  const question = { raw: rawOf([3]), into: join(folder.path, "nowhere", "into"), known: undefined };
  await expect(readRaw(question)).rejects.toBeInstanceOf(SpoolFault);
  const reader = new ReportReader({ path: join(folder.path, "tower.db") });
  await reader.during(async () => {
    await expect(reader.read(question)).rejects.toBeInstanceOf(SpoolFault);
  });
});
