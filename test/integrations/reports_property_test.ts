/**
 * Whatever was tried, each report of each date stands as it would if every attempt had been told to health, and all of them
 * together as the worst of them.
 */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { recordReport } from "../../src/archive/manifest.ts";
import { ARCHIVE_OUTCOMES, type ArchiveOutcome } from "../../src/archive/manifest_row.ts";
import { type ArchiveBySite, ArchiveFacts } from "../../src/archive/report_facts.ts";
import { tallied } from "../../src/base/statistics.ts";
import { dayOfNumber } from "../../src/base/time.ts";
import { type Evidence, HEALTH_STATES, type HealthState, type Observation } from "../../src/health/health.ts";
import { after } from "../../src/health/record.ts";
import { standingOf } from "../../src/health/state.ts";
import { byUrgency } from "../../src/integrations/target_state.ts";
import { familiesOf, findFamily } from "../../src/providers/report_families.ts";
import { reportOf } from "../support/archive.ts";
import {
  ARCHIVED_PROPERTY,
  ARCHIVED_SITE,
  archivedParts,
  REVISION,
  reportsStood,
} from "../support/archive_health.ts";
import { testGround } from "../support/deps.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Longer than any of it is looked at. */
const RETRY = 40 * DAY;
/** A midnight, and its day number. */
const FROM = 20_770;
const START = FROM * DAY;

interface Tried {
  readonly family: string;
  readonly date: number;
  readonly at: number;
  readonly outcome: ArchiveOutcome;
  readonly category: "network" | "access";
}

const FAMILIES = ["rank-traffic", "crawl-issues", "queries"];
const DAILY = ["page", "query", "discover-page"];

/** Moments are few, so that several attempts begin at once. */
const tries = (families: readonly string[]) =>
  fc
    .array(
      fc.record({
        family: fc.constantFrom(...families),
        date: fc.integer({ min: FROM, max: FROM + 7 }),
        at: fc.integer({ min: 0, max: 60 }).map((quarter) => START + quarter * 6 * HOUR),
        outcome: fc.constantFrom(...ARCHIVE_OUTCOMES),
        category: fc.constantFrom("network" as const, "access" as const),
      }),
      { maxLength: 30 },
    )
    // Recorded as they were tried, and of no date that was still to come.
    .map((all) =>
      all
        .map((one) => ({ ...one, date: Math.min(one.date, Math.floor(one.at / DAY)) }))
        .sort((one, other) => one.at - other.at),
    );

const isGood = ({ outcome }: Tried) => outcome !== "failed" && outcome !== "incomplete";

/** What each attempt would have been told as, by the number that it has. */
function observed(one: Tried, id: number): Observation {
  const result = isGood(one)
    ? { ok: true as const, coveredDate: one.outcome === "source_lag" ? null : dayOfNumber(one.date) }
    : { ok: false as const, category: one.category, code: "timed_out", nextRetryAt: one.at + RETRY };
  return { attempt: `archive:${id}`, startedAt: one.at, observedAt: one.at + 800, result };
}

const CONFIGURATION = { isConnected: true, isPaused: false, isObserved: true };

/** How each outcome is to stand, from all attempts of its report in the order in which they are given. */
function reference(all: readonly (Tried & { readonly id: number })[], provider: string, now: number) {
  const states = new Map<string, HealthState>();
  const evidences = new Map<string, Evidence>();
  for (const [name, own] of Map.groupBy(all, ({ family }) => family)) {
    const family = findFamily(provider, name);
    if (family === undefined) throw new Error("no such family");
    const newest = Math.max(...own.map(({ date }) => date));
    const asked = family.of === "day" ? 4 : 1;
    const usable = own
      .filter(isGood)
      .toSorted((a, b) => a.at - b.at || a.id - b.id)
      .at(-1);
    for (const [date, tried] of Map.groupBy(own, (one) => one.date)) {
      const told = tried.map((one) => observed(one, one.id));
      if (family.of !== "day" && usable !== undefined && usable.date > date) {
        told.push(observed(usable, usable.id));
      }
      const evidence = told.reduce<Evidence | undefined>(after, undefined);
      const restMs = family.everyDays === 7 ? 7 * DAY - HOUR : 0;
      const since = usable === undefined ? {} : { since: usable.at };
      const obligation =
        date > newest - asked
          ? ({ kind: "ticks", at: "15 12 * * *", slackMs: 6 * HOUR, restMs, ...since } as const)
          : ({ kind: "none" } as const);
      const key = JSON.stringify([name, dayOfNumber(date), "", ""]);
      const asking = { configuration: CONFIGURATION, evidence, sourceAttemptAt: undefined, obligation, now };
      states.set(key, standingOf(asking).state);
      if (evidence !== undefined) evidences.set(key, evidence);
    }
  }
  return { states, evidences };
}

