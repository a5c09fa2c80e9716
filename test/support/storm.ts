/**
 * Clients that send every kind of write to a real service until it is gone, and keep what was acknowledged, so that a test can cut
 * the service off at any moment and ask the database afterwards what is missing or was done twice.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { askService } from "../../src/app/control.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import { addDays, type UtcDay, utcDayOf } from "../../src/base/time.ts";
import { checkEverything } from "../../src/keep/keep.ts";
import { findComparison, findReport, findReportBody, listReports } from "../../src/reports/codebase.ts";
import { evaluateCodebase } from "../../src/reports/codebase_rules.ts";
import { findBacklog } from "../../src/reports/pulse.ts";
import { sumTallies } from "../../src/rules/verdicts.ts";
import type { Store } from "../../src/store/store.ts";
import { openFolder } from "./data_folder.ts";
import { codebaseReport } from "./make/codebase_report.ts";
import { findPulse, pulse } from "./make/pulse.ts";
import { finished, type Service } from "./service.ts";
import { DEFAULT_CODEBASE_THRESHOLDS } from "./thresholds.ts";

/** A 2xx that a client received. */
export type Ack =
  | {
      readonly kind: "pulse";
      readonly asset: string;
      readonly date: string;
      readonly revision: number;
      readonly n: number;
    }
  | {
      readonly kind: "codebase";
      readonly asset: string;
      readonly date: string;
      readonly revision: number;
      readonly n: number;
      /** Flags that it was answered to have raised. */
      readonly raised: readonly string[];
    }
  | { readonly kind: "annotation"; readonly id: string }
  | { readonly kind: "constants"; readonly digest: string }
  | { readonly kind: "token"; readonly id: string }
  | { readonly kind: "acknowledged"; readonly flag: string };

/** Who the Tower takes the clients for. */
const OPERATOR = "ada";
const HEADER = "x-operator";

/** How a storm is set up. */
export interface StormOptions {
  readonly dataDir: string;
  /** Clients that send reports, each of a site of its own. */
  readonly sites?: number;
  /** Whether operators act, too: constants, tokens, acknowledgements, annotations. */
  readonly acts?: boolean;
  /** Bytes added to each codebase report. */
  readonly padding?: number;
  /** Between two requests of a client, in milliseconds. */
  readonly pauseMs?: number;
}

export class Storm {
  readonly acks: Ack[] = [];
  /** Answers that were no 2xx, by status. */
  readonly refused = new Map<number, number>();
  readonly sites: readonly { readonly asset: string; readonly token: string }[];
  readonly #options: StormOptions;
  readonly #today: UtcDay = utcDayOf(Date.now());
  #n = 0;
  #over = false;

  constructor(options: StormOptions) {
    this.#options = options;
    this.sites = Array.from({ length: options.sites ?? 6 }, (_, i) => ({
      asset: `site-${i}`,
      token: `storm-token-of-site-${i}`,
    }));
  }

  /** Settings of the service that the storm speaks to. */
  get settings(): Record<string, string> {
    return {
      DATA_DIR: this.#options.dataDir,
      INGEST_PORT: "0",
      TOWER_PORT: "0",
      LOG_LEVEL: "error",
      ASSET_TOKENS: this.sites.map(({ asset, token }) => `${asset}:${token}`).join(","),
      TRUSTED_AUTH_HEADER: HEADER,
      INGEST_BURST: "1000000",
      INGEST_BYTES_PER_DAY: "1000000000000",
      INGEST_PER_SECOND: "100000",
    };
  }

  /** One report of each kind from every site, for yesterday: what the storm's totals and figures are compared with. */
  async begin(service: Service): Promise<void> {
    for (const site of this.sites) {
      await this.#sendPulse(service, site, addDays(this.#today, -1), 900);
      await this.#sendCodebase(service, site, addDays(this.#today, -30), 0);
    }
  }

