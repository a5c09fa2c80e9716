/** Uploading rows in the Tower, and taking them out as a file: nothing is stored before it is confirmed, then all of it or none. */

import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { currencyOf } from "../../../src/ledger/amount.ts";
import { listLedger, recordRevenue } from "../../../src/ledger/ledger.ts";
import { attribute, elements, parsed, rowsOf, textOf } from "../../support/html.ts";
import { SettingsWalk } from "../../support/settings_walk.ts";
import { TOWER_ORIGIN } from "../../support/test_tower.ts";

const PATH = "/ledger/upload";
const HEADING = "asset,period,source,status,amount,currency,ref";
const fileOf = (...lines: readonly string[]) => `${[HEADING, ...lines].join("\n")}\n`;
const GOOD = fileOf(
  "shop,2026-09,adsense,booked,1250,EUR,",
  "shop,2026-09,adsense,booked,-1,EUR,r",
  "shop,2026-09,stripe,booked,7,JPY,",
);

const stored = (walk: SettingsWalk) => listLedger(walk.deps.store.db, { revisions: "all" }, 100_000);

/** Sends a file as a browser does. */
async function preview(
  walk: SettingsWalk,
  file: string | Uint8Array<ArrayBuffer>,
  rows = "revenue",
): Promise<string> {
  const form = new FormData();
  form.set("rows", rows);
  form.set("file", new Blob([file], { type: "text/csv" }), "rows.csv");
  const { name, value } = walk.cookie;
  const headers = { host: new URL(TOWER_ORIGIN).host, cookie: `${name}=${value}`, origin: TOWER_ORIGIN };
  const request = new Request(`${TOWER_ORIGIN}${PATH}`, { method: "POST", body: form, headers });
  return (await walk.handle(request)).text();
}

/** What the form that confirms sends along. */
const hiddenIn = (html: string) =>
  Object.fromEntries(
    elements(parsed(html), (one) => one.tagName === "input" && attribute(one, "type") === "hidden")
      .map((one) => [attribute(one, "name") ?? "", attribute(one, "value") ?? ""] as const)
      .filter(([name]) => ["act", "rows", "csv"].includes(name)),
  );

test("a preview counts new, replayed and corrected rows with their sums, stores nothing, and is then stored whole", async () => {
  using walk = await SettingsWalk.start();
  await walk.post(PATH, hiddenIn(await preview(walk, fileOf("shop,2026-09,adsense,booked,1000,EUR,"))));
  expect(stored(walk)).toHaveLength(1);
  const html = await preview(walk, `${GOOD}shop,2026-09,adsense,booked,1000,EUR,x\n`);
  expect(rowsOf(parsed(html), "What would be stored").slice(1)).toEqual(
    expect.arrayContaining([
      ["EUR", "New", "2", "9.99"],
      ["EUR", "Corrects a stored row", "1", "12.50"],
      ["JPY", "New", "1", "7"],
    ]),
  );
  expect(stored(walk)).toHaveLength(1);
  const done = await walk.post(PATH, hiddenIn(html));
  expect([done.status, done.headers.get("location")]).toEqual([303, "/ledger?done=ledger-stored"]);
  expect(stored(walk).map(({ recorded_by }) => recorded_by)).toEqual(Array(5).fill("ada"));
  expect(await preview(walk, GOOD)).toContain("Every row is stored already");
});

test("an affiliate estimate is previewed as its range, or as one that may still change, and never as a point", async () => {
  using walk = await SettingsWalk.start();
  const lines = ["estimated,700,EUR,20,1000", "estimated,41234,JPY,,", "booked,300,EUR,,"];
  const rows = lines.map((rest, place) => `shop,2026-0${place + 1},affiliate,${rest}`);
  const html = await preview(walk, `${HEADING.replace("ref", "low,high")}\n${rows.join("\n")}`);
  expect(rowsOf(parsed(html), "What would be stored").slice(1)).toEqual([
    ["EUR", "New", "2", "3.20–13.00"],
    ["JPY", "New", "1", "estimate, may still change"],
  ]);
});

