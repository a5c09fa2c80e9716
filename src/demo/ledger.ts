/** The ledger of the demo: two years of revenue, and the costs of the last, in three currencies. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seedOf, uniform } from "../simulator/mod.ts";
import { tower } from "./commands.ts";
import type { DemoFolder } from "./folder.ts";
import { SEED } from "./history.ts";
import { post } from "./send.ts";

/** Who pays a site, about how many minor units a month, and since how many months. */
const INCOME: readonly (readonly [
  asset: string,
  source: string,
  currency: string,
  about: number,
  months: number,
])[] = [
  ["northlight-hotels.example", "stripe", "EUR", 90_000, 24],
  ["harbor-bikes.example", "adsense", "EUR", 52_000, 24],
  ["cloudberry-jams.example", "affiliate", "EUR", 38_000, 24],
  ["trailledger.example", "stripe", "USD", 61_000, 18],
  ["paperlark.example", "adsense", "USD", 47_000, 18],
  ["the-museum-of-forgotten-postcards-and-other-small-paper-things.example", "adsense", "JPY", 66_000, 5],
];

const INFERENCE = { kind: "inference", source: "anthropic" };
const WORK = { kind: "operator_minutes", source: "operator" };
/** What is paid each month, about so many minor units or minutes. */
const COSTS: readonly (readonly [
  about: number,
  cost: { readonly kind: string; readonly [field: string]: string },
])[] = [
  [41_000, { ...INFERENCE, asset: "northlight-hotels.example", change: "v42", currency: "EUR" }],
  [13_000, { ...INFERENCE, change: "os-overhead", currency: "EUR" }],
  [220, { ...WORK, currency: "EUR" }],
  [52_000, { ...INFERENCE, asset: "paperlark.example", change: "v17", currency: "USD" }],
  [33_000, { kind: "external_api", source: "hosting", currency: "USD" }],
  [95, { ...WORK, currency: "JPY", ref: "jp" }],
];
const MONTHS_OF_COSTS = 12;
/** Months, the present one among them, that are not reconciled yet. */
const ESTIMATED = 2;

/** Sends the ledger, one row a request. Returns how many. */
export async function sendLedger({ dataDir, state }: DemoFolder, towerUrl: string): Promise<number> {
  const constants = join(dataDir, "constants.toml");
  const rates = "[ledger.operator_rates]\n";
  writeFileSync(
    constants,
    readFileSync(constants, "utf8").replace(rates, `${rates}EUR = 6000\nJPY = 6000\n`),
  );
  await tower(dataDir, "job run", { args: ["constants"] });
  const token = await tower(dataDir, "token issue", {
    args: ["--operator", "demo-books", "--scopes", "ledger"],
  });
  const rows = [...revenue(state.madeAt), ...costs(state.madeAt)];
  await Promise.all(rows.map(([path, row]) => post(`${towerUrl}/api/ledger/${path}`, token, row)));
  return rows.length;
}

type Sent = readonly [path: "revenue" | "costs", row: object];

const revenue = (madeAt: number): readonly Sent[] =>
  INCOME.flatMap(([asset, source, currency, about, months]) =>
    monthsBefore(madeAt, months).map((period, back): Sent => {
      const amount = varied(about, asset, back);
      const status = source === "stripe" || back >= ESTIMATED ? "booked" : "estimated";
      const isRange = source === "affiliate" && status === "estimated";
      const range = isRange ? { low: Math.round(amount * 0.8), high: Math.round(amount * 1.3) } : {};
      return ["revenue", { asset, source, status, currency, period, amount, ...range }];
    }),
  );

const costs = (madeAt: number): readonly Sent[] =>
  COSTS.flatMap(([about, cost]) =>
    monthsBefore(madeAt, MONTHS_OF_COSTS).map((period, back): Sent => {
      const size = varied(about, JSON.stringify(cost), back);
      return ["costs", { period, ...cost, [cost.kind === WORK.kind ? "minutes" : "amount"]: size }];
    }),
  );

/** The present month and those before it. */
function monthsBefore(madeAt: number, count: number): readonly string[] {
  const made = new Date(madeAt);
  return Array.from({ length: count }, (_, back) =>
    new Date(Date.UTC(made.getUTCFullYear(), made.getUTCMonth() - back)).toISOString().slice(0, 7),
  );
}

/** About so much, higher in later years, and never twice the same. */
function varied(about: number, of: string, back: number): number {
  return Math.round(about * (1 - back / 120) * (0.85 + 0.3 * uniform(seedOf(SEED, of, "ledger"), back)));
}
