/** What the last act on flags did: as an address carries it from one page to the next, and as words. */
import type { Db } from "../../db/mod.ts";
import { ACT_NAMES, ACTS, type ActName, type ActOutcome, type FlagRow, findFlag } from "../../flags/mod.ts";
import { countOf } from "../format.ts";
import { flagsShown } from "../shown_days.ts";
import { conflictWords, snoozedWords } from "./told.ts";

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
  if (outcome.kind === "nothing") return "Tick the flags first.";
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
