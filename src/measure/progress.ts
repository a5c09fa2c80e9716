/** Steps of a run, for the person who waits. */
export type Step =
  | { readonly kind: "start"; readonly step: string }
  | { readonly kind: "count"; readonly step: string; readonly done: number; readonly of: number };

/** Where progress goes: a terminal shows one live line, anything else gets one line per step. */
export interface ProgressSink {
  readonly isTTY: boolean;
  readonly write: (text: string) => void;
}

const CLEAR = "\r\u001b[K";
const REDRAW_MS = 80;

export interface Progress {
  readonly on: (step: Step) => void;
  /** Removes the live line. */
  readonly clear: () => void;
}

/** Draws progress; `now` limits how often the live line is redrawn. */
export function drawProgress(sink: ProgressSink, now: () => number): Progress {
  let drawn = 0;
  let live = false;
  return {
    on: (step) => {
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
    clear: () => {
      if (live) sink.write(CLEAR);
      live = false;
    },
  };
}
