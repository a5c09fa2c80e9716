import { expect, test } from "bun:test";
import type { UtcDay } from "../../src/base/time.ts";
import { performAct } from "../../src/flags/acts.ts";
import { findChainedFlag, listFlags } from "../../src/flags/queries.ts";
import { applySiteFlags, type SentFlag } from "../../src/flags/site_flags.ts";
import { readHistory } from "../../src/flags/store.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { expectWholeFlags } from "../support/read_models.ts";

const ground = fresh(testGround, expectWholeFlags);

/** A flag as it is written below: "metric=message", after another severity and kind where it has one. */
function sentOf(text: string): SentFlag {
  const [, severity = "warn", kind = "anomaly", metric = "", msg = "seen"] =
    /^(?:(\w+)\/(\w+) )?([^=]*)(?:=(.*))?$/.exec(text) ?? [];
  return { severity, kind, ...(metric === "" ? {} : { metric }), msg } as SentFlag;
}

/** The reports of a site, in the order in which they come; "ada" acknowledges its first flag. */
const HISTORIES: Readonly<Record<string, readonly string[]>> = {
  "a newer report repeats it: the same row": ["2026-03-01: errors=3 errors", "2026-03-02: errors=9 errors"],
  "a newer report is without it": ["2026-03-01: errors", "2026-03-02: "],
  "another severity, kind or metric is another flag": [
    "2026-03-01: a, b, c",
    "2026-03-02: error/anomaly a, warn/opportunity b, d",
  ],
  "the next revision of the day supersedes its rows, sent again or not": [
    "2026-03-01: a, b",
    "2026-03-01: a",
  ],
  "what it sends again renews its row, with what an operator made of it": [
    "2026-03-01: a=3 errors, b",
    "ada",
    "2026-03-01: a=4 errors, error/anomaly b",
  ],
  "a flag that an earlier day raised is repeated or ended by a revision": [
    "2026-03-01: a, b",
    "2026-03-02: a, b",
    "2026-03-02: a",
  ],
  "of two alike, the one of an earlier day is repeated first": [
    "2026-03-01: a",
    "2026-03-02: a, a",
    "2026-03-02: a",
  ],
  "a milestone is resolved at once, each time": [
    "2026-03-01: info/milestone =1,000 members",
    "2026-03-02: info/milestone =1,000 members",
  ],
  "a report of an older day stores its flags resolved, and changes nothing": [
    "2026-03-02: a",
    "2026-03-01: a, b",
  ],
  "ids come in the order sent, also with repeats between": ["2026-03-01: b", "2026-03-02: a, b, c"],
  "several alike pair up by message first, then in order": ["2026-03-01: =x, =y", "2026-03-02: =z, =x, =w"],
};

test("a flag a site sent lives while the site repeats it, whatever other sites send: recorded (decisions 5)", async () => {
  const told: Record<string, string[]> = {};
  for (const [place, [name, steps]] of Object.entries(HISTORIES).entries()) {
    const asset = `site-${place}.example`;
    const ids: string[] = [];
    const nth = (id: string) => ids.indexOf(id) + 1;
    const days: string[] = [];
    const lines: string[] = [];
    for (const step of steps) {
      ground.clock.advance(1_000);
      const now = ground.clock.now();
      const [date = "", flags = ""] = step.split(": ");
      const came = await ground.writer.write((tx) => {
        const by = { name: "ada", id: "operator:ada" };
        if (date === "ada") {
          performAct(tx, "acknowledge", { id: ids[0] ?? "", by, now });
          return [];
        }
        const isNewestDay = days.every((day) => date >= day);
        const revision = days.push(date) && days.filter((day) => day === date).length;
        const sent = flags === "" ? [] : flags.split(", ").map(sentOf);
        const report = { asset, date: date as UtcDay, revision, isNewestDay, flags: sent };
        return applySiteFlags(tx, { ...report, now, newId: ground.ids.uuid });
      });
      ids.push(...came.filter((id) => !ids.includes(id)));
      lines.push(`${step} → ${came.map(nth).join(", ")}`);
    }
    for (const id of ids) {
      const flag = findChainedFlag(ground.store.db, id) ?? expect.unreachable();
      const { evidence } = readHistory(ground.store.db, id, 9);
      const { severity, kind, subject, message, status, resolution, renews, acked_by, origin, rule, chain } =
        flag;
      const parts = [
        `${nth(id)}: ${status}`,
        ...[resolution, `${severity}/${kind}`, subject, message, origin, rule].filter(
          (part) => part !== null,
        ),
        renews === null ? "" : `renews ${nth(renews)}`,
        chain.renewed_by === null ? "" : `renewed by ${nth(chain.renewed_by)}`,
        acked_by === null ? "" : `acknowledged by ${acked_by}`,
        JSON.stringify(flag.rule_inputs),
        ...evidence.map(({ data }) => `then ${JSON.stringify(data["reading"])}`),
      ];
      lines.push(parts.filter((part) => part !== "").join(", "));
    }
    told[name] = lines;
  }
  expect(told).toMatchSnapshot();
  expect(listFlags(ground.store.db, { status: "open" }, 99).length).toBeGreaterThan(9);
});

test("five thousand alike are taken in one report", async () => {
  const report = (date: string, flags: readonly SentFlag[]) => {
    const of = { asset: "harbor", date: date as UtcDay, revision: 1, isNewestDay: true, flags };
    const now = ground.clock.now();
    return ground.writer.write((tx) => applySiteFlags(tx, { ...of, now, newId: ground.ids.uuid }));
  };
  const many = Array.from({ length: 5_000 }, (_, at) => sentOf(`=m${at}`));
  const first = await report("2026-03-01", many);
  expect(await report("2026-03-02", many.toReversed())).toEqual(first.toReversed());
});
