/** Uploading rows of the ledger by the forms that the pages have. */

import { expect, test } from "bun:test";
import { currencyOf } from "../../../src/ledger/amount.ts";
import { listLedger, recordRevenue } from "../../../src/ledger/ledger.ts";
import { addAsset } from "../../../src/sites/site_changes.ts";
import { fresh } from "../../support/fresh.ts";
import { filledIn, parsed, rawTextOf, rowsOf, tagged, textOf } from "../../support/html.ts";
import { GOOD_PASSWORD } from "../../support/operators.ts";
import { Walk } from "../../support/tower.ts";

const AT = "/ledger/upload";
const HEAD = "asset,period,source,status,amount,currency,ref";
const MIB = 1024 * 1024;

const formOf = (file: string | Uint8Array<ArrayBuffer>, rows = "revenue") => {
  const form = new FormData();
  form.set("rows", rows);
  form.set("file", new Blob([file], { type: "text/csv" }), "rows.csv");
  return form;
};
const read = async (answer: Response) => {
  const tree = parsed(await answer.text());
  const store = tagged(tree, "form").find((form) => "csv" in filledIn(form));
  return { status: answer.status, tree, words: textOf(tree), store: store && filledIn(store) };
};

/** Ada's browser at a Tower with the site `shop`. */
async function signedIn() {
  const walk = await new Walk().signedIn();
  const { deps } = walk;
  const by = { actor: "command-line", now: deps.clock.now(), onRetired: () => {} };
  await addAsset(deps.writer, { id: "shop" }, by);
  return {
    deps,
    get: async () => read(await walk.get(AT)),
    /** Sends a file as the page's form does. */
    preview: async (...file: Parameters<typeof formOf>) => read(await walk.post(AT, formOf(...file))),
    /** Confirms by the form of a preview. */
    confirm: (form: Readonly<Record<string, string>> = {}) => walk.post(AT, form),
    stored: () => listLedger(deps.store.db, { revisions: "all" }, 20_001),
    stop: () => deps.store.close(),
  };
}

const browser = fresh(signedIn);
const wrong = (tree: Parameters<typeof rowsOf>[0]) => rowsOf(tree, "What is wrong").slice(1);

test("of many lines of which 3 are bad the three are named, and no form nor a forged one stores any", async () => {
  const lines = Array.from({ length: 30 }, (_, at) => `shop,2026-01,stripe,booked,${at},EUR,r${at}`);
  const spoilt = lines.with(17, "shop,2026-01,stripe,booked,12.50,EUR,x");
  spoilt[23] = "shp,2026-01,stripe,booked,1,EUR,y";
  spoilt[28] = 'shop,2026-01,stripe,booked,1,EUR,"open';
  const file = [HEAD, ...spoilt].join("\n");
  const refused = await browser.preview(file);
  expect([refused.status, refused.store]).toEqual([422, undefined]);
  expect(refused.words).toContain("Nothing was stored: 3 lines are wrong.");
  const named = [
    ["19", expect.stringMatching(/^amount .*whole number of minor units/)],
    ["25", expect.stringMatching(/^asset .*near it: shop/)],
    ["30", expect.stringContaining("not closed")],
  ];
  expect(wrong(refused.tree)).toEqual(named);
  const forged = { act: "store", rows: "revenue", csv: Buffer.from(file).toString("base64url") };
  const confirmed = await read(await browser.confirm(forged));
  expect([confirmed.status, confirmed.store]).toEqual([422, undefined]);
  expect(wrong(confirmed.tree)).toEqual(named);
  expect(browser.stored()).toStrictEqual([]);
});

test("half an hour after signing in the password is asked for again, and the file comes along", async () => {
  const { store } = await browser.preview(`${HEAD}\nshop,2026-01,adsense,booked,1,EUR,`);
  for (let quarter = 0; quarter < 2; quarter++) {
    browser.deps.clock.advance(15 * 60_000);
    expect((await browser.get()).status).toBe(200);
    await browser.deps.writer.settled();
  }
  const asked = await read(await browser.confirm(store));
  expect([asked.status, asked.store]).toEqual([403, { ...store, confirm_password: "" }]);
  expect(browser.stored()).toStrictEqual([]);
  const answer = await browser.confirm({ ...asked.store, confirm_password: GOOD_PASSWORD });
  expect(answer.status).toBe(303);
  expect(browser.stored()).toHaveLength(1);
});

test("a file is judged again when it is confirmed: what was stored meanwhile may refuse all of it", async () => {
  const row = "shop,2026-01,adsense,booked,1,EUR";
  const { store } = await browser.preview(`${HEAD}\n${row},a\n${row},b`);
  await browser.deps.writer.write((tx): void => {
    const other = {
      asset: "shop",
      period: "2026-01",
      source: "adsense",
      status: "booked",
      ref: "b",
    } as const;
    const dollars = { ...other, amount: 1, currency: currencyOf("USD") };
    recordRevenue(tx, dollars, { by: "operator:ben", now: browser.deps.clock.now() });
  });
  const answer = await read(await browser.confirm(store));
  expect([answer.status, wrong(answer.tree)]).toEqual([
    422,
    [["3", expect.stringContaining("currency must be USD")]],
  ]);
  expect(browser.stored().map(({ ref }) => ref)).toEqual(["b"]);
});

test("a form of more than six MiB is refused by its length", async () => {
  const huge = await browser.preview("x".repeat(7 * MIB));
  expect([huge.status, huge.words.includes("6291456"), browser.stored()]).toEqual([413, true, []]);
});

test("the examples that the page shows are rows it takes", async () => {
  const { status, tree } = await browser.get();
  expect(status).toBe(200);
  const [revenue = "", costs = ""] = tagged(tree, "pre").map(rawTextOf);
  expect((await browser.preview(revenue)).words).toContain("Store 1 row");
  expect((await browser.preview(costs, "costs")).words).toContain("Store 1 row");
});
