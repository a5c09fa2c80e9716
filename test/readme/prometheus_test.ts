/** What the manual gives Prometheus: the scrape, and rules that alert on what they say and stay silent on what is retired. */

import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { documentBlock } from "../support/documents.ts";
import { temporaryFolder } from "../support/folder.ts";
import { noPromtool, promtool } from "../support/promtool.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

for (const name of ["prometheus.yml", "tower.rules.yml"]) {
  writeFileSync(join(folder.path, name), documentBlock(name));
}
writeFileSync(join(folder.path, "tower-token"), "a-token");

interface Series {
  readonly series: string;
  /** As Prometheus' own tests write values: `0x60` is 0 and sixty more of it. */
  readonly values: string;
}

/** A series that stays as it is for two days and some hours. */
const steady = (series: string, value: number): Series => ({ series, values: `${value}x600` });

/** An alert as it should come: its labels but for the name, and its words. */
const alert = (labels: Readonly<Record<string, string>>, summary: string) => ({
  exp_labels: labels,
  exp_annotations: { summary },
});

interface Case {
  readonly alert: string;
  readonly series: readonly Series[];
  readonly expected: readonly ReturnType<typeof alert>[];
  /** How long after the series began; three hours unless said: an hour costs a dozen evaluations of every rule. */
  readonly at?: string;
}

const sites = (state: string, count: number) => steady(`tower_sites{state="${state}"}`, count);
const errors = (state: string, value: number) =>
  steady(`tower_open_flags{severity="error",state="${state}"}`, value);
const refused = (code: string): Series => ({
  series: `tower_refused_reports_total{code="${code}"}`,
  values: "0x30 1+0x20",
});
const stuck = (name: string) => steady(`tower_job_last_success_timestamp_seconds{name="${name}"}`, 0);
const FULL = "Tower's disk is full or almost full, or refuses writes";
const BEHIND = "Reports wait to be checked, or something is not monitored";
const NOT_WHOLE = "2 archived reports could not be copied beside the last backup";
const NO_BACKUP = "No backup in the last two days";

