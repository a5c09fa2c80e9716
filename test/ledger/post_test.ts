import { describe, expect, test } from "bun:test";
import { fresh } from "../support/fresh.ts";
import { recordEach } from "../support/mixtures.ts";
import { expectBroken, expectProblem } from "../support/problem.ts";
import { ledgerListener } from "./listener.ts";

const ledger = fresh(ledgerListener);

const revenue = (changes: object = {}) => ({
  asset: "harbor",
  period: "2026-02",
  source: "adsense",
  status: "booked",
  amount: 125_050,
  currency: "EUR",
  ...changes,
});
const cost = (changes: object = {}) => ({
  asset: "harbor",
  kind: "inference",
  source: "anthropic",
  period: "2026-02-11",
  change: "v42",
  amount: 1_250,
  currency: "USD",
  ...changes,
});
const work = (changes: object = {}) => ({
  kind: "operator_minutes",
  source: "ops",
  period: "2026-02",
  minutes: 90,
  currency: "EUR",
  ...changes,
});

describe("POST /api/ledger/* stores (decisions 3, Ledger)", () => {
  test("201 answers the stored row with every field of the contract", async () => {
    expect(await ledger.posted("revenue", revenue({ ref: "r1" }), 201)).toEqual({
      id: expect.any(String),
      ...revenue({ ref: "r1" }),
      kind: "revenue",
      change: null,
      minutes: null,
      rate: null,
      currency_basis: "stated",
      corrects: null,
      recorded_at: "2026-03-01T09:00:00.000Z",
      recorded_by: "books",
    });
    expect(await ledger.posted("costs", cost({ asset: null, change: "os-overhead" }), 201)).toMatchSnapshot();
  });

  test("the same identity and amount is 200 with the existing row; another amount is 201 with the row it corrects", async () => {
    const first = await ledger.posted("revenue", revenue(), 201);
    ledger.clock.advance(60_000);
    expect(await ledger.posted("revenue", revenue(), 200)).toEqual(first);
    const second = await ledger.posted("revenue", revenue({ amount: 100 }), 201);
    expect(second).toMatchObject({ amount: 100, corrects: first["id"], currency: "EUR" });
    const back = await ledger.posted("revenue", revenue(), 201);
    expect(back).toMatchObject({ amount: 125_050, corrects: second["id"] });
    expect((await ledger.items("")).map(({ id }) => id)).toEqual([back["id"]]);
    expect((await ledger.items("?revisions=all")).map(({ id }) => id)).toEqual([
      back["id"],
      second["id"],
      first["id"],
    ]);
  });

  test("what was answered can be sent again: fields that the service made are named in ignored", async () => {
    const row = await ledger.posted("revenue", revenue(), 201);
    const { ignored, ...again } = await ledger.posted("revenue", row, 200);
    expect(again).toEqual(row);
    expect(ignored).toContain("/id");
    expect(ignored).toContain("/recorded_at");
  });

  test("each part of the identity makes a row of its own", async () => {
    const parts = [
      {},
      { asset: "orchard" },
      { period: "2026-01-01" },
      { source: "b" },
      { ref: "a" },
      { ref: "b" },
    ];
    const revenues = [...parts, { status: "estimated" }].map((part) => revenue(part));
    const costs = [...parts, { asset: null }, { kind: "external_api" }, { change: "v43" }].map((part) =>
      cost(part),
    );
    for (const body of revenues) await ledger.posted("revenue", body, 201);
    for (const body of costs) await ledger.posted("costs", body, 201);
    const all = await ledger.items("?revisions=all");
    expect(all).toHaveLength(revenues.length + costs.length);
    const paged: unknown[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const answer = await ledger.list(`?limit=3${next === "" ? "" : `&cursor=${next}`}`);
      const page = (await answer.json()) as { items: unknown[]; next: string | null };
      paged.push(...page.items);
      next = page.next;
    }
    expect(paged).toEqual([...all]);
  });

  test("a list is narrowed by an empty source, too: no row has it", async () => {
    await ledger.posted("revenue", revenue(), 201);
    expect(await ledger.items("?source=adsense")).toHaveLength(1);
    expect(await ledger.items("?source=")).toStrictEqual([]);
  });

  test("a correction keeps the currency of the original; another one is 422 and stores nothing", async () => {
    await ledger.posted("revenue", revenue(), 201);
    expect(await expectBroken(await ledger.post("revenue", revenue({ currency: "USD" })))).toEqual([
      "/currency original-currency",
    ]);
    const { currency: _, ...bare } = revenue({ amount: 7 });
    expect(await ledger.posted("revenue", bare, 201)).toMatchObject({
      currency: "EUR",
      currency_basis: "stated",
    });
    expect(await ledger.posted("revenue", { ...bare, legacy: true }, 200)).toMatchObject({ currency: "EUR" });
    expect(await ledger.items("?revisions=all")).toHaveLength(2);
  });

  test("a missing currency is 422, and USD only on an upload marked legacy, which the row says", async () => {
    const { currency: _, ...bare } = revenue();
    for (const body of [bare, { ...bare, legacy: false }, { ...bare, currency: null }]) {
      expect(await expectBroken(await ledger.post("revenue", body))).toEqual(["/currency required"]);
    }
    expect(await ledger.posted("revenue", { ...bare, legacy: true }, 201)).toMatchObject({
      currency: "USD",
      currency_basis: "legacy",
    });
    expect(await ledger.posted("revenue", { ...bare, amount: 3 }, 201)).toMatchObject({
      currency_basis: "legacy",
    });
    expect(await ledger.posted("revenue", revenue({ source: "stripe", legacy: true }), 201)).toMatchObject({
      currency: "EUR",
      currency_basis: "stated",
    });
  });

  test("minutes are priced at the rate of entry: the same minutes stay at the old price, others have the new one", async () => {
    expect(await expectBroken(await ledger.post("costs", work()))).toEqual(["/currency operator-rate"]);
    await ledger.rates("EUR = 6001");
    const first = await ledger.posted("costs", work(), 201);
    // 90 minutes at 60.01 an hour are 90.015: half a cent rounds up.
    expect(first).toMatchObject({ asset: null, minutes: 90, rate: 6_001, amount: 9_002 });
    await ledger.rates("EUR = 9000");
    expect(await ledger.posted("costs", work(), 200)).toEqual(first);
    expect(await ledger.posted("costs", work({ minutes: 30, currency: undefined }), 201)).toMatchObject({
      corrects: first["id"],
      rate: 9_000,
      amount: 4_500,
      currency: "EUR",
    });
  });

  test("an estimate carries its range; the same amount with another range is a correction", async () => {
    const estimate = revenue({ source: "affiliate", status: "estimated", amount: 100, low: 80, high: 130 });
    const first = await ledger.posted("revenue", estimate, 201);
    expect(first).toMatchObject({ low: 80, high: 130 });
    expect(await ledger.posted("revenue", estimate, 200)).toEqual(first);
    expect(await ledger.posted("revenue", { ...estimate, low: undefined, high: undefined }, 200)).toEqual(
      first,
    );
    expect(await ledger.posted("revenue", { ...estimate, low: 90 }, 201)).toMatchObject({
      corrects: first["id"],
    });
  });

  test("equal posts at once are one row and one 201", async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => ledger.post("revenue", revenue())));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(11).fill(200), 201]);
    expect(await ledger.items("?revisions=all")).toHaveLength(1);
  });
});

