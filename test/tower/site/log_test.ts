import { beforeAll, describe, expect, test } from "bun:test";
import { countReceived, listReceived, type ReportKindName } from "../../../src/reports/nights.ts";
import { instant } from "../../support/clock.ts";
import { testGround } from "../../support/deps.ts";
import { shared } from "../../support/fresh.ts";
import { codebaseReport } from "../../support/make/codebase_report.ts";
import { pulse } from "../../support/make/pulse.ts";
import { accept, acceptCodebase } from "../../support/nightly.ts";

const ground = shared(testGround);
const at = (moment: string) => instant(`${moment}Z`);
const acceptCode = (asset: string, receivedAt: number) =>
  acceptCodebase(ground, codebaseReport({ asset, generatedAt: "2026-03-01T05:00:00Z" }), receivedAt);
beforeAll(async () => {
  await accept(ground, pulse({ generatedAt: "2026-03-01T02:30:00Z" }), at("2026-03-01T02:31:00"));
  await accept(ground, pulse({ generatedAt: "2026-03-01T03:30:00Z" }), at("2026-03-01T03:31:00"));
  await accept(ground, pulse({ generatedAt: "2026-02-20T03:30:00Z" }), at("2026-03-02T09:00:00"));
  await accept(ground, pulse({ asset: "orchard" }), at("2026-03-02T09:00:00"));
  await acceptCode("harbor", at("2026-03-01T05:01:00"));
});

const log = (of: { asset?: string; kind?: ReportKindName } = {}, limit = 50, offset = 0) =>
  listReceived(ground.store.db, of.asset ?? "harbor", of.kind ?? null, limit, offset).map(
    ({ kind, date, revision, revisions }) => `${kind} ${date} ${revision}/${revisions}`,
  );

describe("every report received", () => {
  const all = [
    "nightly 2026-02-20 1/1",
    "codebase 2026-03-01 1/1",
    "nightly 2026-03-01 2/2",
    "nightly 2026-03-01 1/2",
  ];

  test("both kinds of one site, newest received first, with each revision of its day", () => {
    expect(log()).toEqual(all);
    expect(countReceived(ground.store.db, "harbor", null)).toBe(4);
  });

  test("by kind", () => {
    expect(log({ kind: "codebase" })).toEqual([all[1] ?? ""]);
    expect(log({ kind: "nightly" })).toHaveLength(3);
  });

  test("page by page without a gap or a repeat", () => {
    expect([...log({}, 3), ...log({}, 3, 3)]).toEqual(all);
  });

  test("of one moment the nightly first, on pages too", async () => {
    const moment = at("2026-03-03T05:00:00");
    await accept(ground, pulse({ asset: "twins" }), moment);
    // More codebase reports than nightly ones: the numbers of rows say nothing of the order.
    for (let more = 0; more < 5; more++) await acceptCode("orchard", moment);
    await acceptCode("twins", moment);
    expect([...log({ asset: "twins" }, 1), ...log({ asset: "twins" }, 1, 1)]).toEqual([
      "nightly 2026-03-01 1/1",
      "codebase 2026-03-01 1/1",
    ]);
  });
});
