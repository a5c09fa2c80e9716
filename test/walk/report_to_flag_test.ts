import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { addDays, type UtcDay, utcDayOf } from "../../src/base/time.ts";
import type { Measures } from "../../src/reports/measures.ts";
import { temporaryFolder } from "../support/folder.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { runToEnd, type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

/** Free ports and a fresh folder; everything else is as it comes. */
const SETTINGS = { DATA_DIR: join(folder.path, "data"), INGEST_PORT: "0", TOWER_PORT: "0" };
const PATIENCE = 120_000;
const today = utcDayOf(Date.now());
const QUIET: Measures = {
  code_lines: 10_000,
  complex_functions: 3,
  duplication_percent: 2,
  unused_files: 1,
  vulnerable_dependencies: 0,
};

/** Services of a test that failed halfway must not hold the folder. */
const running: Service[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.end("SIGKILL");
});

async function start(): Promise<Service> {
  const service = await startService(SETTINGS);
  running.push(service);
  return service;
}

/** Waits until the service has said it. */
async function expectSaid(service: Service, words: RegExp): Promise<void> {
  await until(
    async () => words.test(service.said),
    (said) => said,
  );
  expect(service.said).toMatch(words);
}

interface Answer {
  readonly date: string;
  readonly revision: number;
  readonly comparison: { readonly date: string } | null;
  readonly alerts: {
    readonly raised: readonly { rule: string }[];
    readonly resolved: readonly { rule: string }[];
  };
}

async function post(service: Service, token: string, date: UtcDay, measures: Measures): Promise<Answer> {
  const response = await fetch(`${service.ingestUrl}/api/codebase-report`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(codebaseReport({ generatedAt: `${date}T00:00:00Z`, measures })),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as Answer;
}

async function read(service: Service, token: string, path: string): Promise<Record<string, unknown>[]> {
  const response = await fetch(`${service.towerUrl}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { items: Record<string, unknown>[] }).items;
}

const rules = (changed: readonly { rule: string }[]) => changed.map(({ rule }) => rule);

async function issue(args: readonly string[]): Promise<string> {
  const { code, out, err } = await runToEnd("cli.ts", ["token", "issue", ...args], SETTINGS);
  expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^sm[tc]_[0-9A-Za-z_]+\n$/);
  return out.trim();
}

describe("from an empty folder to flags and back, through the real process", () => {
  test(
    "thirty days of reports raise and resolve the flags of all five rules; all of it is read over the API and outlives the process",
    async () => {
      const service = await start();
      await expectSaid(service, /^Set up +http:\/\/127\.0\.0\.1:\d+\/setup\?/m);
      expect(statSync(SETTINGS.DATA_DIR).mode & 0o777).toBe(0o700);

      const site = await issue(["--asset", "harbor"]);
      const reader = await issue(["--operator", "ci", "--scopes", "read"]);
      const open = async (from: Service) =>
        (await read(from, reader, "/api/flags?asset=harbor&status=open")).map((flag) => flag["rule"]);

      // From 30 days ago to yesterday: three levels rise one after the other, and fall again.
      for (let age = 30; age >= 1; age--) {
        const measures = {
          ...QUIET,
          duplication_percent: age <= 20 && age > 12 ? 9.5 : 2,
          unused_files: age <= 18 && age > 10 ? 14 : 1,
          vulnerable_dependencies: age <= 16 && age > 8 ? 2 : 0,
        };
        const answer = await post(service, site, addDays(today, -age), measures);
        const due = [
          ...(measures.duplication_percent > 8 ? ["codebase-duplication"] : []),
          ...(measures.unused_files > 9 ? ["codebase-unused"] : []),
          ...(measures.vulnerable_dependencies > 0 ? ["codebase-vulnerabilities"] : []),
        ];
        // The first report is old enough to compare with from the 28th day on.
        const compared = age <= 2;
        expect({ age, raised: rules(answer.alerts.raised), compared: answer.comparison !== null }).toEqual({
          age,
          raised: due,
          compared,
        });
      }
      expect(await open(service)).toEqual([]);

      // Today the code has grown: growth and complexity are judged against the report of 30 days before.
      const grown = await post(service, site, today, { ...QUIET, code_lines: 13_000, complex_functions: 8 });
      expect(grown.comparison).toMatchObject({ date: addDays(today, -30) });
      expect(rules(grown.alerts.raised)).toEqual(["codebase-growth", "codebase-complexity"]);
      const [growth] = await read(service, reader, "/api/flags?rule=codebase-growth");
      expect(growth).toMatchObject({
        asset: "harbor",
        status: "open",
        severity: "warn",
        kind: "anomaly",
        message: "The code grew 30% in 30 days (10000 -> 13000 lines).",
        rule_inputs: {
          code_lines: 13_000,
          code_lines_before: 10_000,
          report: { date: today },
          comparison: { date: addDays(today, -30) },
        },
      });

      const silent = await post(service, site, today, {});
      expect(silent).toMatchObject({ revision: 2, alerts: { raised: [], resolved: [] } });
      expect((await open(service)).sort()).toEqual(["codebase-complexity", "codebase-growth"]);
      const shrunk = await post(service, site, today, QUIET);
      expect(rules(shrunk.alerts.resolved)).toEqual(["codebase-growth", "codebase-complexity"]);
      expect(await open(service)).toEqual([]);

      const all = await read(service, reader, "/api/flags?asset=harbor&limit=500");
      expect(new Set(all.map((flag) => flag["rule"])).size).toBe(5);
      expect(all.every((flag) => flag["status"] === "resolved" && flag["resolved_at"] !== null)).toBe(true);
      expect(await read(service, reader, "/api/assets/harbor/codebase-reports?limit=500")).toHaveLength(31);
      expect(
        await read(service, reader, "/api/assets/harbor/codebase-reports?limit=500&revisions=all"),
      ).toHaveLength(33);

      expect(await service.end("SIGTERM")).toBe(0);
      expect(existsSync(join(SETTINGS.DATA_DIR, "control.sock"))).toBe(false);

      const again = await start();
      expect(await read(again, reader, "/api/flags?asset=harbor&limit=500")).toEqual(all);
      const next = await post(again, site, today, { ...QUIET, duplication_percent: 50 });
      expect({ revision: next.revision, raised: rules(next.alerts.raised) }).toEqual({
        revision: 4,
        raised: ["codebase-duplication"],
      });
      expect(await again.end("SIGTERM")).toBe(0);
      const checked = await runToEnd("cli.ts", ["check"], SETTINGS);
      expect({ code: checked.code, faults: checked.out.includes("FAULT") }).toEqual({
        code: 0,
        faults: false,
      });
    },
    PATIENCE,
  );
});

/** One line for a person, nothing on standard output, and no trace of the program's inside. */
function expectOneLine(
  said: { code: number | null; out: string; err: string },
  code: number,
  line: RegExp,
): void {
  expect({ code: said.code, out: said.out }).toEqual({ code, out: "" });
  expect(said.err).toMatch(line);
  expect(said.err.trimEnd().split("\n")).toHaveLength(1);
}

describe("a start that cannot be says why in one line (decisions 2)", () => {
  test(
    "a second process on the same folder is refused, and the first goes on",
    async () => {
      const service = await start();
      try {
        expectOneLine(await runToEnd("main.ts", [], SETTINGS), 1, /^tower: another Tower process is using /);
        expect((await fetch(`${service.towerUrl}/healthz`)).status).toBe(200);
      } finally {
        expect(await service.end("SIGTERM")).toBe(0);
      }
    },
    PATIENCE,
  );
});
