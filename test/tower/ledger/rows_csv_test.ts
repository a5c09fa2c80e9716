/** Taking rows of the ledger out as a file. */

import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { currencyOf } from "../../../src/ledger/amount.ts";
import { recordCost, recordRevenue } from "../../../src/ledger/ledger.ts";
import { world } from "../../support/world.ts";

test("no cell of an export is a formula, negative amounts stay numbers, and every text is read back", async () => {
  const hostile = fc
    .oneof(
      fc
        .tuple(
          fc.constantFrom("=", "+", "-", "@", "＝", '"', "'"),
          fc.string({ unit: "grapheme", maxLength: 30 }),
        )
        .map((parts) => parts.join("")),
      fc.constantFrom(
        '=HYPERLINK("http://x","y")',
        "-2+3+cmd|' /C calc'!A0",
        "a,b;c",
        'say "no"',
        "@SUM(1)",
        "-5",
      ),
    )
    .filter((text) => !/\p{Cc}/u.test(text));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(hostile, fc.integer({ min: -1e9, max: 1e9 })), { minLength: 1, maxLength: 20 }),
      async (made) => {
        const site = await world();
        const by = { by: "operator:ada", now: site.clock.now() };
        const refs = [...new Map(made.map(([ref, amount]) => [ref, amount]))];
        await site.writer.write((tx): void => {
          for (const [ref, amount] of refs) {
            const row = {
              asset: "harbor",
              source: "x",
              period: "2026-09",
              status: "booked",
              amount,
              ref,
              currency: currencyOf("KWD"),
            } as const;
            expect(recordRevenue(tx, row, by)).toMatchObject({ outcome: "stored" });
          }
        });
        const file = await (await site.ask("/ledger/rows.csv?currency=KWD")).text();
        await site.close();
        const rows = parse(file, { columns: true }) as Record<string, string>[];
        for (const cell of rows.flatMap((row) => Object.values(row))) {
          expect(cell).toMatch(/^(?![=+\-@\t\r＝＋－＠])|^-?\d+(?:\.\d+)?$/);
        }
        expect(
          new Map(rows.map(({ ref = "", amount }) => [ref.replace(/^'(?=[=+\-@＝])/, ""), Number(amount)])),
        ).toEqual(new Map(refs.map(([ref, amount]) => [ref.replace(/^'(?=[=+\-@＝])/, ""), amount])));
      },
    ),
    { numRuns: 30 },
  );
});

test("the file has the rows that the page shows: its link keeps every filter", async () => {
  const site = await world();
  const by = { by: "operator:ada", now: site.clock.now() };
  const row = { source: "x", period: "2026-09", amount: 1, ref: null, currency: currencyOf("KWD") } as const;
  await site.writer.write((tx): void => {
    for (const asset of ["harbor", "orchard"])
      for (const status of ["booked", "estimated"] as const) recordRevenue(tx, { ...row, asset, status }, by);
    recordCost(tx, { ...row, asset: "harbor", kind: "external_api" }, by);
  });
  for (const filter of [
    "",
    "&asset=harbor",
    "&kind=revenue",
    "&status=booked",
    "&asset=harbor&kind=revenue&status=booked",
  ]) {
    const page = await (await site.ask(`/ledger/rows?currency=KWD${filter}`)).text();
    const [, link = ""] = /href="([^"]*\.csv[^"]*)"/.exec(page) ?? [];
    const file = parse(await (await site.ask(link.replaceAll("&amp;", "&"))).text(), { columns: true });
    const shown = [...page.matchAll(/id="row-(\d+)"/g)].map(([, id = ""]) => id);
    expect((file as { id: string }[]).map(({ id }) => id)).toEqual(shown);
  }
  await site.close();
});
