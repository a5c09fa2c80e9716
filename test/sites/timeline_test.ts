import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { changesOf, type Posted, posterOf, refOf } from "../../src/sites/calendars.ts";
import { LOOK_BACK_MS, readCalendar } from "../../src/sites/ical.ts";
import { calendarOf } from "../support/calendars.ts";

const NOW = Date.parse("2026-10-20T12:30:00Z");
const HOUR_MS = 3_600_000;
const NAME = "events";

/** Five events that are always in the text, each moved in hours from now, or cancelled. */
interface Event {
  readonly hour: number;
  readonly isCancelled: boolean;
}
const event = fc.record({ hour: fc.integer({ min: -400, max: 400 }), isCancelled: fc.boolean() });
const step = fc.record({ events: fc.array(event, { minLength: 5, maxLength: 5 }), later: fc.nat(300) });

function read(events: readonly Event[], now: number) {
  const lines = events.map(({ hour, isCancelled }, index) => ({
    uid: `event-${index}`,
    start: new Date(Date.parse("2026-10-20T12:00:00Z") + hour * HOUR_MS)
      .toISOString()
      .replace(/[-:]|\.000/g, ""),
    lines: isCancelled ? "STATUS:CANCELLED" : "STATUS:CONFIRMED",
  }));
  const text = readCalendar(calendarOf(...lines), now);
  if (text === undefined) throw new Error("it is no calendar");
  return text;
}

/** A timeline in memory: what is told, and what is struck of it. */
class Timeline {
  readonly told: Posted[] = [];
  coming: ReturnType<typeof changesOf>["coming"] = [];

  take(text: ReturnType<typeof read>, now: number) {
    const changes = changesOf(
      NAME,
      text,
      this.told.filter(({ atMs }) => atMs >= text.since),
      now,
    );
    const strike = { at: now, by: posterOf(NAME), reason: null };
    for (const one of changes.append) this.tell(one);
    for (const [index, one] of this.told.entries()) {
      const { struck: _before, ...bare } = one;
      if (changes.retract.includes(one.id)) this.told[index] = { ...one, struck: strike };
      if (changes.restore.includes(one.id)) this.told[index] = bare;
    }
    this.coming = changes.coming;
    return changes;
  }

  tell(one: { readonly uid: string; readonly at: number }) {
    const ref = refOf(NAME, one);
    if (this.told.every((known) => known.ref !== ref)) this.told.push({ id: ref, ref, atMs: one.at });
  }

  bringDue(now: number) {
    for (const one of this.coming.filter(({ at }) => at <= now)) this.tell(one);
    this.coming = this.coming.filter(({ at }) => at > now);
  }
}

describe("what a calendar tells over time", () => {
  test("after any moves, cancellations and returns exactly what stands in the text stands on the timeline, nothing of it ahead, and reading again changes nothing", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const timeline = new Timeline();
        let now = NOW;
        for (const { events, later } of steps) {
          now += later * HOUR_MS;
          timeline.bringDue(now);
          expect(timeline.told.every(({ atMs }) => atMs <= now)).toBe(true);
          const text = read(events, now);
          timeline.take(text, now);
          const standing = timeline.told.filter(
            ({ struck, atMs }) => struck === undefined && atMs >= now - LOOK_BACK_MS,
          );
          const meant = text.occurrences.filter(({ at }) => at <= now).map((one) => refOf(NAME, one));
          expect(standing.map(({ ref }) => ref).sort()).toEqual(meant.sort());
          expect(timeline.told.every(({ atMs }) => atMs <= now)).toBe(true);
          expect(timeline.take(text, now)).toMatchObject({ append: [], retract: [], restore: [] });
        }
      }),
      { numRuns: 100 },
    );
  });

  const told = (uid: string, at: string, by?: string): Posted => ({
    id: uid,
    ref: refOf(NAME, { uid, at: Date.parse(at) }),
    atMs: Date.parse(at),
    ...(by === undefined ? {} : { struck: { at: 0, by, reason: null } }),
  });
  const past = told("past", "2026-10-10T10:00:00Z");

  function changes(text: string, ...known: readonly Posted[]) {
    const found = readCalendar(text, NOW);
    if (found === undefined) throw new Error("it is no calendar");
    return changesOf(NAME, found, known, NOW);
  }

  test("an event that is gone is struck where the text reaches back before it", () => {
    const text = calendarOf({ uid: "earlier", start: "20261001T100000Z" });
    expect(changes(text, past).retract).toEqual(["past"]);
  });

  test.each([
    ["an empty calendar", calendarOf()],
    ["a calendar that drops what is over", calendarOf({ uid: "next", start: "20261101T100000Z" })],
    [
      "an event in a zone that is unknown",
      calendarOf(
        { uid: "earlier", start: "20261001T100000Z" },
        { uid: "past", start: "TZID=Nowhere:20261010T100000" },
      ),
    ],
    [
      "an event without an id that cannot be read",
      calendarOf({ uid: "earlier", start: "20261001T100000Z" }, { uid: "", start: "garbage" }),
    ],
  ])("%s takes nothing back", (_, text) => {
    expect(changes(text, past).retract).toStrictEqual([]);
  });

  test("what an operator struck stays struck; what the calendar struck stands again with the event", () => {
    const text = calendarOf({ uid: "a", start: "20261010T100000Z" }, { uid: "b", start: "20261010T100000Z" });
    const struck = [
      told("a", "2026-10-10T10:00:00Z", "ada"),
      told("b", "2026-10-10T10:00:00Z", posterOf(NAME)),
    ];
    expect(changes(text, ...struck)).toMatchObject({ append: [], retract: [], restore: ["b"] });
  });
});