test("a line that disagrees with an earlier one names no row", async () => {
  using walk = await SettingsWalk.start();
  const [first, second] = ["shop,2026-09,x,booked,1,EUR,", "shop,2026-09,x,booked,2,USD,"];
  expect(textOf(parsed(await preview(walk, fileOf(first, second))))).toContain(
    "must be EUR, the currency of an earlier line, which this corrects",
  );
});

test("each bad line is named with its reason, and nothing of the file can be stored", async () => {
  using walk = await SettingsWalk.start();
  const many = [
    "shop,2026-09,adsense,booked,1,EUR,",
    "shop,2026-13,adsense,booked,1,EUR,",
    "shop,2026-09,adsense,booked,1.5,EUR,",
    "nowhere,2026-09,adsense,booked,1,EUR,",
  ];
  const html = await preview(walk, fileOf(...many));
  const bad = rowsOf(parsed(html), "Lines that are wrong").slice(1);
  expect(bad.map(([line]) => line)).toEqual(["3", "4", "5"]);
  expect(bad.map(([, why]) => why)).toEqual([
    expect.stringMatching(/period/),
    expect.stringMatching(/amount/),
    expect.stringMatching(/asset/),
  ]);
  expect(hiddenIn(html)).toEqual({});
  const forced = { act: "store", rows: "revenue", csv: Buffer.from(fileOf(...many)).toString("base64url") };
  expect((await walk.post(PATH, forced)).status).toBe(422);
  expect(stored(walk)).toEqual([]);
}, 30_000);

test.each([
  ["no file", "", /CSV file/],
  [
    "another encoding",
    new Uint8Array([...new TextEncoder().encode(`${HEADING}\nshop,2026-09,caf`), 0xe9]),
    /UTF-8/,
  ],
] as const)("%s is refused at its field", async (_, file, why) => {
  using walk = await SettingsWalk.start();
  const html = await preview(walk, file);
  expect(textOf(parsed(html))).toMatch(why);
  expect(stored(walk)).toEqual([]);
});

test("minutes are priced by the constants document as it is at the moment of the upload", async () => {
  using walk = await SettingsWalk.start();
  const rates = (eur: number) =>
    walk.file.replace(/(operator_rates\]\n).*/, (_, head: string) => `${head}EUR = ${eur}`);
  for (const [at, eur] of [6_000, 9_000].entries()) {
    walk.file = rates(eur);
    const html = await preview(
      walk,
      `asset,kind,source,period,minutes,currency\nshop,operator_minutes,ada,2026-0${at + 1},60,EUR\n`,
      "costs",
    );
    expect(rowsOf(parsed(html), "What would be stored")[1]).toEqual(["EUR", "New", "1", `${eur / 100}.00`]);
  }
});

test("storing asks for the password again once it is due; looking does not", async () => {
  using walk = await SettingsWalk.start();
  for (let turn = 0; turn < 2; turn++) {
    walk.deps.clock.advance(16 * 60_000);
    await walk.page("/ledger");
    await walk.deps.writer.write(() => undefined);
  }
  const html = await preview(walk, GOOD);
  expect(html).toContain("Store 3 rows");
  expect((await walk.post(PATH, hiddenIn(html))).status).toBe(403);
  expect(stored(walk)).toEqual([]);
});

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
        using walk = await SettingsWalk.start();
        const by = { by: "operator:ada", now: walk.deps.clock.now() };
        const refs = [...new Map(made.map(([ref, amount]) => [ref, amount]))];
        await walk.deps.writer.write((tx): void => {
          for (const [ref, amount] of refs) {
            const row = {
              asset: "shop",
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
        const rows = parse(await walk.page("/ledger/rows.csv?currency=KWD"), { columns: true }) as Record<
          string,
          string
        >[];
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
}, 30_000);
