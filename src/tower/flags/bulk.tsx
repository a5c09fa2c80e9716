/** Acts on several ticked flags at once: one write, and words on what came of it. */
import type { Tx } from "../../db/mod.ts";
import {
  type ActOutcome,
  type ActRequest,
  acknowledgeFlag,
  resolveByHand,
  snoozeFlag,
  unacknowledgeFlag,
  wakeFlag,
} from "../../flags/mod.ts";
import { countOf } from "../format.ts";

/** Most flags in one act: more than a page of the list holds. */
export const MOST_TICKED = 200;

const ACTS = ["acknowledge", "unacknowledge", "snooze", "wake", "resolve"] as const;

export type BulkAct = (typeof ACTS)[number];

/** The act a form names. */
export function bulkAct(name: string | null): BulkAct | undefined {
  return ACTS.find((act) => act === name);
}

/** What came of acts on several flags. */
export interface BulkResult {
  readonly act: BulkAct;
  /** Flags that are now as asked. */
  readonly done: number;
  /** Those that were not before, by id: what the way back takes back. */
  readonly changed: readonly string[];
  /** Flags that changed meanwhile, or are gone. */
  readonly refused: number;
}

/** Performs the act on each flag in the caller's transaction; one that is refused takes no other with it. */
export function performBulk(
  tx: Tx,
  asked: Omit<ActRequest, "id" | "seen"> & {
    readonly act: BulkAct;
    readonly ids: readonly string[];
    /** When a snooze ends. */
    readonly until: number;
  },
): BulkResult {
  const { act, ids, until, by, now } = asked;
  const perform = (id: string): ActOutcome => {
    const request = { id, by, now };
    switch (act) {
      case "acknowledge":
        return acknowledgeFlag(tx, request);
      case "unacknowledge":
        return unacknowledgeFlag(tx, request);
      case "snooze":
        return snoozeFlag(tx, { ...request, until });
      case "wake":
        return wakeFlag(tx, request);
      case "resolve":
        return resolveByHand(tx, request);
    }
  };
  const changed: string[] = [];
  let done = 0;
  for (const id of ids) {
    const { state } = perform(id);
    if (state === "done") changed.push(id);
    if (state === "done" || state === "same") done++;
  }
  return { act, done, changed, refused: ids.length - done };
}

const DONE: Readonly<Record<BulkAct, string>> = {
  acknowledge: "acknowledged",
  unacknowledge: "no longer acknowledged",
  snooze: "snoozed",
  wake: "woken",
  resolve: "resolved",
};

const UNDO: Readonly<Partial<Record<BulkAct, BulkAct>>> = { acknowledge: "unacknowledge", snooze: "wake" };

/** What came of it, with the way back where there is one. Stands inside the list's form. */
export function BulkTold({ result }: { readonly result: BulkResult }) {
  const { act, done, changed, refused } = result;
  const undo = UNDO[act];
  return (
    <p class="row">
      <span>
        {countOf(done, "flag")} {DONE[act]}.{stayedWords(refused)}
      </span>
      {undo === undefined || changed.length === 0 ? null : (
        <button class="btn" name="undo" value={`${undo} ${changed.join(" ")}`}>
          Undo
        </button>
      )}
    </p>
  );
}

/** A result as text for an address, for the page after a plain form. */
export function bulkText({ act, done, refused }: BulkResult): string {
  return `${act} ${done} ${refused}`;
}

/** Reads the text of a result; the ids are not in it, so there is no way back from there. */
export function bulkWords(text: string | null): string | undefined {
  const match = /^(\w+) (\d{1,3}) (\d{1,3})$/.exec(text ?? "");
  const act = bulkAct(match?.[1] ?? null);
  if (match === null || act === undefined) return undefined;
  return `${countOf(Number(match[2]), "flag")} ${DONE[act]}.${stayedWords(Number(match[3]))}`;
}

function stayedWords(refused: number): string {
  if (refused === 0) return "";
  const stayed = refused === 1 ? "it was" : "they were";
  return ` ${countOf(refused, "flag")} had changed meanwhile and stayed as ${stayed}.`;
}