const countsOf = (states: Iterable<HealthState>) => tallied(HEALTH_STATES, [...states]);

for (const [provider, families] of [
  ["search-console", DAILY],
  ["webmaster-tools", FAMILIES],
] as const) {
  test(`reports of ${provider} stand as the join of their attempts`, async () => {
    await fc.assert(
      fc.asyncProperty(
        tries(families),
        fc.integer({ min: 60, max: 150 }).map((quarter) => START + quarter * 6 * HOUR),
        fc.infiniteStream(fc.nat({ max: 1_000_000 })),
        async (all, now, order) => {
          const { store, writer } = await testGround();
          const facts = new ArchiveFacts(store.db);
          let follows: ArchiveBySite = facts.read();
          const ids: (Tried & { id: number })[] = [];
          for (const [place, one] of all.entries()) {
            const { family, date, at, outcome, category } = one;
            const failed = isGood(one) ? {} : { category, failureCode: "timed_out", nextRetryAt: at + RETRY };
            const target = {
              asset: ARCHIVED_SITE,
              provider,
              connectionRevision: REVISION,
              property: ARCHIVED_PROPERTY,
              family,
            };
            const row = reportOf({
              run: place + 1,
              target,
              date,
              attemptedAt: at,
              outcome,
              object: null,
              ...failed,
            });
            ids.push({ ...one, id: (await writer.write((tx) => recordReport(tx, row))).id });
            if (place % 3 === 0) follows = facts.read();
          }
          follows = facts.read();
          const ahead = new ArchiveFacts(store.db);
          await ahead.keepUp(() => Promise.resolve());
          expect(ahead.read()).toEqual(follows);
          const parts = archivedParts(store.db, [provider]);
          // What was followed attempt by attempt is what all of it says.
          expect(parts.archive).toEqual(follows);
          const { together, each } = reportsStood(store.db, parts, now);
          if (ids.length === 0) {
            expect(each.targets.map(({ view }) => [view.family, view.state])).toEqual([["", "never_run"]]);
            return;
          }
          const shuffled = ids
            .map((one) => [one, order.next().value] as const)
            .toSorted(([, a], [, b]) => a - b)
            .map(([one]) => one);
          const { states, evidences } = reference(shuffled, provider, now);
          const never = familiesOf(provider).filter(({ name }) => ids.every(({ family }) => family !== name));
          const newest = dayOfNumber(Math.max(...ids.map(({ date }) => date)));
          for (const { name } of never) states.set(JSON.stringify([name, newest, "", ""]), "never_run");

          const told = new Map(
            each.targets.map(({ observedAt, view }) => [view.family, { ...view, observedAt }]),
          );
          expect(Object.fromEntries([...told].map(([key, { state }]) => [key, state]).sort())).toEqual(
            Object.fromEntries([...states].sort()),
          );
          for (const [key, { latest, success, recordedAt }] of evidences) {
            const isFailing = told.get(key)?.state === "failing";
            expect(told.get(key)).toMatchObject({
              observedAt: recordedAt,
              category: isFailing ? latest.category : null,
              ...(isFailing && { nextRetryAt: latest.nextRetryAt }),
              lastAttemptStartedAt: latest.startedAt,
              lastSuccessStartedAt: success?.startedAt ?? null,
            });
          }
          const [sum] = together;
          expect(sum?.view).toMatchObject({
            family: "",
            state: [...states.values()].sort(byUrgency)[0],
            counts: countsOf(states.values()),
            lastAttemptStartedAt: Math.max(...ids.map(({ at }) => at)),
          });
          expect(each.more).toBe(0);
          // What is rebuilt brings no attempt: all of it is read where that is asked for.
          store.raw.run("DELETE FROM archive_day");
          await ahead.keepUp(() => Promise.resolve(), true);
          expect(ahead.read()).toEqual(new ArchiveFacts(store.db).read());
        },
      ),
      { numRuns: 40 },
    );
  });
}
