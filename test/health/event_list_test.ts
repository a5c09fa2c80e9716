/** The latest events of what is shown are found however many there are of others, and however old they are. */

import { expect, test } from "bun:test";
import { listFailingBefore } from "../../src/health/health.ts";
import { recordOutcome, resultOf } from "../../src/health/record.ts";
import { appendEvent, listHealthEvents, targetId } from "../../src/health/state_store.ts";
import { testGround } from "../support/deps.ts";

const scope = (asset: string, family = "", target = "") => ({
  workspace: "default",
  provider: "analytics",
  connectionRevision: "rev",
  capability: "analytics.daily",
  asset,
  target,
  family,
});

test("behind many of others", async () => {
  const { writer, store } = await testGround();
  const at = { quay: 5, harbor: 9 };
  await writer.write((tx) => {
    const tell = (asset: string, name: string, moment: number) =>
      appendEvent(tx, {
        event: name,
        at: moment,
        target: targetId(tx, scope(asset)),
        attempt: name,
        change: "first_failure",
        category: "network",
        category_before: null,
      });
    for (const [asset, moment] of Object.entries(at)) {
      tell(asset, `${asset}-first`, moment);
      tell(asset, `${asset}-second`, moment);
      tell(asset, `${asset}-last`, moment + 1);
    }
    for (let place = 0; place < 600; place++) tell("other", `other-${place}`, 1_000 + place);
  });
  const found = (limit: number, ...assets: string[]) =>
    listHealthEvents(store.db, { limit, isShown: ({ asset }) => assets.includes(asset) }).map(({ id }) => id);
  expect(found(100, "harbor", "quay")).toMatchSnapshot();
  expect(found(2, "harbor", "quay")).toEqual(["harbor-last", "harbor-second"]);
  expect(found(2, "other", "harbor")).toEqual(["other-599", "other-598"]);
  expect(found(100)).toStrictEqual([]);
});

test("of archive reports those of the properties that are asked for, behind many of others", async () => {
  const { writer, store } = await testGround();
  const key = (date: string) => JSON.stringify(["page", date, "", ""]);
  const { family: _, ...OWN } = scope("harbor", "", "own");
  await writer.write((tx) => {
    const tell = (name: string, moment: number, of: ReturnType<typeof scope>) =>
      appendEvent(tx, {
        event: name,
        at: moment,
        target: targetId(tx, of),
        attempt: name,
        change: "first_failure",
        category: "network",
        category_before: null,
      });
    tell("first", 1, scope("harbor", key("2026-11-01"), "own"));
    tell("second", 2, scope("harbor", key("2026-11-02"), "own"));
    for (const part of Object.keys(OWN))
      tell(part, 3, { ...OWN, family: key("2026-11-02"), [part]: "another" });
    tell("daily", 4, scope("harbor"));
    for (let place = 0; place < 600; place++) tell(`other-${place}`, 1_000 + place, scope("other"));
  });
  const isShown = (of: typeof OWN) => of.asset === "harbor" && !Object.values(of).includes("another");
  const found = listHealthEvents(store.db, {
    limit: 9,
    isShown,
    ofReports: () => [{ ...OWN, family: "" }],
  });
  expect(found.map(({ id, scope: { family } }) => [id, family])).toEqual([
    ["daily", ""],
    ["second", key("2026-11-02")],
    ["first", key("2026-11-01")],
  ]);
});

test("dates for which a report fails are those of its whole scope, before the one that came", async () => {
  const { writer } = await testGround();
  const { family: _, ...own } = scope("harbor", "", "own");
  const key = (report: string, date: string) => JSON.stringify([report, date, "", ""]);
  const found = await writer.write((tx) => {
    const fail = (of: ReturnType<typeof scope>) =>
      recordOutcome(tx, of, {
        attempt: "1",
        startedAt: 1,
        observedAt: 1,
        result: resultOf({ category: "network", code: null }),
      });
    for (const date of ["2026-11-01", "2026-11-02", "2026-11-03"])
      fail({ ...own, family: key("page", date) });
    fail({ ...own, family: key("query", "2026-11-01") });
    for (const part of Object.keys(own))
      fail({ ...own, family: key("page", "2026-10-31"), [part]: "another" });
    return listFailingBefore(tx, own, { report: "page", date: "2026-11-03" });
  });
  expect(found.map(({ date }) => date)).toEqual(["2026-11-01", "2026-11-02"]);
});