const CASES: readonly Case[] = [
  { alert: "TowerSitesSilent", series: [sites("silent", 0), sites("paused", 3)], expected: [] },
  {
    alert: "TowerSitesSilent",
    series: [sites("silent", 2)],
    expected: [alert({ state: "silent" }, "Sites that stopped sending nightly reports: 2")],
  },
  { alert: "TowerSitesNeverReported", series: [sites("never_reported", 1)], expected: [] },
  {
    alert: "TowerSitesNeverReported",
    series: [sites("never_reported", 1)],
    at: "49h",
    expected: [alert({ state: "never_reported" }, "Live sites that never sent a nightly report: 1")],
  },
  {
    alert: "TowerErrorFlags",
    series: [errors("unread", 0), errors("acknowledged", 4), errors("snoozed", 2)],
    expected: [],
  },
  {
    alert: "TowerErrorFlags",
    series: [errors("unread", 2)],
    expected: [alert({ severity: "error", state: "unread" }, "2 open error flags that nobody acknowledged")],
  },
  {
    alert: "TowerReportsRefused",
    series: [refused("broken-contract"), refused("too-many-requests")],
    expected: [alert({ code: "broken-contract" }, "Reports are refused: broken-contract")],
  },
  { alert: "TowerConstantsNotInEffect", series: [steady("tower_constants_valid", 1)], expected: [] },
  {
    alert: "TowerConstantsNotInEffect",
    series: [steady("tower_constants_valid", 0)],
    expected: [alert({}, "constants.toml has a mistake; the last good version is used")],
  },
  {
    alert: "TowerStorage",
    series: [steady("tower_storage_refusing", 0), steady("tower_disk_free_bytes", 1e12)],
    expected: [],
  },
  { alert: "TowerStorage", series: [steady("tower_storage_refusing", 1)], expected: [alert({}, FULL)] },
  { alert: "TowerStorage", series: [steady("tower_disk_free_bytes", 1e8)], expected: [alert({}, FULL)] },
  { alert: "TowerBackupOld", series: [], expected: [alert({}, NO_BACKUP)] },
  {
    alert: "TowerBackupOld",
    series: [steady("tower_last_backup_timestamp_seconds", -86_400)],
    expected: [],
  },
  {
    alert: "TowerBackupOld",
    series: [steady("tower_last_backup_timestamp_seconds", -172_800)],
    expected: [alert({}, NO_BACKUP)],
  },
  {
    alert: "TowerBackupNotWhole",
    series: [steady("tower_last_backup_lacking_objects", 0)],
    expected: [],
  },
  {
    alert: "TowerBackupNotWhole",
    series: [steady("tower_last_backup_lacking_objects", 2)],
    expected: [alert({}, NOT_WHOLE)],
  },
  {
    alert: "TowerJobStuck",
    series: [stuck("freshness"), ...["own-pulse", "webmaster-tools", "analysis", "scrub"].map(stuck)],
    expected: [alert({ name: "freshness" }, "The job freshness last succeeded 3h 0m 0s ago")],
  },
  { alert: "TowerNotJudging", series: [steady("tower_oldest_waiting_report_seconds", 0)], expected: [] },
  {
    alert: "TowerNotJudging",
    series: [steady("tower_oldest_waiting_report_seconds", 901)],
    expected: [alert({}, BEHIND)],
  },
  {
    alert: "TowerNotJudging",
    series: [steady('tower_monitoring_failures{kind="rule"}', 1)],
    expected: [alert({ kind: "rule" }, BEHIND)],
  },
  {
    alert: "TowerIntegrationFailing",
    series: [
      steady('tower_health_targets{state="failing"}', 2),
      steady('tower_health_targets{state="unknown"}', 0),
      steady('tower_health_targets{state="paused"}', 3),
    ],
    expected: [alert({ state: "failing" }, "2 data sources are failing")],
  },
  {
    alert: "TowerHealthNotKnown",
    series: [steady('tower_health_coverage{state="complete"}', 1)],
    expected: [],
  },
  {
    alert: "TowerHealthNotKnown",
    series: [steady('tower_health_coverage{state="unknown"}', 1)],
    expected: [alert({ state: "unknown" }, "The list of data sources is incomplete: this is no all-clear")],
  },
  {
    alert: "TowerDown",
    series: [steady('up{job="tower"}', 0)],
    expected: [alert({ job: "tower" }, "Tower does not answer")],
  },
];

const why = noPromtool === undefined ? "" : ` (not run: ${noPromtool})`;
const here = test.skipIf(noPromtool !== undefined);

describe(`Prometheus' own checker${why}`, () => {
  here("takes the scrape and the rules", async () => {
    expect(await promtool(["check", "rules", join(folder.path, "tower.rules.yml")])).toStartWith("0");
    expect(await promtool(["check", "config", join(folder.path, "prometheus.yml")])).toStartWith("0");
  });

  here("finds each rule alerting where it should, and silent where it should be", async () => {
    const tests = CASES.map(({ alert: alertname, series, expected, at = "3h" }) => ({
      interval: "5m",
      input_series: series,
      alert_rule_test: [{ eval_time: at, alertname, exp_alerts: expected }],
    }));
    const path = join(folder.path, "tests.yml");
    // JSON is YAML.
    writeFileSync(
      path,
      JSON.stringify({ rule_files: ["tower.rules.yml"], evaluation_interval: "5m", tests }),
    );
    expect(await promtool(["test", "rules", path])).toContain("SUCCESS");
  });
});

test("every rule is tried", () => {
  const rules = [...documentBlock("tower.rules.yml").matchAll(/alert: (\w+)/g)].map(([, name = ""]) => name);
  expect(new Set(CASES.map(({ alert: name }) => name))).toEqual(new Set(rules));
});

test("every figure that a rule reads is one that the service gives", async () => {
  const source = await Bun.file(join(import.meta.dir, "../../src/app/metrics.ts")).text();
  const read = new Set(documentBlock("tower.rules.yml").match(/\btower_\w+/g));
  expect(read.size).toBeGreaterThan(8);
  for (const name of read) expect(source).toContain(`"${name}"`);
});
