/** The ledger by month: every figure is of one currency, what is absent is not 0, and an affiliate estimate is no point. */

import { describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { currencyOf } from "../../../src/ledger/amount.ts";
import { recordCost, recordRevenue } from "../../../src/ledger/ledger.ts";
import { attribute, byId, parsed, rowsOf, tagged, textOf } from "../../support/html.ts";
import { SettingsWalk } from "../../support/settings_walk.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The test's clock stands in November 2026 at the earliest; months are told from it. */
const monthsBefore = (walk: SettingsWalk, back: number): string => {
  const now = new Date(walk.deps.clock.now());
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7);
};

/** Records rows: of revenue where they have a status. A period is months before the present one. */
async function record(walk: SettingsWalk, rows: readonly Fields[], hour = 6_000): Promise<void> {
  await walk.deps.writer.write((tx): void => {
    for (const { back = 0, ...fields } of rows) {
      const row = { asset: "shop", source: "adsense", period: monthsBefore(walk, Number(back)), ...fields };
      const by = { by: "operator:ada", now: walk.deps.clock.now(), rates: { EUR: hour } };
      const recorded =
        "status" in row ? recordRevenue(tx, row as never, by) : recordCost(tx, row as never, by);
      if (recorded.outcome === "refused") throw new Error(JSON.stringify(recorded.errors));
    }
  });
}

const EUR = { currency: currencyOf("EUR") };
const booked = (amount: number, more: Fields = {}) => ({ status: "booked", amount, ...EUR, ...more });
const estimated = (amount: number, more: Fields = {}) => ({ status: "estimated", amount, ...EUR, ...more });

/** The lines of a currency: the heading, then their cells, the newest month last. */
const lines = (html: string, currency = "EUR") =>
  Object.fromEntries(
    rowsOf(parsed(html), `${currency} by month`).map(([words = "", ...cells]) => [words, cells]),
  );
const ABSENT = "–no rows";

describe("the ledger by month", () => {
  test("booked, estimated, a year earlier, costs by kind and margin stand side by side, and absent is a dash", async () => {
    using walk = await SettingsWalk.start();
    await record(walk, [
      booked(250_000, { back: 1 }),
      booked(-1_050, { back: 1, ref: "refund" }),
      booked(190_411, { back: 13 }),
      estimated(53_749),
      booked(7, { back: 2 }),
      { kind: "inference", change: "v42", amount: 10_000, back: 1, ...EUR },
      { kind: "inference", change: "os-overhead", amount: 500, back: 1, ...EUR },
      { kind: "operator_minutes", minutes: 90, back: 1, ...EUR },
      { kind: "external_api", amount: 100, back: 3, ...EUR },
    ]);
    const of = lines(await walk.page("/ledger"));
    const last4 = (words: string) => of[words]?.slice(-4);
    expect(of["In EUR"]).toHaveLength(12);
    expect(of["In EUR"]?.at(-1)).toEndWith("estimated");
    expect(last4("Revenue booked")).toEqual([ABSENT, "0.07", "2,489.50", ABSENT]);
    expect(last4("Revenue estimated")).toEqual([ABSENT, ABSENT, ABSENT, "537.49"]);
    expect(last4("Booked a year earlier")).toEqual([ABSENT, ABSENT, "1,904.11", ABSENT]);
    expect(last4("Costs")).toEqual(["1.00", ABSENT, "195.00", ABSENT]);
    expect(last4("Inference, by change")?.[2]).toBe("100.00");
    expect(last4("Inference, overhead")?.[2]).toBe("5.00");
    expect(last4("Operator time (60.00 an hour)")?.[2]).toBe("90.00");
    // Costs without revenue, and revenue without costs, make no margin.
    expect(last4("Margin")).toEqual(["–none", "–none", "2,294.50", "–none"]);
  });

  test("operator time names each of its rates, the lowest first", async () => {
    using walk = await SettingsWalk.start();
    const hour = (ref: string) => ({ kind: "operator_minutes", minutes: 60, ref, ...EUR });
    await record(walk, [hour("one")]);
    await record(walk, [hour("two")], 9_000);
    const of = lines(await walk.page("/ledger"));
    expect(of["Operator time (60.00 or 90.00 an hour)"]?.at(-1)).toBe("150.00");
  });

  test("an affiliate estimate is its range, or says that it may change, in the margin too", async () => {
    using walk = await SettingsWalk.start();
    const affiliate = { source: "affiliate" };
    await record(walk, [
      estimated(10_000, { ...affiliate, low: 8_000, high: 13_000 }),
      estimated(2_000),
      { kind: "external_api", amount: 1_000, ...EUR },
      estimated(4_200, { ...affiliate, back: 1 }),
      { kind: "external_api", amount: 100, back: 1, ...EUR },
    ]);
    const of = lines(await walk.page("/ledger"));
    expect(of["Revenue estimated"]?.slice(-2)).toEqual(["estimate, may still change", "100.00–150.00"]);
    expect(of["Margin"]?.slice(-2)).toEqual(["estimate, may still change", "90.00–140.00"]);
    expect(await walk.page("/ledger")).not.toContain("42.00");
  });

  test("what is booked by now is no part of the margin's estimate, and its estimate stays in sight", async () => {
    using walk = await SettingsWalk.start();
    const more = { back: 2 };
    await record(walk, [
      estimated(9_000, more),
      booked(8_000, more),
      { kind: "external_api", amount: 1_000, ...more, ...EUR },
    ]);
    const of = lines(await walk.page("/ledger"));
    const at = (words: string) => of[words]?.at(-3);
    expect([at("Revenue booked"), at("Revenue estimated"), at("Margin")]).toEqual([
      "80.00",
      "90.00",
      "70.00",
    ]);
  });

  test("costs of all sites stand under all sites alone; a site has no part of a currency without rows of its own", async () => {
    using walk = await SettingsWalk.start();
    await record(walk, [
      { kind: "external_api", amount: 100, asset: null, currency: currencyOf("JPY") },
      booked(5),
      { ...booked(300), currency: null, legacy: true, source: "old" },
    ]);
    const all = await walk.page("/ledger");
    expect(lines(all, "JPY")["Costs"]?.at(-1)).toBe("100");
    expect(textOf(byId(parsed(all), "cur-USD"))).toContain("1 legacy row without a currency, taken as USD");
    const html = await walk.page("/sites/shop/ledger");
    expect(() => lines(html, "JPY")).toThrow();
    expect(lines(html)["Revenue booked"]?.at(-1)).toBe("0.05");
  });

  test("without rows it says why, and where rows come from", async () => {
    using walk = await SettingsWalk.start();
    const main = byId(parsed(await walk.page("/ledger")), "main");
    expect(tagged(main, "h2").map(textOf)).toEqual(["No ledger rows"]);
    expect(textOf(main)).toContain("Rows come from uploads, the API and ledger import.");
    expect(tagged(main, "a").map((link) => attribute(link, "href"))).toEqual(["/ledger/upload"]);
    expect(textOf(byId(parsed(await walk.page("/ledger/rows")), "main"))).toContain("No rows in USD");
    expect(await walk.page("/ledger/rows?kind=revenue")).toContain("No row matches");
  });
});

