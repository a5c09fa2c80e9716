/** `bench archive_query` asks this: an archive of one family, made by the product's own store and the writer of its manifest. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { recordReport } from "../../../src/archive/manifest.ts";
import { copyManifests } from "../../../src/archive/manifest_copy.ts";
import { sha256Hex } from "../../../src/base/keys.ts";
import { dayNumber, utcDayOf } from "../../../src/base/time.ts";
import { openObjectStore } from "../../../src/store/directory_store.ts";
import { StoreFault } from "../../../src/store/objects.ts";
import { reportOf } from "../../support/archive.ts";
import { openFolder } from "../../support/data_folder.ts";

/** Rows of a site's report: from a small site to a large one. */
const SIZES = [8, 20, 60, 150, 400, 1_000];
/** Each date is asked for in four runs; what is unchanged names the object of before. */
const DATES = 4;
const AT_ONCE = 20;
const packed = promisify(gzip);

/** A report as search console writes one. */
function reportText(property: number, day: number): { readonly text: string; readonly rows: number } {
  const rows = SIZES[property % SIZES.length] ?? 1;
  const told = Array.from({ length: rows }, (_, row) => {
    const chance = Math.imul(property * 131_071 + day * 8_191 + row, 2_654_435_761) >>> 0;
    const clicks = Math.floor(1_000 / (row + 3)) + (chance % 5);
    const impressions = clicks * 20 + (chance % 97);
    return {
      keys: [`where to find thing ${row} of ${property}`],
      clicks,
      impressions,
      ctr: clicks / impressions,
      position: (chance % 900) / 10,
    };
  });
  return { text: JSON.stringify({ rows: told, responseAggregationType: "byProperty" }, null, 2), rows };
}

export interface MadeArchive {
  readonly objects: number;
  readonly bytes: number;
  readonly stored: number;
  readonly seconds: number;
}

/** The bucket's server answers now and then before others see all that it was sent, which the store does not let pass. */
async function putAgain(put: () => Promise<unknown>, left = 5): Promise<void> {
  try {
    await put();
  } catch (error) {
    if (!(error instanceof StoreFault) || left === 0) throw error;
    await Bun.sleep(50);
    await putAgain(put, left - 1);
  }
}

/** Makes an archive of so many days by the product's own store and writer. */
export async function makeArchive(
  data: string,
  { properties, days }: { readonly properties: number; readonly days: number },
  settings: Readonly<Record<string, string>>,
): Promise<MadeArchive> {
  mkdirSync(data, { recursive: true });
  const opened = await openFolder(data, settings);
  const { deps } = opened;
  const store = openObjectStore(deps.config);
  const newest = dayNumber(utcDayOf(deps.clock.now())) - 3;
  const begun = performance.now();
  const made = { objects: 0, bytes: 0, stored: 0 };
  const dates: (readonly Parameters<typeof recordReport>[1][])[] = [];
  for (let day = 0; day < days; day++) {
    const reports: Parameters<typeof recordReport>[1][] = [];
    for (let from = 0; from < properties; from += AT_ONCE) {
      const many = Math.min(AT_ONCE, properties - from);
      const some = await Promise.all(
        Array.from({ length: many }, async (_, place) => {
          const property = from + place;
          const { text, rows } = reportText(property, day);
          const content = Buffer.from(text);
          const gzipped = await packed(content, { level: 6 });
          const sha256 = sha256Hex(content);
          const object = {
            sha256,
            bytes: content.length,
            storedBytes: gzipped.length,
            storedSha256: sha256Hex(gzipped),
            content: sha256,
            rows,
            secrets: 0,
          };
          const file = join(data, `spooled-${property}`);
          writeFileSync(file, gzipped);
          await putAgain(() => store.put(object, file));
          rmSync(file);
          made.objects++;
          made.bytes += object.bytes;
          made.stored += object.storedBytes;
          const name = `site-${property}.example`;
          const target = {
            asset: name,
            provider: "search-console" as const,
            connectionRevision: "first",
            property: `sc-domain:${name}`,
            family: "query",
          };
          return reportOf({ target, object, date: newest - days + 1 + day });
        }),
      );
      reports.push(...some);
    }
    dates.unshift(reports);
    dates.length = Math.min(dates.length, DATES);
    const at = deps.clock.now();
    await deps.jobs.runEntry(
      {
        name: "analysis",
        at: "15 12 * * *",
        recorded: true,
        work: async ({ id }) => {
          for (const [place, ofDate] of dates.entries()) {
            const outcome = place === 0 ? "stored" : "unchanged";
            await deps.writer.write((tx) => {
              for (const one of ofDate) recordReport(tx, { ...one, run: id, attemptedAt: at, outcome });
            });
          }
        },
      },
      "command",
    );
    await copyManifests({ store: deps.store, writer: deps.writer, objects: store });
  }
  opened.close();
  return { ...made, seconds: (performance.now() - begun) / 1_000 };
}
