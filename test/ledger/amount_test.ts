import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Amount, CURRENCIES, type Currency, currencyOf, exponentOf } from "../../src/ledger/amount.ts";
import type { Cost, Revenue } from "../../src/ledger/contract.ts";
import {
  type LedgerPart,
  type LedgerSum,
  ledgerMonths,
  listLedger,
  marginOf,
  recordCost,
  recordRevenue,
} from "../../src/ledger/store.ts";
import type { UtcDay } from "../../src/lib/utc_day.ts";
import { testGround } from "../support/deps.ts";

const CODES = ["EUR", "USD", "JPY", "KWD"] as const;
const currencies = fc.constantFrom(...CODES).map((code): Currency => currencyOf<string>(code));
const minor = fc.maxSafeInteger();

describe("an amount", () => {
  test("is of one currency: adding another is refused by the compiler where it is known, and at run time", () => {
    const [usd, eur] = [currencyOf("USD"), currencyOf("EUR")];
    // @ts-expect-error an amount of EUR is none of USD
    expect(() => Amount.sum(usd, [new Amount(eur, 1)])).toThrow("EUR cannot be added to USD");
    // @ts-expect-error amounts are no numbers
    expect(() => new Amount(usd, 1) - new Amount(usd, 1)).not.toThrow();
    fc.assert(
      fc.property(currencies, fc.array(fc.tuple(currencies, minor)), (currency, rows) => {
        const amounts = rows.map(([code, units]) => new Amount(code, units));
        const isMixed = rows.some(([code]) => code !== currency);
        if (isMixed) return expect(() => Amount.sum(currency, amounts)).toThrow("cannot be added");
        const exact = rows.reduce((sum, [, units]) => sum + BigInt(units), 0n);
        return expect(`${Amount.sum(currency, amounts)}`).toBe(`${new Amount(currency, exact)}`);
      }),
    );
  });

  test("is exact up to 2^53 - 1, has no -0, and no fraction of a minor unit", () => {
    const eur = currencyOf("EUR");
    const most = Number.MAX_SAFE_INTEGER;
    expect(new Amount(eur, most).toJSON()).toBe(most);
    expect(Object.is(new Amount(eur, -0).negated().toJSON(), 0)).toBe(true);
    for (const wrong of [2 ** 53, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => new Amount(eur, wrong)).toThrow(RangeError);
    }
    const beyond = Amount.sum(eur, [new Amount(eur, most), new Amount(eur, most)]);
    expect(`${beyond}`).toBe("180,143,985,094,819.82");
    expect(() => beyond.toJSON()).toThrow(RangeError);
  });

  test("is written with the digits of its currency: none for JPY, two for USD, three for KWD", () => {
    const written = (code: string, units: number) => `${new Amount(currencyOf(code), units)}`;
    expect(CODES.map((code) => exponentOf(currencyOf<string>(code)))).toEqual([2, 2, 0, 3]);
    const amounts = [written("JPY", 1_234), written("USD", -123_456), written("KWD", 5)];
    expect(amounts).toEqual(["1,234", "−1,234.56", "0.005"]);
    fc.assert(
      fc.property(fc.constantFrom(...CURRENCIES), minor, (code, units) => {
        const text = written(code, units);
        expect(BigInt(text.replace("−", "-").replace(/[,.]/g, ""))).toBe(BigInt(units));
        expect(text.split(".")[1]?.length ?? 0).toBe(exponentOf(currencyOf(code)));
      }),
    );
  });
});

const NOW = Date.parse("2026-03-01T09:00:00Z");
const revenues = fc.record({
  asset: fc.constantFrom("harbor", "orchard"),
  period: fc.constantFrom("2026-01", "2026-01-31", "2026-02", "2026-02-01"),
  source: fc.constantFrom("adsense", "affiliate"),
  status: fc.constantFrom("estimated" as const, "booked" as const),
  amount: fc.oneof(fc.integer({ min: -3, max: 3 }), minor),
  currency: fc.option(currencies, { nil: null }),
});

