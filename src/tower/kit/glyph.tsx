/** The small drawings of the page, each defined once in the sprite and used by name. */

import type { ArchiveNote, ArchiveOutcome } from "../../archive/manifest_row.ts";
import type { HealthState } from "../../health/health.ts";
import type { PullOutcome } from "../../signals/attempts.ts";
import type { Child, Safe } from "../jsx/jsx-runtime.ts";

/** The drawings by name: there are few, and hundreds on a page. */
const drawn = new Map<string, Safe>();

/** A glyph of the sprite. It carries no meaning alone: a word stands beside it or in the label of its parent. */
export function Glyph({ name }: { readonly name: string }): Safe {
  const known = drawn.get(name);
  if (known !== undefined) return known;
  const glyph = (
    <svg class="i" aria-hidden="true">
      <use href={`#${name}`} />
    </svg>
  );
  drawn.set(name, glyph);
  return glyph;
}

let sprite: Safe | undefined;

/** The definitions every page carries: nine states of health, those of a site, three pennants, the brand and the patterns of the charts. */
export function Sprite(): Safe {
  sprite ??= (
    <svg class="vh" width="0" height="0" aria-hidden="true">
      <defs>
        <pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <path class="hatching" d="M0 0v4" />
        </pattern>
        <pattern id="dots" width="5" height="5" patternUnits="userSpaceOnUse">
          <circle class="dotting" cx="1.5" cy="1.5" r=".8" />
        </pattern>
        <symbol id="s-working" viewBox="0 0 16 16">
          <circle class="solid" cx="8" cy="8" r="6.5" />
          <path class="knock" d="M5 8.2l2.1 2.1L11 6.2" stroke-width="1.7" />
        </symbol>
        <symbol id="s-failing" viewBox="0 0 16 16">
          <path class="solid" d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z" />
          <path class="knock" d="M5.6 5.6l4.8 4.8m0-4.8l-4.8 4.8" stroke-width="1.8" />
        </symbol>
        <symbol id="s-stale" viewBox="0 0 16 16">
          <circle cx="8" cy="8" r="6.2" stroke-width="1.6" />
          <path class="solid" d="M8 1.8a6.2 6.2 0 010 12.4z" />
        </symbol>
        <symbol id="s-never_run" viewBox="0 0 16 16">
          <circle cx="8" cy="8" r="6.2" stroke-width="1.6" stroke-dasharray="2.6 2.27" />
        </symbol>
        <symbol id="s-idle" viewBox="0 0 16 16">
          <circle cx="8" cy="8" r="6.2" stroke-width="1.6" />
          <circle class="solid" cx="8" cy="8" r="2" />
        </symbol>
        <symbol id="s-paused" viewBox="0 0 16 16">
          <path d="M5.2 3v10M10.8 3v10" stroke-width="2.8" stroke-linecap="round" />
        </symbol>
        <symbol id="s-disconnected" viewBox="0 0 16 16">
          <path
            d="M5.5 4.5h-1a3.5 3.5 0 000 7h1M10.5 4.5h1a3.5 3.5 0 010 7h-1"
            stroke-width="1.8"
            stroke-linecap="round"
          />
          <path d="M8 2.2v3M8 10.8v3" stroke-width="1.4" stroke-linecap="round" />
        </symbol>
        <symbol id="s-unmonitored" viewBox="0 0 16 16">
          <circle cx="8" cy="8" r="6.2" stroke-width="1.6" />
          <path d="M3.6 12.4l8.8-8.8" stroke-width="1.6" />
        </symbol>
        <symbol id="s-unknown" viewBox="0 0 16 16">
          <path class="solid" d="M8 .6L15.4 8 8 15.4.6 8z" />
          <path class="knock" d="M6.3 6.4a1.75 1.75 0 113 1.25c-.7.65-1.25.9-1.25 1.8" stroke-width="1.5" />
          <circle class="dot" cx="8.05" cy="11.6" r=".95" />
        </symbol>
        <symbol id="r-reporting" viewBox="0 0 16 16">
          <path
            d="M8 2v7.6M4.8 6.5L8 9.7l3.2-3.2M2.8 13.4h10.4"
            stroke-width="1.6"
            stroke-linecap="round"
            stroke-linejoin="round"
          />
        </symbol>
        <symbol id="r-silent" viewBox="0 0 16 16">
          <path class="solid" d="M8 1.2l7.2 13H.8z" />
          <path class="knock" d="M8 5.8v4" stroke-width="1.7" />
          <circle class="dot" cx="8" cy="12" r=".95" />
        </symbol>
        <symbol id="r-never_reported" viewBox="0 0 16 16">
          <circle cx="8" cy="8" r="6.2" stroke-width="1.6" stroke-dasharray="2.6 2.27" />
        </symbol>
        <symbol id="r-pre_launch" viewBox="0 0 16 16">
          <circle cx="8" cy="8" r="6.2" stroke-width="1.6" />
          <path d="M8 4.4V8l2.5 1.8" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" />
        </symbol>
        <symbol id="r-paused" viewBox="0 0 16 16">
          <path d="M5.2 3v10M10.8 3v10" stroke-width="2.8" stroke-linecap="round" />
        </symbol>
        <symbol id="r-retired" viewBox="0 0 16 16">
          <path
            d="M2.5 5.4h11v8.1h-11zM2.5 5.4L4 2.5h8l1.5 2.9M6.2 8.4h3.6"
            stroke-width="1.5"
            stroke-linecap="round"
            stroke-linejoin="round"
          />
        </symbol>
        <symbol id="f-error" viewBox="0 0 16 16">
          <path d="M3 1.5v13" stroke-width="1.6" stroke-linecap="round" />
          <path class="solid" d="M3 2h11l-3 3.5 3 3.5H3z" />
        </symbol>
        <symbol id="f-warn" viewBox="0 0 16 16">
          <path d="M3 1.5v13" stroke-width="1.6" stroke-linecap="round" />
          <path d="M3 2.6h10.2L10.6 5.5l2.6 2.9H3" stroke-width="1.4" stroke-linejoin="round" />
          <path d="M3 5.5h6" stroke-width="2.4" />
        </symbol>
        <symbol id="f-info" viewBox="0 0 16 16">
          <path d="M3 1.5v13" stroke-width="1.6" stroke-linecap="round" />
          <path d="M3 2.6l9.5 2.9L3 8.4" stroke-width="1.4" stroke-linejoin="round" />
        </symbol>
        <symbol id="brand" viewBox="0 0 20 20">
          <path
            d="M6.5 18.5L8 9h4l1.5 9.5M7.3 13.5h5.4M5.5 9h9l-1.2-4H6.7zM10 5V1.5"
            stroke-width="1.5"
            stroke-linejoin="round"
            stroke-linecap="round"
          />
        </symbol>
      </defs>
    </svg>
  );
  return sprite;
}

