/** What the last act on flags did: as an address carries it from one page to the next, and as words. */

import { countWords as countOf } from "../../base/text.ts";
import { parseInstant } from "../../base/time.ts";
import { ACT_NAMES, ACTS, type ActName, type ActOutcome } from "../../flags/acts.ts";
import type { FlagRow } from "../../flags/flags.ts";
import { findFlag } from "../../flags/queries.ts";
import { flagsShown } from "../../reports/shown_day.ts";
import type { Db } from "../../store/store.ts";
import { formatMoment } from "../format.ts";
import { readingWord } from "../kit/reading_words.ts";

/** What an operator wrote that was not taken, so that it is not lost. */
export interface Draft {
  readonly act: "snooze" | "incident" | "hypothesis";
  readonly text: string;
  /** What is wrong with it; null when it was only too late. */
  readonly error: string | null;
}

const RESOLUTIONS: Readonly<Record<string, string>> = {
  cleared: "The condition no longer holds.",
  renewed: "Raised again with later numbers.",
  operator: "Resolved by hand.",
  superseded: "A later revision of the same day's report took its place.",
  not_repeated: "The site's next report did not repeat it.",
  older_report: "It came with a report for an older day.",
  milestone: "Milestones are resolved at once.",
  reporting_again: "The site reports again.",
  pulled_again: "A nightly run had no failures.",
  retired: "The site was retired.",
  no_longer_reported: "Webmaster tools no longer reports it.",
  attached_elsewhere: "It was reported of another property; the site's figures now come from a new one.",
  paused: "An operator paused what it is about.",
  not_live: "The site is not live, so no report is expected.",
  went_live: "The site went live again.",
  clock_set_back: "It was raised while the clock ran ahead.",
  threshold_changed: "The limit on silence was raised, so the site may be silent for longer.",
  next_reading: "The next reading of the metric took its place; it could not be tested.",
};

/** Why a flag is resolved, as a sentence. */
export function resolutionWords(resolution: string | null): string {
  if (resolution === null) return "";
  return RESOLUTIONS[resolution] ?? `${resolution.replaceAll("_", " ")}.`;
}

/** Why an act was refused. The flag beside it is shown as it stands now. */
export function conflictWords(outcome: Extract<ActOutcome, { state: "conflict" }>, now: number): string {
  const { flag, reason } = outcome;
  if (reason === "renewed") {
    const at = moment(flag.raised_at, now);
    return `Nothing was changed: what you had open was an earlier ${readingWord(flag)}. It was raised again ${at}.`;
  }
  if (reason === "resolved") {
    const at = moment(flag.resolved_at, now);
    return `Nothing was changed: this flag was resolved ${at}. ${resolutionWords(flag.resolution)}`;
  }
  if (reason === "acknowledged") {
    return `Nothing was changed: ${flag.acked_by} acknowledged this flag ${moment(flag.acked_at, now)}.`;
  }
  if (reason === "raised") return "Nothing was changed: another flag about the same is open.";
  if (reason === "retired") return "Nothing was changed: its site is retired, and no rule judges it.";
  return "Nothing was changed: this flag changed while it was open here. This is how it stands now.";
}

/** Until when a flag is put away. */
function snoozedWords(flag: FlagRow, now: number): string {
  return `Snoozed until ${moment(flag.snoozed_until, now)} UTC.`;
}

function moment(text: string | null, now: number): string {
  const at = text === null ? undefined : parseInstant(text);
  return at === undefined ? "" : formatMoment(at, now);
}

export type Outcome =
  | {
      readonly kind: "made";
      readonly act: ActName;
      /** Flags that are now as asked. */
      readonly done: number;
      /** Flags that changed meanwhile, or are gone. */
      readonly refused: number;
      /** The flag, where it was one. */
      readonly only?: FlagRow | undefined;
      /** Why one flag was not acted on. */
      readonly why?: string | undefined;
    }
  /** No flag was ticked. */
  | { readonly kind: "nothing" };

/** What came of an act on some flags. */
export function madeOf(act: ActName, outcomes: readonly ActOutcome[], now: number): Outcome {
  const done = outcomes.filter(({ state }) => state === "done" || state === "same").length;
  const [one] = outcomes;
  const single = outcomes.length === 1 && one?.state !== "missing" ? one : undefined;
  return {
    kind: "made",
    act,
    done,
    refused: outcomes.length - done,
    only: single?.flag,
    why: single?.state === "conflict" ? conflictWords(single, now) : undefined,
  };
}

/** An outcome for an address: the act, how many flags took and refused it, and the flag where it was one. */
export function outcomeText(outcome: Outcome): string {
  if (outcome.kind === "nothing") return "nothing";
  const { act, done, refused, only } = outcome;
  return [act, done, refused, ...(only === undefined || refused > 0 ? [] : [only.id])].join(" ");
}

/** Reads the outcome of an address. Nobody can write words onto a page by it. */
export function readOutcome(db: Db, text: string | null): Outcome | null {
  if (text === "nothing") return { kind: "nothing" };
  const [, name, done, refused, id] =
    /^([a-z_]+) (\d{1,3}) (\d{1,3})(?: (\S{1,100}))?$/.exec(text ?? "") ?? [];
  const act = ACT_NAMES.find((one) => one === name);
  if (act === undefined) return null;
  const only = id === undefined ? undefined : findFlag(db, id);
  if (id !== undefined && only === undefined) return null;
  return {
    kind: "made",
    act,
    done: Number(done),
    refused: Number(refused),
    only: only && flagsShown(db)(only),
  };
}

/** An outcome in words. */
export function outcomeWords(outcome: Outcome, now: number): string {
  if (outcome.kind === "nothing") return "Select flags first.";
  const { act, done, refused, only, why } = outcome;
  if (why !== undefined) return why;
  const { one, several } = ACTS[act].words;
  if (only !== undefined) {
    return act === "snooze" && only.snoozed_until !== null ? snoozedWords(only, now) : one;
  }
  return `${countOf(done, "flag")} ${several}.${stayedWords(refused)}`;
}

function stayedWords(refused: number): string {
  if (refused === 0) return "";
  const stayed = refused === 1 ? "it was" : "they were";
  return ` ${countOf(refused, "flag")} had changed meanwhile and stayed as ${stayed}.`;
}
