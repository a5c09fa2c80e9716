/** How SQLite answers the questions that every page or every report asks: from an index, without sorting, however many flags there are. */

import { describe, expect, test } from "bun:test";
import { countInbox, listInbox, listInboxChoices, tallySites } from "../../src/flags/inbox.ts";
import { findLastOfChain, latestMilestone, listFlags } from "../../src/flags/queries.ts";
import { listFlowFlagsOver } from "../../src/flags/reconcile.ts";
import { listOpenRuleFlags, listOpenSiteFlags } from "../../src/flags/store.ts";
import type { Db, Tx } from "../../src/store/store.ts";
import { testStore } from "../support/database.ts";
import { fresh } from "../support/fresh.ts";
import { plansIn } from "../support/plans.ts";

const store = fresh(testStore);

const plansOf = (run: (db: Db) => unknown) => plansIn(store, run);

const page = { limit: 50, offset: 4_950, now: 5 };
const series = { asset: "harbor", source: "pulse", metric: "signups" } as const;

describe("read from an index", () => {
  for (const [what, index, run] of [
    ["the worst open flags", "flag_open_worst", (db) => listInbox(db, { status: "open" }, page)],
    ["what is over", "flag_over", (db) => listInbox(db, { status: "resolved" }, page)],
    [
      "what is over on a site",
      "flag_over_of_asset",
      (db) => listInbox(db, { status: "resolved", asset: "harbor" }, page),
    ],
    [
      "what is over of a rule",
      "flag_over_of_rule",
      (db) => listInbox(db, { status: "resolved", rule: "flow-drop" }, page),
    ],
    ["the count of what is over", "flag_over", (db) => countInbox(db, { status: "resolved" }, 5)],
    [
      "the count of what is over on a site",
      "flag_over_of_asset",
      (db) => countInbox(db, { status: "resolved", asset: "harbor" }, 5),
    ],
    ["the open ones for the API", "flag_open_by_time", (db) => listFlags(db, { status: "open" }, 500)],
    ["the tally of the open ones", "COVERING INDEX flag_open", (db) => tallySites(db, 5)],
    ["what the open ones are narrowed by", "COVERING INDEX flag_one_open_per_rule", listInboxChoices],
    ["the highest milestone", "flag_milestone", (db) => latestMilestone(db, "harbor", "pulse", "signups")],
    [
      "the flow flag that may be renewed",
      "flag_flow_over",
      (db) => listFlowFlagsOver(db as Tx, { ...series, since: 5 }),
    ],
    [
      "the open ones that a site sent, whatever it sent before",
      "flag_open ",
      (db) => listOpenSiteFlags(db as Tx, "harbor"),
    ],
    ["the open ones of a site's rules", "flag_open ", (db) => listOpenRuleFlags(db as Tx, "harbor")],
    ["the flag that tells a thing now", "sqlite_autoindex_flag_1", (db) => findLastOfChain(db, "f")],
  ] as const satisfies readonly (readonly [string, string, (db: Db) => unknown])[]) {
    test(`${what}: ${index}`, () => {
      const plan = plansOf(run);
      expect(plan.join("\n")).toContain(index);
      expect(plan.filter((step) => /^SCAN flag(?!.* USING )/.test(step))).toEqual([]);
      expect(plan.filter((step) => step.includes("TEMP B-TREE FOR ORDER BY"))).toEqual([]);
    });
  }
});

test("the open ones of a site are sought by site and sorted, not looked for in the order of all that is open", () => {
  const plan = plansOf((db) => listInbox(db, { status: "open", asset: "harbor" }, page)).join("\n");
  expect(plan).toContain("USING INDEX flag_open (asset=?)");
  expect(plan).not.toContain("flag_open_worst");
});
