import { describe, expect, test } from "bun:test";
import { formatInstant } from "../../src/base/time.ts";
import { type CalendarText, MOST_OCCURRENCES, readCalendar } from "../../src/sites/ical.ts";
import { calendarOf } from "../support/calendars.ts";
import { recordEach } from "../support/mixtures.ts";

const NOW = Date.parse("2026-10-20T12:00:00Z");

function read(text: string, now = NOW): CalendarText {
  const found = readCalendar(text, now);
  if (found === undefined) throw new Error("it is no calendar");
  return found;
}

const starts = (text: string, now = NOW) =>
  read(text, now).occurrences.map(
    ({ at, title, isAllDay }) => `${formatInstant(at).slice(0, 16)} ${isAllDay ? "all day: " : ""}${title}`,
  );
/** Each as the product of that name writes it. */
const GOOGLE = `BEGIN:VCALENDAR
PRODID:-//Google Inc//Google Calendar 70.9054//EN
VERSION:2.0
X-WR-CALNAME:Shop
X-WR-TIMEZONE:Europe/Berlin
BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:STANDARD
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
DTSTART:19701025T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
DTSTART;TZID=Europe/Berlin:20260907T093000
DTEND;TZID=Europe/Berlin:20260907T100000
RRULE:FREQ=WEEKLY;UNTIL=20261115T225959Z;BYDAY=MO
EXDATE;TZID=Europe/Berlin:20261012T093000
UID:weekly@google.com
SEQUENCE:1
STATUS:CONFIRMED
SUMMARY:Weekly sale
END:VEVENT
begin:vevent
DTSTART;TZID=Europe/Berlin:20261020T150000
UID:weekly@google.com
RECURRENCE-ID;TZID=Europe/Berlin:20261019T093000
SUMMARY:Weekly sale\\, moved
END:VEVENT
BEGIN:VEVENT
DTSTART;TZID=Europe/Berlin:20261102T093000
UID:weekly@google.com
RECURRENCE-ID:20261102T083000Z
STATUS:CANCELLED
SUMMARY:Weekly sale
END:VEVENT
BEGIN:VEVENT
DTSTART;VALUE=DATE:20261127
DTEND;VALUE=DATE:20261201
UID:friday@google.com
SUMMARY:A very long name of a sale that is folded over two lines of the
  file
BEGIN:VALARM
ACTION:EMAIL
SUMMARY:Alarm
TRIGGER:-P0DT0H10M0S
END:VALARM
END:VEVENT
END:VCALENDAR`;

const OUTLOOK = `BEGIN:VCALENDAR
METHOD:PUBLISH
PRODID:Microsoft Exchange Server 2010
VERSION:2.0
BEGIN:VTIMEZONE
TZID:Pacific Standard Time
BEGIN:STANDARD
DTSTART:16010101T020000
TZOFFSETFROM:-0700
TZOFFSETTO:-0800
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=1SU;BYMONTH=11
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:-0800
TZOFFSETTO:-0700
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=2SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT
RRULE:FREQ=MONTHLY;COUNT=4;BYDAY=1TU,3TU
UID:040000008200E00074C5B7101A82E008
SUMMARY:Price change
DTSTART;TZID="Pacific Standard Time":20261006T090000
X-MICROSOFT-CDO-BUSYSTATUS:BUSY
END:VEVENT
BEGIN:VEVENT
UID:day-off
SUMMARY:Day off
DTSTART;VALUE=DATE:20261225
X-MICROSOFT-CDO-ALLDAYEVENT:TRUE
END:VEVENT
END:VCALENDAR`;

const APPLE = `BEGIN:VCALENDAR
CALSCALE:GREGORIAN
PRODID:-//Apple Inc.//macOS 15.0//EN
VERSION:2.0
X-WR-TIMEZONE:America/New_York
BEGIN:VEVENT
UID:7E2F
DTSTART:20261024T080000
SUMMARY:Floating
RDATE:20261101T013000,20261108T080000Z
END:VEVENT
BEGIN:VEVENT
UID:8A1B
DTSTART:20261021
RRULE:FREQ=DAILY;UNTIL=20261023
SUMMARY:Fair
END:VEVENT
END:VCALENDAR`;