  /** Sends until the service is gone or `end` is called. */
  async rage(service: Service): Promise<void> {
    this.#over = false;
    const clients = this.sites.map((site) => () => this.#report(service, site));
    if (this.#options.acts === true) {
      clients.push(
        () => this.#annotate(service),
        () => this.#saveConstants(service),
        () => this.#issueToken(),
        () => this.#acknowledge(service),
      );
    }
    await Promise.all(
      clients.map(async (client) => {
        try {
          while (!this.#over) {
            await client();
            if (this.#options.pauseMs !== undefined) await Bun.sleep(this.#options.pauseMs);
          }
        } catch {
          // The service was cut off: what was under way was not acknowledged.
        }
      }),
    );
  }

  /** Lets every client end after what it has under way. */
  end(): void {
    this.#over = true;
  }

  async #report(service: Service, site: { asset: string; token: string }): Promise<void> {
    const n = ++this.#n;
    if (n % 2 === 0) await this.#sendPulse(service, site, this.#today, 1_000 + n);
    else await this.#sendCodebase(service, site, this.#today, n);
  }

  async #sendPulse(service: Service, site: { asset: string; token: string }, day: UtcDay, n: number) {
    const body = pulse({
      asset: site.asset,
      generatedAt: `${day}T00:00:00Z`,
      metrics: { signups: { last24h: n % 7, total: n } },
      flags: [{ severity: "warn", kind: "anomaly", metric: "signups", msg: `Said with report ${n}.` }],
    });
    const answer = await this.#send<Place>(`${service.ingestUrl}/api/pulse`, body, {
      authorization: `Bearer ${site.token}`,
    });
    if (answer !== undefined) this.acks.push({ kind: "pulse", asset: site.asset, ...placeOf(answer), n });
  }

  async #sendCodebase(service: Service, site: { asset: string; token: string }, day: UtcDay, n: number) {
    const padding = this.#options.padding ?? 0;
    const body = codebaseReport({
      asset: site.asset,
      generatedAt: `${day}T00:00:00Z`,
      // Each bit switches one of the five rules; every other number is a nightly report's.
      measures: {
        files: n,
        code_lines: n & 2 ? 9_000 : 1_000,
        duplication_percent: n & 4 ? 9 : 1,
        unused_files: n & 8 ? 30 : 0,
        complex_functions: n & 16 ? 50 : 1,
        vulnerable_dependencies: n & 32 ? 2 : 0,
      },
    });
    const text = JSON.stringify(body);
    const answer = await this.#send<Place & { alerts: { raised: { id: string }[] } }>(
      `${service.ingestUrl}/api/codebase-report`,
      text.padEnd(text.length + padding, " "),
      { authorization: `Bearer ${site.token}` },
    );
    if (answer === undefined) return;
    const raised = answer.alerts.raised.map(({ id }) => id);
    this.acks.push({ kind: "codebase", asset: site.asset, ...placeOf(answer), n, raised });
  }

  async #annotate(service: Service): Promise<void> {
    const answer = await this.#send<{ id: string }>(
      `${service.towerUrl}/api/annotations`,
      {
        asset: "site-0",
        at: new Date(Date.now() - 60_000).toISOString(),
        kind: "deploy",
        ref: `r${++this.#n}`,
      },
      this.#person(service),
    );
    if (answer !== undefined) this.acks.push({ kind: "annotation", id: answer.id });
  }

  async #saveConstants(service: Service): Promise<void> {
    const path = join(this.#options.dataDir, "constants.toml");
    const before = readFileSync(path, "utf8");
    const text = `${before.replace(/\n# storm \d+\n$/, "\n")}# storm ${++this.#n}\n`.replace(
      /\n+# storm/,
      "\n# storm",
    );
    const fields = { text, digest: sha256Hex(before), shown: sha256Hex(text), act: "save" };
    const response = await fetch(`${service.towerUrl}/settings/constants`, {
      method: "POST",
      redirect: "manual",
      headers: this.#person(service),
      body: new URLSearchParams(fields),
    });
    await response.arrayBuffer();
    if (response.status === 303) this.acks.push({ kind: "constants", digest: sha256Hex(text) });
    else this.#refuse(response.status);
  }

  async #issueToken(): Promise<void> {
    const args = ["--asset", `site-${this.#n++ % this.sites.length}`];
    const outcome = await askService(this.#options.dataDir, "token issue", { args });
    if (outcome === undefined) throw new Error("the service is gone");
    const id = /^smt_([a-z2-7]{8})_/.exec(outcome.stdout)?.[1];
    if (id !== undefined) this.acks.push({ kind: "token", id });
    else this.#refuse(500);
  }

  async #acknowledge(service: Service): Promise<void> {
    const listed = await fetch(`${service.towerUrl}/api/flags?status=open&limit=1`, {
      headers: this.#person(service),
    });
    const { items } = (await listed.json()) as { items: { id: string }[] };
    const [flag] = items;
    if (flag === undefined) return;
    const response = await fetch(`${service.towerUrl}/flags/${flag.id}/acknowledgement`, {
      method: "POST",
      redirect: "manual",
      headers: this.#person(service),
      body: new URLSearchParams(),
    });
    await response.arrayBuffer();
    if (response.status === 303) this.acks.push({ kind: "acknowledged", flag: flag.id });
    else this.#refuse(response.status);
  }

  #person(service: Service): Record<string, string> {
    return { [HEADER]: OPERATOR, origin: service.towerUrl };
  }

  async #send<T>(url: string, body: unknown, headers: Record<string, string>): Promise<T | undefined> {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as T;
    this.#refuse(response.status);
    return undefined;
  }

  #refuse(status: number): void {
    this.refused.set(status, (this.refused.get(status) ?? 0) + 1);
  }
}

