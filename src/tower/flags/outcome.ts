/** What the last act on flags did: as an address carries it from one page to the next, and as words. */

import { countWords as countOf } from "../../base/text.ts";
import { ACT_NAMES, ACTS, type ActName, type ActOutcome } from "../../flags/acts.ts";
import type { FlagRow } from "../../flags/flags.ts";
import { formatMoment } from "../format.ts";
import { readingWord } from "../kit/words.tsx";

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

const moment = (text: string | null, now: number): string => formatMoment(Date.parse(text ?? ""), now);

/** What came of an act on some flags; none of either where no flag was ticked. */
export interface Outcome {
  readonly act: ActName;
  /** Flags that are now as asked. */
  readonly done: number;
  /** Flags that changed meanwhile, or are gone. */
  readonly refused: number;
  /** The flag, where it was one; an address does not name it. */
  readonly only?: FlagRow | undefined;
  /** Why one flag was not acted on. */
  readonly why?: string | undefined;
}

export function madeOf(act: ActName, outcomes: readonly ActOutcome[], now: number): Outcome {
  const done = outcomes.filter(({ state }) => state === "done" || state === "same").length;
  const [one] = outcomes;
  const single = outcomes.length === 1 && one?.state !== "missing" ? one : undefined;
  const why = single?.state === "conflict" ? conflictWords(single, now) : undefined;
  return { act, done, refused: outcomes.length - done, only: single?.flag, why };
}

/** An outcome for an address: the act, and how many flags took and refused it. */
export const outcomeText = ({ act, done, refused }: Outcome): string => `${act} ${done} ${refused}`;

/** Reads the outcome of an address. Nobody can write words onto a page by it. */
export function readOutcome(text: string | null): Outcome | null {
  const [, name, done, refused] = /^([a-z_]+) (\d{1,3}) (\d{1,3})$/.exec(text ?? "") ?? [];
  const act = ACT_NAMES.find((one) => one === name);
  return act === undefined ? null : { act, done: Number(done), refused: Number(refused) };
}

/** An outcome in words. */
export function outcomeWords({ act, done, refused, why }: Outcome): string {
  if (why !== undefined) return why;
  if (done + refused === 0) return "Select flags first.";
  const { one, several } = ACTS[act].words;
  if (done === 1 && refused === 0) return one;
  const stayed =
    refused === 0
      ? ""
      : ` ${countOf(refused, "flag")} had changed meanwhile and stayed as ${refused === 1 ? "it was" : "they were"}.`;
  return `${countOf(done, "flag")} ${several}.${stayed}`;
}
