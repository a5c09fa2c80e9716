/** What the last act on flags did: as an address carries it from one page to the next, and as words. */

import type { Db } from "../../db/mod.ts";
import {
  type ActName,
  type ActOutcome,
  type Acts,
  type ChainedFlag,
  type FlagRow,
  findFlag,
  findUndoable,
  type NotUndone,
  type Undone,
} from "../../flags/mod.ts";
import { countOf } from "../format.ts";
import { flagsShown } from "../shown_days.ts";
import { conflictWords, snoozedWords } from "./told.ts";

/** An act that was made. */
interface Made {
  readonly kind: "made";
  readonly act: ActName;
  /** Flags that are now as asked. */
  readonly done: number;
  /** Flags that changed meanwhile, or are gone. */
  readonly refused: number;
  /** What the way back takes back; null where nothing was changed. */
  readonly acts: Acts | null;
  /** The flag, where it was one. */
  readonly only?: FlagRow | undefined;
  /** Why one flag was not acted on. */
  readonly why?: string | undefined;
}

export type Outcome =
  | Made
  | {
      readonly kind: "undone";
      readonly done: number;
      readonly kept: readonly NotUndone[];
      readonly only?: FlagRow | undefined;
    }
  /** No flag was ticked. */
  | { readonly kind: "nothing" };

/** What came of an act on some flags, each outcome under its flag's id. */
export function madeOf(act: ActName, outcomes: readonly ActOutcome[], now: number): Made {
  const records = outcomes.flatMap((outcome) => (outcome.state === "done" ? [outcome.record] : []));
  const [first, last] = [records[0], records.at(-1)];
  const done = outcomes.filter(({ state }) => state === "done" || state === "same").length;
  const [one] = outcomes;
  const single = outcomes.length === 1 && one?.state !== "missing" ? one : undefined;
  return {
    kind: "made",
    act,
    done,
    refused: outcomes.length - done,
    acts: first === undefined || last === undefined ? null : { first, last },
    only: single?.flag,
    why: single?.state === "conflict" ? conflictWords(single, now) : undefined,
  };
}

/** What came of an undo. */
export function undoneOf({ flags, kept }: Undone): Outcome {
  return {
    kind: "undone",
    done: flags.length,
    kept,
    only: flags.length === 1 && kept.length === 0 ? flags[0] : undefined,
  };
}

/** The acts of a form as a form names them. */
export function actsText({ first, last }: Acts): string {
  return `${first}-${last}`;
}

/** Reads them; undefined for what is none. */
export function readActs(text: string): Acts | undefined {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(text);
  return match === null ? undefined : { first: Number(match[1]), last: Number(match[2]) };
}

/** An outcome for an address. */
export function outcomeText(outcome: Outcome): string {
  if (outcome.kind === "nothing") return "nothing";
  if (outcome.kind === "undone") {
    const reasons = [...Map.groupBy(outcome.kept, (reason) => reason)];
    return ["undone", outcome.done, ...reasons.map(([reason, all]) => `${reason}:${all.length}`)].join(" ");
  }
  const { act, done, refused, acts } = outcome;
  return [act, done, refused, ...(acts === null ? [] : [actsText(acts)])].join(" ");
}

/**
 * Reads the outcome of an address. What can be undone is told only while it can: the address may be read again much later, and
 * nobody can write words onto a page by it.
 */
