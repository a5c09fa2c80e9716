/** Calendars as text. */

export interface EventText {
  readonly uid: string;
  /** As after DTSTART: `20261021T100000Z`, or with a parameter before a colon. */
  readonly start?: string;
  readonly rule?: string;
  readonly title?: string;
  readonly lines?: string;
}

/** A calendar with these events; each has its id for a title. */
export function calendarOf(...events: readonly EventText[]): string {
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    ...events.flatMap(({ uid, start, rule, title = uid, lines }) => [
      "BEGIN:VEVENT",
      `UID:${uid}`,
      `SUMMARY:${title}`,
      ...(start === undefined ? [] : [`DTSTART${start.includes(":") ? ";" : ":"}${start}`]),
      ...(rule === undefined ? [] : [`RRULE:${rule}`]),
      ...(lines === undefined ? [] : lines.split("\n")),
      "END:VEVENT",
    ]),
    "END:VCALENDAR",
  ].join("\r\n");
}
