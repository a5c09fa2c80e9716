/** Where the time of one codebase report goes, part by part, in this process: microseconds of the fastest of some rounds. */

import { join } from "node:path";
import { Elysia } from "elysia";
import * as v from "valibot";
import { ensureAssets, SendRates, SiteTokenBook } from "../../src/assets/mod.ts";
import { acceptReport } from "../../src/codebase/accept.ts";
import { type CodebaseReport, CodebaseReportSchema } from "../../src/codebase/contract.ts";
import { codebaseIngest } from "../../src/codebase/mod.ts";
import { migrateStore, openStore, type Store, type Tx, Writer } from "../../src/db/mod.ts";
import { ignoredFields, readContract } from "../../src/lib/contract.ts";
import { sha256Hex } from "../../src/lib/digest.ts";
import { readJsonText } from "../../src/lib/json_text.ts";
import { addDays, type UtcDay, utcDayOf } from "../../src/lib/utc_day.ts";
import { createEdge } from "../../src/platform/edge.ts";
import { INGEST_HEADERS } from "../../src/platform/headers.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { receive } from "../../src/platform/receive.ts";
import { routerOf } from "../../src/platform/routing.ts";
import { RefusedReports } from "../../src/refusals/mod.ts";
import { temporaryFolder } from "../support/folder.ts";
import { capturingLog } from "../support/log.ts";
import { DEFAULT_CODEBASE_THRESHOLDS } from "../support/thresholds.ts";
import { firingReport, historyDays, largeReport, smallReport } from "./bodies.ts";

const today = utcDayOf(Date.now());
const ASSET = "site-0";
const TOKEN = "bench-token-of-site-0";

/** Microseconds per call, the fastest of eight rounds. */
async function each(calls: number, work: () => unknown): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 8; round++) {
    const begun = performance.now();
    for (let i = 0; i < calls; i++) {
      const made = work();
      if (made instanceof Promise) await made;
    }
    fastest = Math.min(fastest, ((performance.now() - begun) * 1_000) / calls);
  }
  return fastest;
}

function acceptInto(tx: Tx, body: string, report: CodebaseReport): void {
  acceptReport(tx, {
    report,
    body,
    receivedAt: Date.now(),
    thresholds: DEFAULT_CODEBASE_THRESHOLDS,
    newId: systemIds.uuid,
  });
}

function storeWithHistory(folder: string): Store {
  const store = openStore(join(folder, "t.db"));
  migrateStore(store);
  ensureAssets(store.main as Tx, [ASSET], { actor: "bench", now: 0 });
  for (const date of historyDays(today, 60)) {
    const body = smallReport(ASSET, date);
    acceptInto(store.main as Tx, body, JSON.parse(body) as CodebaseReport);
  }
  return store;
}

async function breakdown(name: string, body: string, calls: number): Promise<void> {
  using folder = temporaryFolder();
  const store = storeWithHistory(folder.path);
  const writer = new Writer(store);
  const siteTokens = new SiteTokenBook();
  siteTokens.setNamed([{ asset: ASSET, token: TOKEN }]);
  const value = JSON.parse(body) as CodebaseReport;
  const bytes = new TextEncoder().encode(body);
  const request = () =>
    new Request("http://127.0.0.1:1/api/codebase-report", {
      method: "POST",
      headers: {
        host: "127.0.0.1",
        authorization: `Bearer ${TOKEN}`,
        "content-type": "application/json",
        "content-length": String(bytes.byteLength),
      },
      body: bytes,
    });
  const app = codebaseIngest({
    writer,
    clock: { now: () => Date.now() },
    ids: systemIds,
    siteTokens,
    refusals: new RefusedReports(),
    sendRates: new SendRates({ burst: 1_000_000, perSecond: 1_000_000 }),
    isOperatorToken: () => false,
    codebaseThresholds: () => DEFAULT_CODEBASE_THRESHOLDS,
  });
  const options = {
    listener: "ingest",
    hosts: () => ({ port: 1, has: (host: string) => host === "127.0.0.1" }),
    refuseBrowsers: true,
    headers: INGEST_HEADERS,
    clock: { now: () => 0 },
    ids: systemIds,
    log: capturingLog().log,
  } as const;
  const edge = createEdge({ ...options, route: routerOf(new Elysia().use(app)) });
  const emptyEdge = createEdge({
    ...options,
    route: routerOf(new Elysia().post("/api/codebase-report", () => new Response("x"), { parse: "none" })),
  });
  const accept = () => acceptInto(store.main as Tx, body, value);
  const parts: readonly (readonly [string, () => unknown])[] = [
    ["a Request, as the runtime makes it", request],
    ["edge and router around an empty route", () => emptyEdge(request())],
    ["token: SHA-256 and look-up", () => siteTokens.find(TOKEN)],
    [
      "body read and judged (receive)",
      () => receive(request(), { schema: CodebaseReportSchema, maxBytes: 262_144 }),
    ],
    ["  JSON.parse", () => JSON.parse(body)],
    ["  strict JSON (with JSON.parse)", () => readJsonText(body)],
    ["  contract: valibot alone", () => v.safeParse(CodebaseReportSchema, value)],
    ["  contract: read (with valibot)", () => readContract(CodebaseReportSchema, value)],
    ["  contract: ignored fields", () => ignoredFields(CodebaseReportSchema, value)],
    ["transaction without its fsync: store and judge", accept],
    [
      "all of it: 16 at once, one commit, per report",
      () => Promise.all(Array.from({ length: 16 }, () => edge(request()))),
    ],
    [
      "a commit of 16 inserts of the body, per report",
      () => {
        store.raw.run("BEGIN IMMEDIATE");
        for (let i = 0; i < 16; i++) store.raw.run("INSERT INTO bare (body) VALUES (?)", [body]);
        store.raw.run("COMMIT");
      },
    ],
  ];
  store.raw.run("CREATE TABLE bare (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT");
  console.log(`${name}, ${bytes.byteLength} bytes, in microseconds`);
  for (const [part, work] of parts) {
    const whole = part.includes("per report");
    const inTransaction = work === accept;
    if (inTransaction) store.raw.run("BEGIN IMMEDIATE");
    const cost = await each(whole ? Math.ceil(calls / 16) : calls, work);
    if (inTransaction) store.raw.run("ROLLBACK");
    console.log(`  ${part.padEnd(52)} ${(whole ? cost / 16 : cost).toFixed(1).padStart(8)}`);
  }
  console.log(
    `  token digest alone ${" ".repeat(34)} ${(await each(calls, () => sha256Hex(TOKEN))).toFixed(1).padStart(7)}`,
  );
  store.close();
}

/** Prints the breakdown for a small report, a small one on which rules fire, and one at every bound. */
export async function partsBench(): Promise<void> {
  await breakdown("small report, five rules run", smallReport(ASSET, addDays(today, 0)), 400);
  await breakdown("small report, three rules fire", firingReport(ASSET, today as UtcDay), 400);
  await breakdown("report at every bound", largeReport(ASSET, today), 40);
}

if (import.meta.main) await partsBench();
