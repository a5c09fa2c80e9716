/** What a report of the archive came to: the words, shapes and colours of every page that says it. */
import { ARCHIVE_OUTCOMES, type ArchiveNote, type ArchiveOutcome } from "../../archive/mod.ts";
import { type Look, LookMark } from "./look_mark.tsx";

export const ARCHIVE_LOOKS: Readonly<Record<ArchiveOutcome, Look>> = {
  stored: { words: "Stored", glyph: "working" },
  unchanged: { words: "Unchanged", glyph: "idle", tone: "never_run" },
  empty: { words: "Empty", glyph: "never_run", tone: "never_run" },
  source_lag: { words: "Source lags", glyph: "paused", tone: "paused" },
  incomplete: { words: "Incomplete", glyph: "stale", tone: "stale" },
  failed: { words: "Failed", glyph: "failing", tone: "failing" },
};

/** What an outcome means, in a sentence. */
export const ARCHIVE_OUTCOME_WORDS: Readonly<Record<ArchiveOutcome, string>> = {
  stored: "The report came and says something new: it is an object of its own.",
  unchanged:
    "The report came and says what an earlier one says: it points at that object, and nothing is stored again.",
  empty: "The report came and has no rows: nothing happened that it tells of.",
  source_lag:
    "The provider's figures of this date were not final yet. Nothing is missing, and the date is asked for again.",
  incomplete: "Only a part of the report came. The part is kept, and no figure is read from it.",
  failed: "No report came. What was stored before stays.",
};

/** What is noted beside a report, in a sentence. */
export const ARCHIVE_NOTE_WORDS: Readonly<Record<ArchiveNote, string>> = {
  sampled: "Sampled: the provider worked these figures out from a part of its data.",
  thresholded: "Thresholds: the provider left out rows of few people.",
  other_row: "Other row: the provider put rare values together into one row.",
  top_rows: "Top rows: the provider ends such a report after its first rows.",
  provisional: "Provisional: the provider may still change these figures.",
};

/** What a report came to. */
export function ArchiveMark({ outcome }: { readonly outcome: ArchiveOutcome }) {
  return <LookMark look={ARCHIVE_LOOKS[outcome]} />;
}

export const archiveWords = (outcome: ArchiveOutcome): string => ARCHIVE_LOOKS[outcome].words;

/** Several of an outcome, after their number: "3 lagging". */
export const archiveCounted = (outcome: ArchiveOutcome): string =>
  outcome === "source_lag" ? "lagging" : archiveWords(outcome).toLowerCase();

/** Whether a name is an outcome of the archive. */
export const isArchiveOutcome = (name: string): name is ArchiveOutcome =>
  ARCHIVE_OUTCOMES.some((outcome) => outcome === name);
