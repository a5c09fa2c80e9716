import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type FileKindName, importLedger, readLedgerCsv } from "../../src/ledger/csv.ts";
import { listLedger } from "../../src/ledger/ledger.ts";
import { fresh } from "../support/fresh.ts";
import { recordEach } from "../support/mixtures.ts";
import { texts } from "../support/words.ts";
import { ledgerListener } from "./listener.ts";

const ledger = fresh(ledgerListener);

const HEAD = "asset,period,source,status,amount,currency,ref";
const bytesOf = (text: string) => new TextEncoder().encode(text);
const put = async (text: string | Uint8Array, options: { kind?: FileKindName; dryRun?: boolean } = {}) => {
  const { kind = "revenue", dryRun = false } = options;
  const bytes = typeof text === "string" ? bytesOf(text) : text;
  const rates = { EUR: 6_000 };
  return importLedger(ledger, kind, bytes, { by: "test", now: ledger.clock.now(), rates, dryRun });
};
const stored = () => listLedger(ledger.store.db, { revisions: "all" }, 20_001);
const counts = (stored = 0, replayed = 0, corrected = 0) => ({ stored, replayed, corrected });
const whole = async (text: string) => (await put(text)).bad.map(({ reason }) => reason);

describe("a CSV of the ledger (decisions 3, ledger import)", () => {
  test("is imported once: again it is replayed, and another amount corrects", async () => {
    const file = `${HEAD}\nharbor,2026-01,adsense,booked,1250,EUR,\n"orchard","2026-01-31","a, b",estimated,-3,JPY,"5"" tape"\n`;
    expect(await put(file)).toEqual({ counts: counts(2), bad: [] });
    expect(await put(`\uFEFF${file.replaceAll("\n", "\r\n\r\n")},,,,,,\r\n`)).toEqual({
      counts: counts(0, 2),
      bad: [],
    });
    expect(await put(file.replace("1250,EUR", "1300,"))).toEqual({ counts: counts(0, 1, 1), bad: [] });
    expect(stored().map(({ ref, amount, currency }) => [ref, `${amount}`, currency])).toEqual([
      ['5" tape', "−3", "JPY"],
      [null, "13.00", "EUR"],
      [null, "12.50", "EUR"],
    ]);
  });

  test("takes semicolons and tabs, and costs with minutes and without a site", async () => {
    const costs =
      "kind;source;period;change;amount;minutes;currency;legacy\ninference;model;2026-02;v42;5;;;true\noperator_minutes;ops;2026-02;;;30;EUR;false";
    expect(await put(costs, { kind: "costs" })).toEqual({ counts: counts(2), bad: [] });
    expect(await put(costs.replaceAll(";", "\t"), { kind: "costs" })).toEqual({
      counts: counts(0, 2),
      bad: [],
    });
    expect(stored().map(({ amount, currency_basis, asset }) => [`${amount}`, currency_basis, asset])).toEqual(
      [
        ["30.00", "stated", null],
        ["0.05", "legacy", null],
      ],
    );
  });

  test("a dry run says what an import would do, and stores nothing", async () => {
    const file = `${HEAD}\nharbor,2026-01,adsense,booked,1250,EUR,a`;
    expect(await put(file, { dryRun: true })).toEqual({ counts: counts(1), bad: [] });
    expect(stored()).toStrictEqual([]);
  });

  test("of 10,000 lines of which 3 are bad, the three are named and nothing is stored; mended, all of it is", async () => {
    const lines = Array.from({ length: 10_000 }, (_, at) => `harbor,2026-01,stripe,booked,${at},EUR,r${at}`);
    const spoilt = lines.with(17, "harbor,2026-01,stripe,booked,12.50,EUR,x");
    spoilt[5_000] = "harbour,2026-01,stripe,booked,1,EUR,y";
    spoilt[9_998] = 'harbor,2026-01,stripe,booked,1,EUR,"open';
    const { bad } = await put([HEAD, ...spoilt].join("\n"));
    expect(bad).toEqual([
      { line: 19, field: "amount", reason: expect.stringContaining("whole number of minor units") },
      { line: 5_002, field: "asset", reason: expect.stringContaining("near it: harbor") },
      { line: 10_000, field: null, reason: expect.stringContaining("not closed") },
    ]);
    expect(stored()).toStrictEqual([]);
    expect(await put([HEAD, ...lines].join("\n"))).toEqual({ counts: counts(10_000), bad: [] });
    expect(stored()).toHaveLength(10_000);
  });

  test("what only stored rows tell is named by line, too, and a later line of a file corrects an earlier one", async () => {
    const row = "harbor,2026-01,adsense,booked";
    expect(await put(`${HEAD}\n${row},1,EUR,\n${row},2,,`)).toEqual({ counts: counts(1, 0, 1), bad: [] });
    const { bad } = await put(`${HEAD}\n${row},1,USD,\n\n${row},1,EUR,\n${row},1,,new`);
    expect(bad.map(({ line, field, reason }) => [line, field, reason.slice(0, 15)])).toEqual([
      [2, "currency", "must be EUR, th"],
      [5, "currency", "must be present"],
    ]);
    expect(stored()).toHaveLength(2);
  });

  test("a file of UTF-16 that says so, as Excel writes Unicode text, is read as the page reads it", async () => {
    const file = `\uFEFF${HEAD}\nharbor,2026-01,Café,booked,1,EUR,`.replaceAll(",", "\t");
    expect(await put(Buffer.from(file, "utf16le"))).toEqual({ counts: counts(1, 0, 0), bad: [] });
  });

  test("a file of another encoding, or without the columns, is refused as a whole", async () => {
    const file = `${HEAD}\nharbor,2026-01,Café,booked,1,EUR,`;
    for (const encoding of ["utf16le", "latin1"] as const) {
      expect((await put(Buffer.from(file, encoding))).bad).toEqual([
        { line: null, field: null, reason: "is not UTF-8 text: save it as CSV UTF-8" },
      ]);
    }
    const files = [
      "",
      HEAD,
      `${HEAD},reff\n`,
      `${HEAD},ref\n`,
      "harbor|2026-01\nx|y",
      `"${HEAD}\nx`,
      `${HEAD}\nharbor,2026-01`,
    ];
    const long = [20_000, 19_999].map((lines) => "\n".repeat(lines));
    const reasons = await Promise.all([...files, ...long].map(whole));
    recordEach([...files, ...long], (text) => reasons[[...files, ...long].indexOf(text)]);
    expect(stored()).toStrictEqual([]);
  });

  test("200 hostile cells come back to the last character, or are named: nothing of them leaves its cell", async () => {
    const samples = [
      "=cmd|' /C calc'!A0",
      "a".repeat(600),
      ...texts(
        '=1+1|+1|-1|@SUM(A1)|\t=1|\'=1|"|""|","|a\nb|\r|\u0000|\u0085|\u202Eabc|٣|１２|1e3|0x10| |NaN|-0|1,5|1.5',
        "9007199254740992|__proto__|constructor|toString|<script>|日本|👩‍🚀|\uFEFF|NULL|true|{}|[]|%00|\\|;|null",
      ),
    ];
    const cells = fc.sample(
      fc.oneof(fc.constantFrom(...samples), fc.string({ unit: "binary", maxLength: 20 })),
      { numRuns: 200, seed: 19 },
    );
    for (const [at, cell] of cells.entries()) {
      const field = HEAD.split(",")[at % 7] ?? "";
      const row: Record<string, string> = {
        asset: "harbor",
        period: "2026-01",
        source: "s",
        status: "booked",
        amount: "1",
        currency: "EUR",
        ref: `r${at}`,
        [field]: cell,
      };
      const line = Object.values(row)
        .map((value) => `"${value.toWellFormed().replaceAll('"', '""')}"`)
        .join(",");
      const { good, bad } = await readLedgerCsv(
        bytesOf(`${HEAD}\n${line}\nharbor,2026-01,s,booked,1,EUR,last`),
        "revenue",
        ledger.clock.now(),
      );
      const named = JSON.stringify({ cell, field, good, bad });
      if (cell.includes("\u0000")) {
        expect(bad, named).toMatchObject([{ line: null }]);
        continue;
      }
      expect(good.at(-1)?.value, named).toMatchObject({ ref: "last" });
      const [value] = good.length === 2 ? [good[0]?.value as Record<string, unknown>] : [];
      if (value === undefined) expect(bad, named).not.toStrictEqual([]);
      else
        expect(String(value[field] ?? "")).toBe(
          cell.toWellFormed().trim() === ""
            ? ""
            : field === "amount"
              ? String(Number(cell))
              : cell.toWellFormed(),
        );
    }
  });
});
