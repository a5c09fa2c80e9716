/** Figures and names in the README that the code says, too. */

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../src/app/panel.ts";
import { JOBS } from "../../src/app/schedule.ts";
import { DEFAULTS, SETTINGS } from "../../src/base/config.ts";
import { COMPARISON_SPAN } from "../../src/reports/codebase.ts";
import { historyDaysNeeded } from "../../src/rules/dispersion.ts";
import { RULES } from "../../src/sites/rule_catalogue.ts";
import { defaultsOf } from "../../src/sites/thresholds.ts";

const README = readFileSync(join(import.meta.dir, "..", "..", "README.md"), "utf8");
const night = (windowDays: number) => `${historyDaysNeeded(windowDays) + 1}th`;
const daily = (windowDays: number) => Math.log(100) / windowDays;

test("how many nights a rule needs is what the rules need", () => {
  const { nearest, farthest } = COMPARISON_SPAN;
  const week = defaultsOf("percent_drop").minimum_count;
  const said = [
    `the ${night(1)} night`,
    `the ${night(2)} to ${night(7)} night`,
    `the ${night(8)} to ${night(14)} night`,
    `percent-drop | the ${night(7)} night, where an ordinary week has ${week} or more`,
    `${nearest} to ${farthest} days older`,
    `stale-ingest | ${defaultsOf("freshness").silent_hours} hours after`,
  ];
  expect(said.filter((words) => !README.includes(words))).toEqual([]);
  expect(defaultsOf("flow_rules")).toMatchObject({ alpha: 0.01, max_window_days: 14 });
  expect([1, 7, 14].map((days) => daily(days).toFixed(2))).toEqual(["4.61", "0.66", "0.33"]);
});

test("every rule that needs nights has its line", () => {
  const rows = README.slice(README.indexOf("| Rule | Speaks from |")).split("\n\n")[0] ?? "";
  for (const [id, { judges }] of Object.entries(RULES)) {
    if (judges === "machine" || judges === "pull" || judges === "issue") continue;
    const words = {
      codebase: "codebase",
      flow: id.replace(/-(?:drop|rise)$/, ""),
      lasting: id,
      total: "milestones",
      silence: id,
    };
    expect(rows).toContain(words[judges]);
  }
});

test("every setting and every command stands in the README, and no setting that is none", () => {
  expect(SETTINGS.filter((name) => !README.includes(`\`${name}\``))).toEqual([]);
  const commands = COMMANDS.map(({ name }) => name);
  expect(commands.filter((name) => !new RegExp(`\`${name}\\b`).test(README))).toEqual([]);
  const table = README.slice(README.indexOf("## Settings")).split("\n## ")[0] ?? "";
  const cells = [...table.matchAll(/^\| (`.*?) \|/gm)].map(([, cell]) => cell).join();
  const named = [...cells.matchAll(/`([A-Z]+(?:_[A-Z]+)*)`/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !SETTINGS.includes(name))).toEqual([]);
  const defaults = [...cells.matchAll(/`([A-Z_]+)` \(`([^`$]+)`\)/g)].map(([, name, value]) => [name, value]);
  expect(Object.fromEntries(defaults)).toEqual(DEFAULTS);
  const [, leftOut = ""] = README.match(/tower_job_\w+\{name!~"([\w|-]+)"\}/) ?? [];
  expect(leftOut.split("|").filter((name) => !JOBS.some((job) => job.name === name))).toEqual([]);
});
