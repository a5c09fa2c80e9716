/** What a run and an attempt came to. */
import type { RunFault, StoredRun } from "../../jobs/mod.ts";
import type { PullOutcome } from "../../signals/mod.ts";
import { type Look, LookMark } from "../component/look_mark.tsx";

const RUNNING: Look = { words: "Running", glyph: "idle", tone: "idle" };
const ENDED: Readonly<Record<"done" | "partial" | "failed", Look>> = {
  done: { words: "Done", glyph: "working" },
  partial: { words: "In part", glyph: "stale", tone: "stale" },
  failed: { words: "Failed", glyph: "failing", tone: "failing" },
};
const BROKEN: Readonly<Record<RunFault, Look>> = {
  error: { words: "Broke off", glyph: "failing", tone: "failing" },
  stopped: { words: "Stopped", glyph: "paused", tone: "paused" },
  cut_off: { words: "Cut off", glyph: "disconnected", tone: "disconnected" },
};

/** What a run came to. */
export function RunMark({ end }: { readonly end: StoredRun["end"] }) {
  if (end === undefined) return <LookMark look={RUNNING} />;
  return <LookMark look={end.fault === null ? ENDED[end.outcome] : BROKEN[end.fault]} />;
}

const ATTEMPT: Readonly<Record<PullOutcome, Look>> = {
  changed: { words: "Changed", glyph: "working" },
  unchanged: { words: "Unchanged", glyph: "idle", tone: "never_run" },
  empty: { words: "Empty", glyph: "never_run", tone: "never_run" },
  source_lag: { words: "Source lags", glyph: "paused", tone: "paused" },
  incomplete: { words: "Incomplete", glyph: "stale", tone: "stale" },
  failed: { words: "Failed", glyph: "failing", tone: "failing" },
};

/** What an attempt is called by its outcome. */
export const attemptWords = (outcome: PullOutcome): string => ATTEMPT[outcome].words;

/** Several of an outcome, after their number: "3 lagging". */
export const countedWords = (outcome: PullOutcome): string =>
  outcome === "source_lag" ? "lagging" : attemptWords(outcome).toLowerCase();

/** What an attempt came to. */
export function AttemptMark({ outcome }: { readonly outcome: PullOutcome }) {
  return <LookMark look={ATTEMPT[outcome]} />;
}
