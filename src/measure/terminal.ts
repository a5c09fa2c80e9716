/** Text for a terminal: progress as one live line, and foreign text made harmless. */

import type { Step } from "./steps.ts";

/** Where progress goes: a terminal shows one live line, anything else gets one line per step. */
export interface ProgressSink {
  readonly isTTY: boolean;
  readonly write: (text: string) => void;
}

const CLEAR = "\r\u001b[K";

const REDRAW_MS = 80;

/** Draws progress; `now` limits how often the live line is redrawn. */
export function drawProgress(sink: ProgressSink, now: () => number) {
  let drawn = 0;
  let live = false;
  return {
    on: (step: Step) => {
      if (!sink.isTTY) {
        if (step.kind === "start") sink.write(`${step.step}\n`);
        return;
      }
      const at = now();
      if (step.kind === "count" && step.done < step.of && at - drawn < REDRAW_MS) return;
      drawn = at;
      live = true;
      sink.write(`${CLEAR}${step.step}${step.kind === "count" ? ` ${step.done}/${step.of}` : " …"}`);
    },
    /** Removes the live line. */
    clear: () => {
      if (live) sink.write(CLEAR);
      live = false;
    },
  };
}

// Text of somebody else on a terminal: it neither moves the cursor nor changes what stands beside it.

/** Control characters, and what turns the direction of a line or takes no room in it. */
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ufe00-\ufe0f]|[\u{e0000}-\u{e0fff}]/gu;

const MAX_LENGTH = 2_000;

/** One line without control characters, and not endless. */
export function printable(line: string, maxLength = MAX_LENGTH): string {
  const shown = line.toWellFormed().replace(UNSEEN, "\ufffd");
  return shown.length <= maxLength ? shown : `${shown.slice(0, maxLength - 1).toWellFormed()}…`;
}