/** What the states are called. */

export const STATE_WORDS: Readonly<Record<HealthState, string>> = {
  working: "Working",
  failing: "Failing",
  stale: "Stale",
  never_run: "Never run",
  idle: "Idle",
  paused: "Paused",
  disconnected: "Disconnected",
  unmonitored: "Unmonitored",
  unknown: "Unknown",
};

/** A state as glyph, colour and word, so that no reader depends on one of them. */
export function StateMark({ state, children }: { readonly state: HealthState; readonly children?: Child }) {
  return (
    <span class="state" data-state={state}>
      <Glyph name={`s-${state}`} />
      {STATE_WORDS[state]}
      {children === undefined ? null : <small>{children}</small>}
    </span>
  );
}

/** What something came to, as shape, colour and word. Green is kept for Working: what went well is ink. */

export interface Look {
  readonly words: string;
  readonly glyph: HealthState;
  /** Its colour; ink where it has none. */
  readonly tone?: HealthState;
}

export function LookMark({ look }: { readonly look: Look }) {
  return (
    <span class="state" data-state={look.tone}>
      <Glyph name={`s-${look.glyph}`} />
      {look.words}
    </span>
  );
}

/** What a pull or a report of the archive came to: the words, shapes and colours of every page that says it. */
export const OUTCOME_LOOKS: Readonly<Record<ArchiveOutcome | PullOutcome, Look>> = {
  changed: { words: "Changed", glyph: "working" },
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
  source_lag: "The provider's figures of this date were not final yet. Tower fetches them again.",
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

export const outcomeWords = (outcome: keyof typeof OUTCOME_LOOKS): string => OUTCOME_LOOKS[outcome].words;

/** Several of an outcome, after their number: "3 lagging". */
export const outcomeCounted = (outcome: keyof typeof OUTCOME_LOOKS): string =>
  outcome === "source_lag" ? "lagging" : outcomeWords(outcome).toLowerCase();