interface Place {
  readonly date: string;
  readonly revision: number;
}
const placeOf = ({ date, revision }: Place) => ({ date, revision });

/** How an acknowledged thing is found in a database: exactly one row. */
const FOUND: {
  readonly [K in Ack["kind"]]: (
    ack: Ack & { readonly kind: K },
  ) => [sql: string, ...given: (string | number)[]];
} = {
  pulse: ({ asset, date, revision }) => [
    "SELECT 1 FROM pulse WHERE asset = ? AND date = ? AND revision = ?",
    asset,
    date,
    revision,
  ],
  codebase: ({ asset, date, revision }) => [
    "SELECT 1 FROM codebase_report WHERE asset = ? AND date = ? AND revision = ?",
    asset,
    date,
    revision,
  ],
  annotation: ({ id }) => ["SELECT 1 FROM annotation WHERE id = ?", id],
  constants: ({ digest }) => [
    "SELECT 1 FROM constants_version AS v JOIN audit AS a ON a.act = 'constants.save' AND json_extract(a.detail, '$.version') = v.id WHERE v.digest = ?",
    digest,
  ],
  token: ({ id }) => ["SELECT 1 FROM site_token WHERE id = ?", id],
  acknowledged: ({ flag }) => ["SELECT 1 FROM flag WHERE id = ? AND acked_at IS NOT NULL", flag],
};

/** Acknowledged things that a database does not hold as they were acknowledged. */
export function lostOf(store: Store, acks: readonly Ack[]): Ack[] {
  return acks.filter((ack) => {
    const [sql, ...given] = (FOUND[ack.kind] as (ack: Ack) => [string, ...(string | number)[]])(ack);
    const isGone = (flag: string) => store.raw.query("SELECT 1 FROM flag WHERE id = ?").get(flag) === null;
    return (
      store.raw.query(sql).all(...given).length !== 1 ||
      !isAsSent(store, ack) ||
      (ack.kind === "codebase" && ack.raised.some(isGone))
    );
  });
}

/** Codebase reports of a site's newest day that are there without the results of their five rules, or with others. */
function codebaseFaults({ db, raw }: Store): string[] {
  const raised = new Map(
    raw
      .query<{ report: string; rules: string; open: string | null }, []>(
        `SELECT asset || ' ' || json_extract(rule_inputs, '$.report.date') || ' ' || json_extract(rule_inputs, '$.report.revision') AS report,
           group_concat(rule) AS rules, group_concat(rule) FILTER (WHERE status = 'open') AS open
         FROM flag WHERE rule LIKE 'codebase-%' GROUP BY report`,
      )
      .all()
      .map(({ report, rules, open }) => [report, { rules: sorted(rules), open: sorted(open ?? "") }]),
  );
  const assets = raw.query<{ asset: string }, []>("SELECT DISTINCT asset FROM codebase_report").all();
  return assets.flatMap(({ asset }) => {
    const reports = listReports(db, { asset, allRevisions: true }, 1_000_000);
    const [newest] = reports;
    if (newest === undefined) return [];
    const comparison = findComparison(db, asset, newest.date);
    return reports
      .filter(({ date }) => date === newest.date)
      .flatMap((report) => {
        const key = `${asset} ${report.date} ${report.revision}`;
        const found = raised.get(key) ?? { rules: "", open: "" };
        const due = evaluateCodebase(report, comparison, DEFAULT_CODEBASE_THRESHOLDS)
          .filter(({ verdict }) => verdict.state === "fires")
          .map(({ rule }) => rule);
        const fired = sorted(due.join());
        const isSo = found.rules === fired && found.open === (report === newest ? fired : "");
        return isSo ? [] : [`${key} raised ${found.rules}, open ${found.open}, not ${fired}`];
      });
  });
}
const sorted = (words: string): string => words.split(",").sort().join();

