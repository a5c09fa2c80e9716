import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CURRENCIES } from "../../src/base/contract.ts";
import type { UtcDay } from "../../src/base/time.ts";
import {
  Amount,
  type Cost,
  type Currency,
  currencyOf,
  exponentOf,
  type Revenue,
} from "../../src/ledger/amount.ts";
import {
  ledgerMonths,
  listLedger,
  type MonthSums,
  marginOf,
  recordCost,
  recordRevenue,
} from "../../src/ledger/ledger.ts";
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
  source: fc.constantFrom("adsense", "stripe"),
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
        // Each month's sums are those of its own rows, each currency by itself and exact.
        const sumOf = (currency: string, month: string, as: string) =>
          [...model].reduce((sum, [key, row]) => {
            const [asset, period = "", source, status] = JSON.parse(key) as string[];
            // An estimate is reconciled once its period, or the month around it, is booked in its currency.
            const isBooked = [period, period.slice(0, 7)].some(
              (of) => model.get(JSON.stringify([asset, of, source, "booked"]))?.currency === currency,
            );
            const stands = status === "estimated" && isBooked ? "reconciled" : status;
            const isOwn = row.currency === currency && period.startsWith(month) && stands === as;
            return isOwn ? sum + BigInt(row.amount) : sum;
          }, 0n);
        const currencies = ledgerMonths(store.db, ["2026-01", "2026-02"]);
        expect(currencies.map(({ currency }) => `${currency}`).sort()).toEqual(
          [...new Set([...model.values()].map(({ currency }) => currency))].sort(),
        );
        for (const { currency, months } of currencies) {
          for (const { month, booked, estimated, reconciled } of months) {
            const sum = (some: readonly (Amount | null | undefined)[]) =>
              `${Amount.sum(
                currency,
                some.filter((one) => one !== null && one !== undefined),
              )}`;
            const exact = (as: string) => `${new Amount(currency, sumOf(currency, month, as))}`;
            expect(sum([booked])).toBe(exact("booked"));
            expect(sum([estimated?.known?.low])).toBe(exact("estimated"));
            expect(sum([reconciled?.known?.high])).toBe(exact("reconciled"));
          }
        }
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
    const change = "v1";
    const db = await booked(Array.from({ length: 1_100 }, (_, at) => ({ ref: `${at}`, amount, change })));
    const sum = ledgerMonths(db, ["2026-01"])[0]?.months[0]?.costs.change;
    expect(BigInt(String(sum).replace(/[,.]/g, ""))).toBe(BigInt(amount) * 1_100n);
  });

  test("a month lies within days where any of its own does", async () => {
    const days = ["2026-01-01", "2026-01-31", "2026-01", "2026-02"];
    const db = await booked(days.map((period) => ({ period, kind: "external_api", amount: 1 })));
    const listed = (from: string, to: string) =>
      listLedger(db, { from: from as UtcDay, to: to as UtcDay }, 9).map(({ period }) => period);
    expect(listed("2026-01-31", "2026-01-31")).toEqual(["2026-01-31", "2026-01"]);
    expect(listed("2026-02-28", "2026-03-31")).toEqual(["2026-02"]);
    expect(listed("2026-01-20", "2026-01-10")).toStrictEqual([]);
  });
});

test("the margin is what is booked and estimated less costs, and none where either lacks (property)", () => {
  const eur = currencyOf<string>("EUR");
  const units = fc.option(fc.integer({ min: -99, max: 99 }), { nil: null });
  const amountOf = (minor: number | null) => (minor === null ? null : new Amount(eur, minor));
  fc.assert(
    fc.property(units, units, fc.nat(9), units, units, (own, estimate, width, change, overhead) => {
      const [low, high] = [amountOf(estimate), amountOf(estimate === null ? null : estimate + width)];
      const estimated = low === null || high === null ? null : { known: { low, high }, isOpen: false };
      const costs = {
        change: amountOf(change),
        overhead: amountOf(overhead),
        external_api: null,
        operator_minutes: null,
      };
      const rest = { reconciled: null, yearEarlier: null };
      const sums: MonthSums = { month: "2026-01", booked: amountOf(own), estimated, ...rest, costs };
      const spent = (change ?? 0) + (overhead ?? 0);
      const isNone = (change === null && overhead === null) || (own === null && estimate === null);
      const ends = [0, width].map((more) => (own ?? 0) + (estimate === null ? 0 : estimate + more) - spent);
      const wanted = isNone
        ? "null"
        : JSON.stringify(estimated ? { known: { low: ends[0], high: ends[1] }, isOpen: false } : ends[0]);
      expect(JSON.stringify(marginOf(eur, sums))).toBe(wanted);
    }),
  );
});
