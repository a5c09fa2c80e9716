import { expect, test } from "bun:test";
import fc from "fast-check";
import { formatInstant, utcDayOf } from "../../src/base/time.ts";
import { performAct } from "../../src/flags/acts.ts";
import { type ChainedFlag, SEVERITIES, type Severity } from "../../src/flags/flags.ts";
import { findLastOfChain, listChainedFlags } from "../../src/flags/queries.ts";
import { type JudgedRule, reconcileFlags } from "../../src/flags/reconcile.ts";
import type { Store } from "../../src/store/store.ts";
import { Writer } from "../../src/store/writer.ts";
import { instant } from "../support/clock.ts";
import { testStore } from "../support/database.ts";
import { flagFaults, mend } from "../support/read_models.ts";

const DAY = 86_400_000;
const START = instant("2026-03-01T12:00:00Z");
const ADA = { name: "ada", id: "operator:ada" };
const DROP = ["flow-drop", "percent-drop"];
const FLOW = ["flow-drop", "flow-rise", "percent-drop"] as const;

const ACTS = [
  "acknowledge",
  "incident",
  "hypothesis",
  "snooze",
  "unacknowledge",
  "wake",
  "unlink_incident",
  "drop_hypothesis",
  "resolve",
] as const;

const severity = fc.constantFrom<Severity>("info", "warn", "error");
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("reading" as const),
      fired: fc.option(fc.constantFrom(...FLOW)),
      source: fc.constantFrom("pulse" as const, "pulse" as const, "analytics" as const),
      severity,
      days: fc.constantFrom(1, 1, 1, 3, 7, 8, 20),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("report" as const),
      state: fc.constantFrom("fires" as const, "fires" as const, "clear" as const, "not_run" as const),
      severity,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("act" as const),
      // Mostly on what is open: the first of the list is the newest.
      flag: fc.oneof({ weight: 3, arbitrary: fc.nat(1) }, fc.nat(20)),
      act: fc.constantFrom(...ACTS),
      n: fc.nat(3),
    }),
  },
);

/** The lasting thing that a rule's flag is about. */
const thingOf = (flag: Pick<ChainedFlag, "rule" | "source">) =>
  `${DROP.includes(flag.rule ?? "") ? "drop" : flag.rule} ${flag.source}`;
const msOf = (text: string | null) => (text === null ? 0 : Date.parse(text));

/** What a new flag must go on with, found by looking at every flag there was. */
function expectedBefore(
  before: readonly ChainedFlag[],
  made: ChainedFlag,
  now: number,
): ChainedFlag | undefined {
  const same = before.filter((flag) => thingOf(flag) === thingOf(made));
  const open = same.find(({ status }) => status === "open");
  if (open !== undefined || made.metric === null) return open;
  return same
    .filter(
      ({ resolution, resolved_at, chain }) =>
        chain.renewed_by === null && resolution !== "operator" && now - msOf(resolved_at) <= 7 * DAY,
    )
    .sort((one, other) => msOf(other.resolved_at) - msOf(one.resolved_at))[0];
}

/** A snooze of the very rule runs on, whatever flag of another rule came between. */
function runningSnooze(
  store: Store,
  { rule, source, subject }: ChainedFlag,
  now: number,
): string | undefined {
  const found = store.raw
    .query<{ until: number }, [string | null, string, string | null, number]>(
      "SELECT until FROM flag_snooze WHERE rule = ? AND source = ? AND subject = ? AND until > ?",
    )
    .get(rule, source ?? "", subject, now);
  return found === null ? undefined : formatInstant(found.until);
}

test("after any sequence of verdicts, acts, snoozes and severities a lasting thing is one chain that loses nothing", async () => {
  let renewals = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), async (steps) => {
      const store = testStore();
      const writer = new Writer(store);
      const all = () => listChainedFlags(store.db, {}, 500);
      let now = START;
      let ids = 0;
      const judge = (judged: readonly JudgedRule[]) =>
        writer.write((tx) =>
          reconcileFlags(tx, {
            asset: "harbor",
            origin: "rule",
            judged,
            now,
            actor: "rule",
            newId: () => `f${++ids}`,
          }),
        );
      for (const one of steps) {
        now += one.type === "reading" ? one.days * DAY : 3_600_000;
        const before = all();
        if (one.type === "act") {
          const flag = before[one.flag % Math.max(1, before.length)];
          if (flag === undefined) continue;
          const asked = { text: `words ${one.n}`, until: now + (one.n + 1) * 4 * DAY };
          const outcome = await writer.write((tx) =>
            performAct(tx, one.act, { ...asked, id: flag.id, by: ADA, now }),
          );
          if (flag.chain.renewed_by !== null) {
            const current = findLastOfChain(store.db, flag.chain.first);
            expect(outcome).toMatchObject({ state: "conflict", reason: "renewed", flag: current ?? {} });
            expect(all()).toEqual(before);
          }
        } else {
          const fire = {
            state: "fires",
            severity: one.severity,
            kind: "anomaly",
            message: "It fired.",
            inputs: { day: utcDayOf(now) },
          } as const;
          if (one.type === "report") {
            const verdict = one.state === "fires" ? fire : { state: one.state };
            await judge([{ rule: "codebase-growth", source: null, subject: "", metric: null, verdict }]);
          } else {
            const of = { source: one.source, subject: "signups", metric: "signups" };
            const rules = [...FLOW].sort((a, b) => Number(a === one.fired) - Number(b === one.fired));
            await judge(
              rules.map((rule) => ({
                rule,
                ...of,
                verdict: rule === one.fired ? fire : { state: "clear" },
              })),
            );
          }
          for (const made of all().filter(({ id }) => !before.some((flag) => flag.id === id))) {
            const due = expectedBefore(before, made, now);
            expect(made.renews).toBe(due?.id ?? null);
            if (due === undefined) continue;
            renewals++;
            const worse = SEVERITIES.indexOf(made.severity) > SEVERITIES.indexOf(due.severity);
            expect(made).toMatchObject({
              incident: due.incident,
              hypothesis: due.hypothesis,
              acked_by: worse ? null : due.acked_by,
              acked_at: worse ? null : due.acked_at,
              snoozed_until:
                runningSnooze(store, made, now) ?? (msOf(due.snoozed_until) > now ? due.snoozed_until : null),
              chain: { first: due.chain.first, since: due.chain.since, reports: due.chain.reports + 1 },
            });
          }
        }
        const flags = all();
        const open = flags.filter(({ status }) => status === "open").map(thingOf);
        expect(new Set(open).size).toBe(open.length);
      }
      const flags = new Map(all().map((flag) => [flag.id, flag]));
      for (const flag of flags.values()) {
        const before = flags.get(flag.renews ?? "");
        // Each place is one after that of the flag before it, so no chain comes back to itself.
        expect(flag.chain.reports).toBe((before?.chain.reports ?? 0) + 1);
        if (before !== undefined) expect(before.chain.renewed_by).toBe(flag.id);
        if (flag.chain.renewed_by !== null) expect(flag.status).toBe("resolved");
      }
      expect(flagFaults(store.db)).toStrictEqual([]);
      // Rebuilt from nothing but the records, every row is what it was.
      await writer.write((tx): void => {
        store.raw.run("DELETE FROM flag");
        mend(tx, "flags");
      });
      expect(new Map(all().map((flag) => [flag.id, flag]))).toEqual(flags);
      store.close();
    }),
    { numRuns: 40 },
  );
  expect(renewals).toBeGreaterThan(10);
});
