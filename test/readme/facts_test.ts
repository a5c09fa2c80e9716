/** Figures and names in the documents that the code says, too. */

import { expect, test } from "bun:test";
import { JOBS } from "../../src/app/schedule.ts";
import { DEFAULTS, SETTINGS } from "../../src/base/config.ts";
import { COMPARISON_SPAN } from "../../src/reports/codebase.ts";
import { historyDaysNeeded } from "../../src/rules/dispersion.ts";
import { parseConstants } from "../../src/sites/constants_parse.ts";
import { RULES } from "../../src/sites/rule_catalogue.ts";
import { defaultsOf, THRESHOLDS, type ThresholdTable } from "../../src/sites/thresholds.ts";
import { DOCUMENTS, documentBlock, manualPage } from "../support/documents.ts";
import { runToEnd } from "../support/service.ts";

const PAGE = manualPage("rules");
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
  expect(said.filter((words) => !PAGE.includes(words))).toStrictEqual([]);
  expect(defaultsOf("flow_rules")).toMatchObject({ alpha: 0.01, max_window_days: 14 });
  expect([1, 7, 14].map((days) => daily(days).toFixed(2))).toEqual(["4.61", "0.66", "0.33"]);
});

test("every rule has its line, and when it starts where it needs nights", () => {
  const table = (head: string) => PAGE.slice(PAGE.indexOf(head)).split("\n\n")[0] ?? "";
  const [raised, starts] = [table("| Rule | Raises a flag when |"), table("| Rule | Starts |")];
  for (const [id, { judges }] of Object.entries(RULES)) {
    expect(raised).toContain(id);
    if (judges === "machine" || judges === "pull" || judges === "issue") continue;
    const words = {
      codebase: "codebase",
      flow: id.replace(/-(?:drop|rise)$/, ""),
      lasting: id,
      total: "milestones",
      silence: id,
    };
    expect(starts).toContain(words[judges]);
  }
});

test("the table of thresholds has every one with its default, as a document takes it, and examples are taken, too", () => {
  const rows = [...PAGE.matchAll(/^\| `(\w+\.[\w.]+)` \| (\S+) \|/gm)].map(([, ...cells]) =>
    cells.join(" = "),
  );
  const all = (Object.keys(THRESHOLDS) as ThresholdTable[]).flatMap((table) =>
    Object.keys(defaultsOf(table)),
  );
  expect(rows).toHaveLength(all.length);
  const written = rows.join("\n").replace("measured", '"measured"');
  expect(parseConstants(written)).toEqual(parseConstants("[freshness]"));
  const examples = [...PAGE.matchAll(/^```toml\n(.*?)^```/gms)].map(
    ([, text = ""]) => parseConstants(text).ok,
  );
  expect(examples).toEqual([true, true, true]);
});

/** The settings that the tables of a document name in their first column, and the defaults given there. */
function settingsIn(text: string) {
  const cells = [...text.matchAll(/^\| (`[A-Z].*?) \|/gm)].map(([, cell]) => cell).join();
  return {
    names: [...cells.matchAll(/`([A-Z]+(?:\d|[A-Z]|_)*)`/g)].map(([, name = ""]) => name),
    defaults: [...cells.matchAll(/`([A-Z_]+)` \(`([^`$]+)`\)/g)].map(([, name = "", value]) => [name, value]),
  };
}

test("the manual's settings are those of the code with their defaults, and the README's are some of them", () => {
  const all = settingsIn(manualPage("settings"));
  expect(all.names.toSorted()).toEqual(SETTINGS.toSorted());
  expect(Object.fromEntries(all.defaults)).toEqual(DEFAULTS);
  const main = settingsIn(DOCUMENTS.get("README.md") ?? "");
  expect(main.names.length).toBeGreaterThan(7);
  expect(main.names.filter((name) => !SETTINGS.includes(name))).toStrictEqual([]);
  expect(main.defaults.filter(([name = "", value]) => DEFAULTS[name] !== value)).toStrictEqual([]);
});

test("the manual's commands are those of the command line", async () => {
  const cells = [...manualPage("commands").matchAll(/^\| (`.*?`) \| /gm)].map(([, cell]) => cell).join();
  const said = [...cells.matchAll(/`([^`]+)`/g)].map(([, words = ""]) => words);
  const { out } = await runToEnd("cli.ts", ["help"], {});
  const known = [...out.matchAll(/^ {2}(\S+(?: \S+)?) {2}/gm)].map(([, name = ""]) => name);
  expect(known).toContain("asset add");
  const startsWith = (words: string, name: string) => words === name || words.startsWith(`${name} `);
  expect(known.filter((name) => !said.some((words) => startsWith(words, name)))).toStrictEqual([]);
  expect(said.filter((words) => !known.some((name) => startsWith(words, name)))).toStrictEqual([]);
});

test("jobs that an alert leaves out are jobs", () => {
  const [, leftOut = ""] = documentBlock("tower.rules.yml").match(/tower_job_\w+\{name!~"([\w|-]+)"\}/) ?? [];
  expect(leftOut).not.toBe("");
  expect(leftOut.split("|").filter((name) => !JOBS.some((job) => job.name === name))).toStrictEqual([]);
});
