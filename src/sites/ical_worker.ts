/** The worker that reads a calendar's text: ten megabytes take seconds, and a hostile rule may take for ever. */

import "../base/low_priority.ts";
import { readCalendar } from "./ical.ts";

declare const self: Worker;

/** Answers null where the text is no calendar. */
self.onmessage = ({ data: { text, now } }: MessageEvent<{ readonly text: string; readonly now: number }>) =>
  self.postMessage(readCalendar(text, now) ?? null);