describe("the ledger, whatever is posted", () => {
  test("the current row is the last distinct amount, a row is added for each change alone, and the currency is the first", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(revenues, { maxLength: 40 }), async (posts) => {
        const { store, writer } = await testGround();
        const model = new Map<string, { amount: number; currency: string }>();
        let rows = 0;
        for (const post of posts) {
          const key = JSON.stringify([post.asset, post.period, post.source, post.status]);
          const before = model.get(key);
          const wanted = post.currency ?? before?.currency;
          const revenue: Revenue = { ...post };
          const { outcome } = await writer.write((tx) =>
            recordRevenue(tx, revenue, { by: "test", now: NOW }),
          );
          const isRefused = wanted === undefined || (before !== undefined && wanted !== before.currency);
          const isSame = before?.amount === post.amount;
          const expected = isSame ? "replayed" : before === undefined ? "stored" : "corrected";
          expect(outcome).toBe(isRefused ? "refused" : expected);
          if (isRefused) continue;
          if (!isSame) rows++;
          model.set(key, { amount: post.amount, currency: wanted });
        }
        const current = listLedger(store.db, {}, 100).map(
          ({ asset, period, source, status, amount, currency }) => [
            JSON.stringify([asset, period, source, status]),
            { amount: amount.toJSON(), currency: String(currency) },
          ],
        );
        expect(Object.fromEntries(current)).toEqual(Object.fromEntries(model));
        expect(listLedger(store.db, { revisions: "all" }, 100)).toHaveLength(rows);
        let held = 0;
        // Each month's figures are those of its own rows, each currency by itself and exact.
        for (const { currency, months } of ledgerMonths(store.db, { from: "2026-01", to: "2026-02" })) {
          for (const { month, parts } of months) {
            for (const { asset, source, status, ...sum } of parts) {
              const own = [...model].flatMap(([key, row]) => {
                const [site, period, ...rest] = JSON.parse(key) as string[];
                const isOwn =
                  site === asset && period?.startsWith(month) && `${rest}` === `${[source, status]}`;
                return isOwn && row.currency === currency ? [BigInt(row.amount)] : [];
              });
              const exact = own.reduce((all, units) => all + units, 0n);
              expect(written(sum)).toEqual(written(rangeOf(currency, exact)));
              held += own.length;
            }
          }
        }
        expect(held).toBe(model.size);
        store.close();
      }),
      { numRuns: 60 },
    );
  });

  const booked = async (costs: readonly Partial<Cost>[]) => {
    const { store, writer } = await testGround();
    const cost = {
      kind: "inference",
      source: "a",
      period: "2026-01",
      currency: currencyOf<string>("EUR"),
    } as const;
    const by = { by: "test", now: NOW, rates: { EUR: 600 } };
    await writer.write((tx) => costs.map((one) => recordCost(tx, { ...cost, ...one }, by)).length);
    return store.db;
  };

  test("a sum beyond 64 bits is still exact", async () => {
    const amount = Number.MAX_SAFE_INTEGER;
    const db = await booked(Array.from({ length: 1_100 }, (_, at) => ({ ref: `${at}`, amount })));
    const [eur] = ledgerMonths(db, { from: "2026-01", to: "2026-01" });
    const sum = String(eur?.months[0]?.parts[0]?.amount).replace(/[,.]/g, "");
    expect(BigInt(sum)).toBe(BigInt(amount) * 1_100n);
  });

  test("months hold costs by kind, days fold into them, and a site has its own rows alone", async () => {
    const db = await booked([
      { period: "2026-01-01", change: "v1", amount: 1, asset: "harbor" },
      { period: "2026-01-31", change: "v2", amount: 2, asset: "harbor" },
      { change: "os-overhead", amount: 4 },
      { kind: "operator_minutes", minutes: 1 },
      { kind: "external_api", period: "2026-02", amount: 16 },
    ]);
    const sums = (asset?: string) =>
      ledgerMonths(db, { asset, from: "2026-01", to: "2026-01" }).flatMap(({ months }) =>
        months.flatMap(({ parts }) => parts.map((part) => `${part.kind} ${part.asset} ${part.amount}`)),
      );
    const ofHarbor = "inference harbor 0.03";
    expect(sums().sort()).toEqual([ofHarbor, "operator_minutes null 0.10", "overhead null 0.04"]);
    expect([sums("harbor"), sums("orchard")]).toEqual([[ofHarbor], []]);
    const listed = (from: string, to: string) =>
      listLedger(db, { from: from as UtcDay, to: to as UtcDay }, 9).map(({ period }) => period);
    expect(listed("2026-01-31", "2026-01-31")).toEqual(["2026-01-31", "2026-01", "2026-01"]);
    expect(listed("2026-02-28", "2026-03-31")).toEqual(["2026-02"]);
  });

  test("a month's range is the sum of its rows' ranges; a row without one is a point of it", async () => {
    const { store, writer } = await testGround();
    const row = { asset: "harbor", source: "affiliate", period: "2026-01", status: "estimated" } as const;
    const ranged = { ...row, amount: 100, low: 80, high: 130, currency: currencyOf<string>("JPY") };
    const rows: Revenue[] = [
      ranged,
      { ...ranged, ref: "a" },
      { ...row, ref: "b", amount: 7, currency: ranged.currency },
    ];
    await writer.write((tx) => rows.map((one) => recordRevenue(tx, one, { by: "test", now: NOW })).length);
    const [jpy] = ledgerMonths(store.db, { from: "2026-01", to: "2026-12" });
    expect(written(jpy?.months[0]?.parts[0] ?? null)).toEqual(["207 JPY", "167 JPY", "267 JPY"]);
  });
});

