/** How SQLite answers the questions that every page or every report asks: from an index, without sorting, however many flags there are. */

import { expect, test } from "bun:test";
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

const QUESTIONS: Readonly<Record<string, (db: Db) => unknown>> = {
  "the worst open flags": (db) => listInbox(db, { status: "open" }, page),
  "what is over": (db) => listInbox(db, { status: "resolved" }, page),
  "what is over on a site": (db) => listInbox(db, { status: "resolved", asset: "harbor" }, page),
  "what is over of a rule": (db) => listInbox(db, { status: "resolved", rule: "flow-drop" }, page),
  "the count of what is over": (db) => countInbox(db, { status: "resolved" }, 5),
  "the count of what is over on a site": (db) => countInbox(db, { status: "resolved", asset: "harbor" }, 5),
  "the open ones for the API": (db) => listFlags(db, { status: "open" }, 500),
  "the tally of the open ones": (db) => tallySites(db, 5),
  "what the open ones are narrowed by": listInboxChoices,
  "the highest milestone": (db) => latestMilestone(db, "harbor", "pulse", "signups"),
  "the flow flag that may be renewed": (db) => listFlowFlagsOver(db as Tx, { ...series, since: 5 }),
  "the open ones that a site sent, whatever it sent before": (db) => listOpenSiteFlags(db as Tx, "harbor"),
  "the open ones of a site's rules": (db) => listOpenRuleFlags(db as Tx, "harbor"),
  "the flag that tells a thing now": (db) => findLastOfChain(db, "f"),
};
test.each(Object.entries(QUESTIONS))("%s: read from an index, without sorting; recorded", (_, run) => {
  const plan = plansOf(run);
  expect(plan.filter((step) => /^SCAN flag(?!.* USING )|TEMP B-TREE FOR ORDER BY/.test(step))).toStrictEqual(
    [],
  );
  expect(plan).toMatchSnapshot();
});

test("the open ones of a site are sought by site and sorted, not looked for in the order of all that is open", () => {
  const plan = plansOf((db) => listInbox(db, { status: "open", asset: "harbor" }, page)).join("\n");
  expect(plan).toContain("USING INDEX flag_open (asset=?)");
  expect(plan).not.toContain("flag_open_worst");
});
