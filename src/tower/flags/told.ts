/** What the page says after an act: plain words, made from what came of it. */
import type { ActOutcome, FlagRow } from "../../flags/mod.ts";
import { parseInstant } from "../../lib/instant.ts";
import { readingWord } from "../component/reading_words.ts";
import { formatMoment } from "../format.ts";

/** What an operator wrote that was not taken, so that it is not lost. */
export interface Draft {
  readonly act: "snooze" | "incident" | "hypothesis";
  readonly text: string;
  /** What is wrong with it; null when it was only too late. */
  readonly error: string | null;
}

const RESOLUTIONS: Readonly<Record<string, string>> = {
  cleared: "The condition no longer holds.",
  renewed: "The rule raised it anew with later numbers.",
  operator: "Resolved by hand.",
  superseded: "A later revision of the same day's report took its place.",
  not_repeated: "The site's next report did not repeat it.",
  older_report: "It came with a report for an older day.",
  milestone: "A milestone is resolved as soon as it is noted.",
  reporting_again: "The site reports again.",
  pulled_again: "A nightly run failed for no site.",
  retired: "The site was retired.",
  no_longer_reported: "Webmaster tools no longer reports it.",
  attached_elsewhere: "It was reported of another property; the site's figures now come from a new one.",
  paused: "An operator paused what it is about.",
  not_live: "The site is not live, so that no report is expected.",
  went_live: "The site went live anew; its silence counts from then.",
  clock_set_back: "It was raised under a clock that ran ahead.",
  threshold_changed: "The site may now be silent for longer; silent_hours was raised.",
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
    return `Nothing was changed: what you had open was an earlier ${readingWord(flag)}. This is the flag as it was raised anew ${at}.`;
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
export function snoozedWords(flag: FlagRow, now: number): string {
  return `Snoozed until ${moment(flag.snoozed_until, now)} UTC.`;
}

function moment(text: string | null, now: number): string {
  const at = text === null ? undefined : parseInstant(text);
  return at === undefined ? "" : formatMoment(at, now);
}