const rangeOf = (currency: Currency, amount: bigint, low = amount, high = amount) => ({
  amount: new Amount(currency, amount),
  low: new Amount(currency, low),
  high: new Amount(currency, high),
});

/** An amount's units are private: two are compared as they are written. */
const written = (range: LedgerSum | null) =>
  range && [range.amount, range.low, range.high].map((one) => `${one} ${one.currency}`);

test("the margin takes what is booked of a site and source, else the estimate with its range (property)", () => {
  const eur = currencyOf<string>("EUR");
  const small = fc.bigInt({ min: -99n, max: 99n });
  const parts = fc.array(
    fc.record({
      asset: fc.constantFrom("a", "b", null),
      kind: fc.constantFrom("revenue" as const, "overhead" as const, "external_api" as const),
      source: fc.constantFrom("x", "y"),
      status: fc.constantFrom("estimated" as const, "booked" as const),
      amount: small,
      below: fc.nat(9),
    }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(parts, (rows) => {
      const own = rows.map(({ amount, below, ...said }): LedgerPart => {
        const row = { ...said, status: said.kind === "revenue" ? said.status : null };
        const width = row.kind === "revenue" && row.status === "estimated" ? BigInt(below) : 0n;
        return { ...row, ...rangeOf(eur, amount, amount - width, amount + width) };
      });
      const { sum: margin, isEstimated } = marginOf(eur, own);
      const streamOf = ({ asset, source, kind }: LedgerPart) => `${asset} ${source} ${kind}`;
      const isBooked = (row: LedgerPart) =>
        own.some((one) => one.status === "booked" && streamOf(one) === streamOf(row));
      const counted = own.filter(
        (row) => row.kind === "revenue" && (row.status === "booked" || !isBooked(row)),
      );
      const units = (some: LedgerPart[], of: "amount" | "low" | "high") =>
        some.reduce((sum, row) => sum + BigInt(row[of].toJSON()), 0n);
      const costs = units(
        own.filter(({ kind }) => kind !== "revenue"),
        "amount",
      );
      const end = (of: "amount" | "low" | "high") => units(counted, of) - costs;
      expect(written(margin)).toEqual(
        counted.length === 0 ? null : written(rangeOf(eur, end("amount"), end("low"), end("high"))),
      );
      expect(isEstimated).toBe(counted.some(({ status }) => status === "estimated"));
    }),
  );
});