/** Whether the body of a report is the one that was acknowledged, wherever it lies by now. */
function isAsSent({ db }: Store, ack: Ack): boolean {
  if (ack.kind !== "pulse" && ack.kind !== "codebase") return true;
  const { asset, date, revision, n } = ack;
  const report = ack.kind === "codebase" ? findReport(db, asset, date as UtcDay, revision) : undefined;
  const sent =
    report === undefined ? findPulse(db, asset, date as UtcDay, revision)?.body : findReportBody(db, report);
  const body = JSON.parse(sent ?? "{}") as {
    readonly metrics?: { readonly signups?: { readonly total?: number } };
    readonly measures?: { readonly files?: number };
  };
  return (ack.kind === "pulse" ? body.metrics?.signups?.total : body.measures?.files) === n;
}

/** What is half done or done twice in a database whose reports are all judged, in words; empty when nothing is. */
export function consequenceFaults(store: Store): string[] {
  const rows = (sql: string) => store.raw.query<Record<string, unknown>, []>(sql).all();
  const number = (sql: string) => Number(Object.values(rows(sql)[0] ?? {})[0]);
  const found = checkEverything(store).flatMap(({ what, faults }) =>
    faults.map((fault) => `${what}: ${fault}`),
  );
  found.push(...codebaseFaults(store));
  const pulses = number("SELECT count(*) FROM pulse WHERE asset LIKE 'site-%'");
  const equal = (what: string, seen: number, due: number) => {
    if (seen !== due) found.push(`${what}: ${seen}, not ${due}`);
  };
  equal("reports that wait to be judged", findBacklog(store.db).reports, 0);
  const tally = sumTallies(store.db, "2000-01-01" as UtcDay);
  equal("readings judged", tally.tests + tally.notTested, pulses);
  equal(
    "flags that a site's latest report holds open more or less than once",
    rows(
      "SELECT asset FROM flag WHERE origin = 'site' AND status = 'open' GROUP BY asset HAVING count(*) = 1",
    ).length,
    number("SELECT count(DISTINCT asset) FROM pulse WHERE asset LIKE 'site-%'"),
  );
  equal(
    "milestones raised twice",
    rows(
      "SELECT 1 FROM flag WHERE rule = 'milestone-total' GROUP BY asset, subject, json_extract(rule_inputs, '$.milestone') HAVING count(*) > 1",
    ).length,
    0,
  );
  equal(
    "tokens issued",
    number("SELECT count(*) FROM audit WHERE act = 'token.issue'"),
    number("SELECT count(*) FROM site_token"),
  );
  equal(
    "versions of the constants whose saving was recorded twice",
    rows(
      "SELECT 1 FROM audit WHERE act = 'constants.save' GROUP BY json_extract(detail, '$.version') HAVING count(*) > 1",
    ).length,
    0,
  );
  return found;
}

/** The same by a process of its own, which leaves nothing open: a file system on which something is open cannot be unmounted. */
export async function judgeFolderApart(
  dataDir: string,
  acks: readonly Ack[],
): Promise<{ readonly lost: readonly Ack[]; readonly faults: readonly string[] }> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "judge_folder.ts"), dataDir], {
    stdin: new Blob([JSON.stringify(acks)]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const { code, out, err } = await finished(child);
  if (code !== 0) throw new Error(`the data folder could not be judged: ${err}`);
  return JSON.parse(out);
}

/** What was lost of the acknowledged, and what is half done or done twice, in a data folder that no service holds. */
export async function judgeFolder(
  dataDir: string,
  acks: readonly Ack[],
): Promise<{ readonly lost: readonly Ack[]; readonly faults: readonly string[] }> {
  const opened = await openFolder(dataDir);
  try {
    await opened.deps.follower.settle();
    const { store } = opened.deps;
    return { lost: lostOf(store, acks), faults: consequenceFaults(store) };
  } finally {
    opened.close();
  }
}