describe("calendars as products write them", () => {
  const floating = calendarOf({ uid: "a", start: "20261021T080000" });
  const skipped = calendarOf({ uid: "a", start: "TZID=Europe/Berlin:20260329T023000" });
  const hourly = (zone: string, first: string) =>
    calendarOf({ uid: zone, start: `TZID=Pacific/${zone}:${first}`, rule: "FREQ=HOURLY;COUNT=3" });
  const weekly =
    "a weekly event keeps its hour over the end of summer time; moved and excluded ones are gone";
  test.each<[string, string, number]>([
    [weekly, GOOGLE, NOW],
    ["a zone with a name of the maker's own is what the file defines", OUTLOOK, NOW + 20 * 86_400_000],
    ["a floating time is of the calendar's zone: of an hour that comes twice the first", APPLE, NOW],
    ["a floating time of a calendar that names no zone is one of UTC, and that is said", floating, NOW],
    [
      "60 days ahead is a moment, in the zone farthest east too",
      hourly("Kiritimati", "20261220T010000"),
      NOW,
    ],
    ["35 days back is a moment, in the zone farthest west too", hourly("Pago_Pago", "20260915T000000"), NOW],
    ["a time that the clock skips is as before the change", skipped, Date.parse("2026-03-20T00:00:00Z")],
  ])("%s; recorded", (_, text, now) => {
    expect([...read(text, now).notes, ...starts(text, now)]).toMatchSnapshot();
  });
});

describe("what cannot be read is left out and named, and keeps nothing else", () => {
  const good = { uid: "good", start: "20261021T100000Z" };
  test("by its name and why, recorded", () => {
    const bad = [
      ...["DTSTART:garbage", "SUMMARY:x", "DTSTART;TZID=Middle-earth:20261021T100000"],
      "DTSTART:20261021T100000Z\nRRULE:FREQ=SOMETIMES",
      "DTSTART:20200101T000000Z\nRRULE:FREQ=SECONDLY",
      "DTSTART:20200101T000000Z\nRRULE:FREQ=MINUTELY;COUNT=1000000000",
      "DTSTART:20200101T000000Z\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
      "DTSTART:20261021T100000Z\nRDATE;VALUE=PERIOD:20261022T100000Z/PT1H",
      "DTSTART:20261021T100000\nRRULE:FREQ=DAILY;UNTIL=20261023\nEXDATE;VALUE=DATE:20261022",
      "DTSTART;VALUE=DATE:20261021\nRRULE:FREQ=DAILY;UNTIL=20261022T120000Z",
    ];
    recordEach(bad, (lines) => {
      const { notes, broken, whole, occurrences } = read(calendarOf({ uid: "bad", lines }, good));
      return { notes, broken, whole, came: occurrences.map(({ uid }) => uid) };
    });
  });

  test("of more than 500 the farthest are left out, and back to which moment all are there is told", () => {
    const found = read(calendarOf({ uid: "a", start: "20261001T000000Z", rule: "FREQ=HOURLY" }));
    expect(found.occurrences).toHaveLength(MOST_OCCURRENCES);
    expect(found.notes).toEqual(["1,409 occurrences left out, the farthest: 500 are kept."]);
    expect(found.since).toBeLessThanOrEqual(found.occurrences[0]?.at ?? 0);
    expect(found.since).toBeGreaterThan((found.occurrences[0]?.at ?? 0) - 3_600_000);
  });

  test("a page, nothing, half a calendar and JSON are no calendar", () => {
    const texts = [
      "<!doctype html><title>Sign in</title>",
      "",
      GOOGLE.slice(0, 900),
      '{"error": "BEGIN:VCALENDAR"}',
    ];
    expect(texts.filter((text) => readCalendar(text, NOW) !== undefined)).toStrictEqual([]);
  });

  test("an empty calendar is one, with a mark of the byte order too", () => {
    expect(read("\uFEFFBEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n")).toMatchObject({ occurrences: [], notes: [] });
  });

  test("absurd years, ids and titles are taken as they are, within their bounds", () => {
    const text = calendarOf(
      { uid: "old", start: "00010101T000000Z", rule: "FREQ=YEARLY" },
      { uid: "far", start: "99991231T235959Z" },
      { uid: `${"u".repeat(5_000)}`, start: "20261021T100000Z", title: `a\\nb${"é".repeat(5_000)}` },
    );
    const [found] = read(text).occurrences;
    expect(found?.uid).toMatch(/^[0-9a-f]{64}$/);
    expect(found?.title).toMatch(/^a bé{490,}…$/);
  });

  test("what begins and never ends is passed over", () => {
    const text = calendarOf({ uid: "first", start: "20261021T100000Z" }).replace(
      "END:VCALENDAR",
      `${"BEGIN:VEVENT\r\n".repeat(100_000)}END:VCALENDAR`,
    );
    expect(read(text).whole).toEqual(["first"]);
  });
});