describe("the contract of a ledger row (decisions 3, Ledger)", () => {
  const estimate = (low: number, high?: number) => ({ status: "estimated", low, high });
  const REVENUE: readonly object[] = [
    ...[{ asset: "harbour" }, { asset: "-" }, { asset: "gone", currency: undefined }],
    ...["2026-13", "2026-02-30", "1999-12", "2027-03-03"].map((period) => ({ period })),
    { source: "", ref: "a\u0000" },
    { source: "s".repeat(201), ref: "r".repeat(512) },
    { source: "s".repeat(200), ref: "r".repeat(513) },
    { status: "final", legacy: "yes" },
    ...[12.5, 2 ** 53, "12"].map((amount) => ({ amount })),
    ...["eur", "ZZZ", "XXX", null].map((currency) => ({ currency })),
    ...[{ low: 1, high: 200_000 }, estimate(1), estimate(125_051, 125_052), estimate(1, 125_049)],
  ];
  const COSTS: readonly object[] = [
    cost({ kind: "revenue" }),
    cost({ change: undefined, amount: undefined }),
    cost({ minutes: 3 }),
    work(),
    ...[undefined, -1, 1.5, 5_000_001].map((minutes) => work({ minutes })),
    work({ amount: 5 }),
    {},
  ];
  test("every broken rule is named by its field with what works, and nothing is stored: recorded", async () => {
    const refused = async (what: "revenue" | "costs", bodies: readonly object[]) => {
      const told: unknown[] = [];
      for (const body of bodies) {
        const { errors } = await expectProblem(await ledger.post(what, body), "broken-contract");
        told.push(errors?.map(({ pointer, rule, message }) => `${pointer} ${rule}: ${message}`));
      }
      return told;
    };
    const ofRevenue = await refused(
      "revenue",
      REVENUE.map((changes) => revenue(changes)),
    );
    recordEach(REVENUE, (changes) => ofRevenue[REVENUE.indexOf(changes)]);
    const ofCosts = await refused("costs", COSTS);
    recordEach(COSTS, (body) => ofCosts[COSTS.indexOf(body)]);
    expect(await ledger.items("?revisions=all")).toStrictEqual([]);
    await ledger.posted("revenue", revenue(), 201);
    expect(await refused("revenue", [revenue({ currency: "USD" })])).toMatchSnapshot();
    const { errors } = await expectProblem(await ledger.list("?currency=eur"), "malformed-query");
    expect(errors?.map(({ message }) => message)).toMatchSnapshot();
  });

  test("the ends of what a row may hold are in it", async () => {
    for (const period of ["2000-01", "2000-01-01", "2027-03", "2027-03-02"])
      await ledger.posted("revenue", revenue({ period }), 201);
    const point = { status: "estimated", amount: 100, low: 100, high: 100 };
    expect(await ledger.posted("revenue", revenue(point), 201)).toMatchObject({ low: 100, high: 100 });
    const most = Number.MAX_SAFE_INTEGER;
    await ledger.rates(`EUR = ${most}`);
    expect(await ledger.posted("costs", work({ minutes: 60 }), 201)).toMatchObject({ amount: most });
    expect(await expectBroken(await ledger.post("costs", work({ minutes: 61 })))).toEqual(["/minutes range"]);
    await ledger.rates("EUR = 1");
    expect(await ledger.posted("costs", work({ ref: "least", minutes: 29 }), 201)).toMatchObject({
      amount: 0,
    });
    expect(await ledger.posted("costs", work({ ref: "least", minutes: 5_000_000 }), 201)).toMatchObject({
      amount: 83_333,
    });
  });

  test("the largest amounts are exact, -0 is 0, and a refund is negative", async () => {
    const most = Number.MAX_SAFE_INTEGER;
    for (const [ref, amount] of [
      ["a", most],
      ["b", -most],
      ["c", -1],
      ["d", 0],
    ] as const) {
      expect(await ledger.posted("revenue", revenue({ ref, amount }), 201)).toMatchObject({ amount });
    }
    const zero = JSON.stringify(revenue({ ref: "d", amount: 7 })).replace(":7,", ":-0,");
    expect(Object.is((await ledger.posted("revenue", zero, 200))["amount"], 0)).toBe(true);
  });
});
