/** The ledger by month: every figure is of one currency, what is absent is not 0, and an affiliate estimate is no point. */

import { describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { currencyOf } from "../../../src/ledger/amount.ts";
import { recordCost, recordRevenue } from "../../../src/ledger/ledger.ts";
import { attribute, rowsOf, tagged } from "../../support/html.ts";
import { type World, world } from "../../support/world.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The test's clock stands in November 2026 at the earliest; months are told from it. */
const monthsBefore = (site: World, back: number): string => {
  const now = new Date(site.clock.now());
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7);
};

/** Records rows: of revenue where they have a status. A period is months before the present one. */
async function record(site: World, rows: readonly Fields[], hour = 6_000): Promise<void> {
  await site.writer.write((tx): void => {
    for (const { back = 0, ...fields } of rows) {
      const row = { asset: "harbor", source: "adsense", period: monthsBefore(site, Number(back)), ...fields };
      const by = { by: "operator:ada", now: site.clock.now(), rates: { EUR: hour } };
      const recorded =
        "status" in row ? recordRevenue(tx, row as never, by) : recordCost(tx, row as never, by);
      if (recorded.outcome === "refused") throw new Error(JSON.stringify(recorded.errors));
    }
  });
}

const EUR = { currency: currencyOf("EUR") };
const booked = (amount: number, more: Fields = {}) => ({ status: "booked", amount, ...EUR, ...more });

describe("the rows of a currency", () => {
  const CAPTION = "Ledger rows in EUR";
  test("go on 50 at a time, each row once", async () => {
    const site = await world();
    await record(
      site,
      Array.from({ length: 101 }, (_, place) => booked(place + 1, { ref: `row ${place}` })),
    );
    const seen: string[] = [];
    let next: string | undefined = "/ledger/rows?currency=EUR";
    for (let page = 0; next !== undefined && page < 9; page++) {
      const html = await site.open(next);
      seen.push(
        ...rowsOf(html, CAPTION)
          .slice(1)
          .map((row) => row[5] ?? ""),
      );
      next = tagged(html, "a")
        .map((link) => attribute(link, "href") ?? "")
        .find((href) => href.includes("after="));
      if (seen.length > 100) break;
    }
    expect(seen).toHaveLength(101);
    expect(new Set(seen).size).toBe(101);
    await site.close();
  });
});

const CODES = ["EUR", "USD", "JPY"] as const;
const anyRow = fc.record({
  back: fc.integer({ min: 0, max: 14 }),
  currency: fc.constantFrom(...CODES).map((code) => currencyOf<string>(code)),
  source: fc.constantFrom("adsense", "affiliate", "stripe"),
  amount: fc.integer({ min: -1_000_000, max: 1_000_000 }),
  what: fc.constantFrom(
    { status: "booked" },
    { status: "estimated" },
    { kind: "inference", change: "v1" },
    { kind: "inference", change: "os-overhead" },
    { kind: "external_api" },
  ),
});

/** What the page and the file say of one currency, without the numbers of the rows. */
async function saidOf(site: World, currency: string) {
  const page = rowsOf(await site.open("/ledger"), `${currency} by month`);
  const file = parse(await (await site.ask(`/ledger/rows.csv?currency=${currency}`)).text(), {
    columns: true,
  }) as Fields[];
  return { page, file: file.map(({ id: _id, ...row }) => row) };
}

test("no page and no file has a figure of two currencies: each says of one what it says where there is no other", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow, { minLength: 1, maxLength: 25 }), async (made) => {
      const rows = made.map(({ what, ...row }, place) => ({ ...row, ...what, ref: String(place) }));
      const all = await world();
      await record(all, rows);
      for (const code of CODES) {
        const own = rows.filter(({ currency }) => currency === code);
        if (!own.some(({ back }) => back < 12)) continue;
        const alone = await world();
        await record(alone, own);
        const said = await saidOf(all, code);
        expect(said).toEqual(await saidOf(alone, code));
        expect(said.file.every(({ currency }) => currency === code)).toBe(true);
        await alone.close();
      }
      await all.close();
    }),
    { numRuns: 15 },
  );
});
