/** Few in an ordinary run, beside those of `fault/kills_test.ts`; `CRASH_KILLS=200` is what the promise asks for. */

import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { addDays, type UtcDay, utcDayOf } from "../../src/base/time.ts";
import { findComparison, listReports, revisionFaults } from "../../src/reports/codebase.ts";
import { evaluateCodebase } from "../../src/reports/codebase_rules.ts";
import type { Measures } from "../../src/reports/measures.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { temporaryFolder } from "../support/folder.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { freshlySeeded } from "../support/random_counts.ts";
import { flagFaults } from "../support/read_models.ts";
import { type Service, startService } from "../support/service.ts";
import { DEFAULT_CODEBASE_THRESHOLDS } from "../support/thresholds.ts";

const KILLS = Number(Bun.env["CRASH_KILLS"] ?? 6);
const CLIENTS = 8;

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const today = utcDayOf(Date.now());
const BEFORE: Measures = { code_lines: 1_000, complex_functions: 1 };
const sites = Array.from({ length: CLIENTS }, (_, i) => ({
  asset: `site-${i}`,
  token: `crash-token-of-site-${i}`,
}));
const settings = {
  DATA_DIR: folder.path,
  INGEST_PORT: "0",
  TOWER_PORT: "0",
  LOG_LEVEL: "error",
  ASSET_TOKENS: sites.map(({ asset, token }) => `${asset}:${token}`).join(","),
};

/** The n-th report's measures: each bit switches one of the five rules. */
function measuresOf(n: number): Measures {
  return {
    files: n,
    code_lines: n & 1 ? 9_000 : 1_000,
    duplication_percent: n & 2 ? 9 : 1,
    unused_files: n & 4 ? 30 : 0,
    complex_functions: n & 8 ? 50 : 1,
    vulnerable_dependencies: n & 16 ? 2 : 0,
  };
}

interface Acknowledged {
  readonly asset: string;
  readonly date: string;
  readonly revision: number;
  readonly measures: Measures;
  readonly raised: readonly string[];
}

const acknowledged: Acknowledged[] = [];
let sent = 0;

async function post(
  service: Service,
  site: { asset: string; token: string },
  date: UtcDay,
  measures: Measures,
): Promise<void> {
  const response = await fetch(`${service.ingestUrl}/api/codebase-report`, {
    method: "POST",
    headers: { authorization: `Bearer ${site.token}`, "content-type": "application/json" },
    body: JSON.stringify(codebaseReport({ asset: site.asset, generatedAt: `${date}T00:00:00Z`, measures })),
  });
  if (response.status !== 201) throw new Error(`answered ${response.status}`);
  const answer = (await response.json()) as {
    date: string;
    revision: number;
    alerts: { raised: { id: string }[] };
  };
  acknowledged.push({
    asset: site.asset,
    date: answer.date,
    revision: answer.revision,
    measures,
    raised: answer.alerts.raised.map(({ id }) => id),
  });
}

/** Eight clients post until the service is gone. */
async function storm(service: Service): Promise<void> {
  await Promise.all(
    sites.map(async (site) => {
      try {
        for (;;) await post(service, site, today, measuresOf(sent++));
      } catch {
        // The service was killed: what was under way was not acknowledged.
      }
    }),
  );
}

/** What is missing or half-written; empty when every promise held. */
function faults(store: Store): string[] {
  const found: string[] = [];
  const integrity = store.raw
    .query<{ integrity_check: string }, []>("PRAGMA integrity_check")
    .get()?.integrity_check;
  if (integrity !== "ok") found.push(`integrity: ${integrity}`);
  found.push(...revisionFaults(store.db), ...flagFaults(store.db));

  const flags = store.raw
    .query<{ id: string; asset: string; rule: string; status: string; rule_inputs: string }, []>(
      "SELECT id, asset, rule, status, rule_inputs FROM flag",
    )
    .all();
  const ids = new Set(flags.map(({ id }) => id));
  const raisedBy = new Map<string, string[]>();
  for (const { asset, rule, rule_inputs } of flags) {
    const { report } = JSON.parse(rule_inputs) as { report: { date: string; revision: number } };
    const key = `${asset} ${report.date} ${report.revision}`;
    raisedBy.set(key, [...(raisedBy.get(key) ?? []), rule]);
  }
  const stored = new Map<string, Measures>();
  for (const { asset } of sites) {
    const reports = listReports(store.db, { asset, allRevisions: true }, 1_000_000);
    const comparison = findComparison(store.db, asset, today);
    for (const { date, revision, measures } of reports) {
      const key = `${asset} ${date} ${revision}`;
      stored.set(key, measures);
      if (date !== today) continue;
      const fired = evaluateCodebase(
        { date, revision, measures },
        comparison,
        DEFAULT_CODEBASE_THRESHOLDS,
      ).flatMap(({ rule, verdict }) => (verdict.state === "fires" ? [rule] : []));
      const raised = raisedBy.get(key) ?? [];
      if ([...raised].sort().join() !== [...fired].sort().join())
        found.push(`${key}: raised ${raised.join()}, not ${fired.join()}`);
    }
    const latest = reports[0];
    const open = flags
      .filter((flag) => flag.asset === asset && flag.status === "open")
      .map(({ rule }) => rule);
    const due =
      latest === undefined ? [] : (raisedBy.get(`${asset} ${latest.date} ${latest.revision}`) ?? []);
    if (open.sort().join() !== [...due].sort().join())
      found.push(`${asset}: open ${open.join()}, not ${due.join()}`);
  }
  for (const { asset, date, revision, measures, raised } of acknowledged) {
    if (!Bun.deepEquals(stored.get(`${asset} ${date} ${revision}`), measures))
      found.push(`acknowledged, but not there: ${asset} ${date} ${revision}`);
    for (const id of raised) if (!ids.has(id)) found.push(`acknowledged, but its flag is not there: ${id}`);
  }
  return found;
}

describe("kill -9 at random moments (reliability D1)", () => {
  test(
    `after ${KILLS} kills every acknowledged report is there with its five rule results, and nothing is half-written`,
    async () => {
      const random = freshlySeeded("moments of the kills");
      for (let kill = 0; kill <= KILLS; kill++) {
        const service = await startService(settings);
        try {
          if (kill === 0) for (const site of sites) await post(service, site, addDays(today, -30), BEFORE);
          else {
            const raging = storm(service);
            await Bun.sleep(30 + random() * 250);
            await service.end("SIGKILL");
            await raging;
          }
        } finally {
          await service.end("SIGKILL");
        }
        const store = openStore(join(folder.path, "tower.db"));
        const found = faults(store).slice(0, 5);
        store.close();
        expect({ kill, found }).toEqual({ kill, found: [] });
      }
      expect(acknowledged.length).toBeGreaterThan(KILLS);
    },
    30_000 + KILLS * 6_000,
  );
});