export function readOutcome(db: Db, text: string | null, actor: string, now: number): Outcome | null {
  if (text === "nothing") return { kind: "nothing" };
  const undone = /^undone (\d{1,3})((?: [a-z]+:\d{1,3})*)$/.exec(text ?? "");
  if (undone !== null) {
    const kept = [...(undone[2] ?? "").matchAll(/ ([a-z]+):(\d+)/g)].flatMap(([, reason, count]) =>
      isReason(reason) ? Array<NotUndone>(Number(count)).fill(reason) : [],
    );
    return { kind: "undone", done: Number(undone[1]), kept };
  }
  const made = /^([a-z_]+) (\d{1,3}) (\d{1,3})(?: (\d+-\d+))?$/.exec(text ?? "");
  const act = made?.[1] ?? "";
  if (made === null || !isAct(act)) return null;
  const acts = made[4] === undefined ? null : (readActs(made[4]) ?? null);
  const undoable = acts === null ? undefined : findUndoable(db, acts, actor, now);
  if (acts !== null && undoable?.act !== act) return null;
  const [done, refused] = [Number(made[2]), Number(made[3])];
  const [id] = undoable?.flags ?? [];
  const only = done === 1 && refused === 0 && id !== undefined ? findFlag(db, id) : undefined;
  return { kind: "made", act, done, refused, acts, only: only && flagsShown(db)(only) };
}

const SEVERAL: Readonly<Record<ActName, string>> = {
  acknowledge: "acknowledged",
  unacknowledge: "no longer acknowledged",
  snooze: "snoozed",
  wake: "woken",
  incident: "linked to an incident",
  unlink_incident: "without their incident",
  hypothesis: "given a hypothesis",
  drop_hypothesis: "without their hypothesis",
  tune: "tuned",
  resolve: "resolved",
};

const ONE: Readonly<Record<Exclude<ActName, "snooze">, string>> = {
  acknowledge: "Acknowledged.",
  unacknowledge: "No longer acknowledged.",
  wake: "Woken.",
  incident: "The incident is linked.",
  unlink_incident: "The incident is removed.",
  hypothesis: "The hypothesis is noted.",
  drop_hypothesis: "The hypothesis is removed.",
  tune: "The thresholds are changed. They hold from the next reading on.",
  resolve: "Resolved. It stays here with its record.",
};

function isAct(name: string): name is ActName {
  return Object.hasOwn(SEVERAL, name);
}

const STAYED: Readonly<Record<NotUndone, string>> = {
  changed: "changed meanwhile",
  resolved: "resolved meanwhile",
  raised: "raised anew by a later report",
  reported: "judged by a later report of its site",
  retired: "of a site that was retired",
  late: "longer ago than a minute",
  edited: "tuned in a constants document that was edited since",
};

function isReason(name: string | undefined): name is NotUndone {
  return name !== undefined && Object.hasOwn(STAYED, name);
}

/** An outcome in words. */
export function outcomeWords(outcome: Outcome, now: number): string {
  if (outcome.kind === "nothing") return "Tick the flags first.";
  if (outcome.kind === "undone") return undoneWords(outcome.done, outcome.kept);
  const { act, done, refused, only, why } = outcome;
  if (why !== undefined) return why;
  if (only !== undefined) return act === "snooze" ? snoozedWords(only, now) : ONE[act];
  return `${countOf(done, "flag")} ${SEVERAL[act]}.${stayedWords(refused)}`;
}

function undoneWords(done: number, kept: readonly NotUndone[]): string {
  const was = done === 1 ? "is as it was" : "are as they were";
  const back = done === 0 ? "Nothing was undone." : `Undone: ${countOf(done, "flag")} ${was}.`;
  const stays = [...Map.groupBy(kept, (reason) => reason)].map(
    ([reason, all]) =>
      ` ${countOf(all.length, "flag")} ${STAYED[reason]}: left as ${all.length === 1 ? "it is" : "they are"}.`,
  );
  return [back, ...stays].join("");
}

function stayedWords(refused: number): string {
  if (refused === 0) return "";
  const stayed = refused === 1 ? "it was" : "they were";
  return ` ${countOf(refused, "flag")} had changed meanwhile and stayed as ${stayed}.`;
}

/** The flag that an act left as another one: taking back that a flag was resolved raises it again. */
export function raisedFor(id: string, flags: readonly ChainedFlag[]): ChainedFlag | undefined {
  return flags.find(({ renews }) => renews === id);
}