describe("the rows of a currency", () => {
  const CAPTION = "Ledger rows in EUR";
  const cells = async (walk: SettingsWalk, query: string, column: number) =>
    rowsOf(parsed(await walk.page(`/ledger/rows?currency=EUR${query}`)), CAPTION)
      .slice(1)
      .map((row) => row[column]);

  test("are of it alone, the newest period first, and are narrowed", async () => {
    using walk = await SettingsWalk.start();
    await record(walk, [
      booked(100_000, { ref: "a" }),
      booked(-2_000, { ref: "refund", back: 1 }),
      booked(9, { currency: currencyOf("JPY") }),
      estimated(4_200, { source: "affiliate", back: 2 }),
      { kind: "external_api", amount: 300, back: 3, ...EUR },
    ]);
    const open = "estimate, may still change";
    expect(await cells(walk, "", 5)).toEqual(["1,000.00", "−20.00", open, "3.00"]);
    expect(await cells(walk, "&kind=external_api", 5)).toEqual(["3.00"]);
    expect(await walk.page("/ledger/rows")).toContain("Ledger rows in JPY");
    expect((await walk.get("/ledger/rows?currency=XXY")).status).toBe(404);
  });

  test("go on 50 at a time, each row once", async () => {
    using walk = await SettingsWalk.start();
    await record(
      walk,
      Array.from({ length: 101 }, (_, place) => booked(place + 1, { ref: `row ${place}` })),
    );
    const seen: string[] = [];
    let next: string | undefined = "/ledger/rows?currency=EUR";
    for (let page = 0; next !== undefined && page < 9; page++) {
      const html = parsed(await walk.page(next));
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
async function saidOf(walk: SettingsWalk, currency: string) {
  const page = rowsOf(parsed(await walk.page("/ledger")), `${currency} by month`);
  const file = parse(await walk.page(`/ledger/rows.csv?currency=${currency}`), { columns: true }) as Fields[];
  return { page, file: file.map(({ id: _id, ...row }) => row) };
}

test("no page and no file has a figure of two currencies: each says of one what it says where there is no other", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow, { minLength: 1, maxLength: 25 }), async (made) => {
      const rows = made.map(({ what, ...row }, place) => ({ ...row, ...what, ref: String(place) }));
      using all = await SettingsWalk.start();
      await record(all, rows);
      for (const code of CODES) {
        const own = rows.filter(({ currency }) => currency === code);
        if (!own.some(({ back }) => back < 12)) continue;
        using alone = await SettingsWalk.start();
        await record(alone, own);
        const said = await saidOf(all, code);
        expect(said).toEqual(await saidOf(alone, code));
        expect(said.file.every(({ currency }) => currency === code)).toBe(true);
      }
    }),
    { numRuns: 15 },
  );
}, 60_000);
