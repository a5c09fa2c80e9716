/**
 * What an operator may do with a flag. One table says of every act what it sets, where it is possible and how it reads; addresses,
 * the bar over the list, the history and the API read it. Every act has its opposite, at any time. An act is decided, appended to
 * the flag's record, and written to its row and to the audit at once.
 *
 * Decided here, where the specification is silent: an open flag takes every act. A resolved flag is history: an incident, a
 * hypothesis and the note that its rule was tuned may still be written on it, because what a flag meant is often learnt
 * afterwards, but it is never opened again: reopening raises a flag that renews it and carries what it was given.
 */

import { auditAct } from "../access/audit.ts";
import { codePoints } from "../base/contract.ts";
import { sha256Hex } from "../base/keys.ts";
import { formatInstant } from "../base/time.ts";
import { isRetired } from "../sites/sites.ts";
import type { Tx } from "../store/store.ts";
import { type ChainedFlag, endSnooze, type FlagRow, isSnoozed, startSnooze } from "./flags.ts";
import { findChainedFlag, findLastOfChain, isOpenAlready } from "./queries.ts";
import { findPredecessor, renewalOf } from "./reconcile.ts";
import {
  appendRecord,
  changeFlag,
  type FlagChange,
  findLastActor,
  insertOpenFlag,
  markRenewed,
} from "./store.ts";

/**
 * A short text that changes with every act and with resolving. A form carries the version its reader saw, so that an act on a
 * row that changed meanwhile is refused. Evidence does not count: a job's next run must not turn an operator away.
 */
export function versionOf(row: FlagRow): string {
  const { id, status, acked_at, acked_by, snoozed_until, tuned_at, incident, hypothesis } = row;
  const parts = [id, status, acked_at, acked_by, snoozed_until, tuned_at, incident, hypothesis];
  return sha256Hex(JSON.stringify(parts)).slice(0, 16);
}

/** Longest note in code points. */
export const MAX_NOTE = 2_000;

// Line ends and tabs are kept: a note may have paragraphs.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** A note, or what is wrong with it. */
type Note = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

/** Reads an operator's note: some text, at most 2,000 characters, without control characters. */
export function readNote(sent: string | null): Note {
  const text = (sent ?? "").replaceAll("\r\n", "\n").trim();
  if (text === "") return { ok: false, message: "Write something first." };
  if (codePoints(text) > MAX_NOTE) return { ok: false, message: "At most 2,000 characters." };
  if (FORBIDDEN.test(text) || !text.isWellFormed())
    return { ok: false, message: "It holds characters that are not text." };
  return { ok: true, text };
}

/** The resolution of a flag that an operator resolved by hand. */
const RESOLVED_BY_HAND = "operator";

/** Why an act is not possible. */
type Refusal = "resolved" | "acknowledged" | "renewed" | "raised" | "retired";

/** What an act changes, "same" where the flag is already as asked, or why it is not possible. */
type Decision = FlagChange | "same" | Refusal;

/** What an act asks for besides the flag. */
interface Answers {
  readonly nothing: unknown;
  readonly until: { readonly until: number };
  readonly text: { readonly text: string };
  readonly newId: { readonly newId: () => string };
}

/** Who acts on which flag, and when (milliseconds since the epoch). */
interface ActRequest {
  readonly id: string;
  /** The operator: their name, and how records and the audit name them (`operator:<name>`). */
  readonly by: { readonly name: string; readonly id: string };
  readonly now: number;
  /** The version of the row that the operator saw; absent when any will do. */
  readonly seen?: string | undefined;
}

interface Asked extends Omit<ActRequest, "id" | "seen"> {
  readonly until: number;
  readonly text: string;
}

/** One act of the table. */
interface Act {
  /** How an address names it; null where it has no address of its own. */
  readonly noun: string | null;
  /** Whether it takes back what the other act of its noun did. */
  readonly takesBack?: boolean;
  /** Whether a resolved flag refuses it. */
  readonly onlyOpen: boolean;
  readonly asks: keyof Answers;
  /** What a history, the answer about one flag and the answer about several say. */
  readonly words: { readonly did: string; readonly one: string; readonly several: string };
  readonly set: (flag: ChainedFlag, asked: Asked) => Decision;
}

type Noted = "incident" | "hypothesis";

/** Writes a note of an operator on a flag. */
const noted = <Noun extends Noted>(noun: Noun, words: Act["words"]) =>
  ({
    noun,
    onlyOpen: false,
    asks: "text",
    words,
    set: (flag, { text }) => (flag[noun] === text ? "same" : { [noun]: text }),
  }) as const satisfies Act;

/** Takes one back. The text stays in the record. */
const unnoted = <Noun extends Noted>(noun: Noun) =>
  ({
    noun,
    takesBack: true,
    onlyOpen: false,
    asks: "nothing",
    words: {
      did: `removed the ${noun}`,
      one: `The ${noun} is removed.`,
      several: `without their ${noun}`,
    },
    set: (flag) => (flag[noun] === null ? "same" : { [noun]: null }),
  }) as const satisfies Act;

export const ACTS = {
  acknowledge: {
    noun: "acknowledgement",
    onlyOpen: true,
    asks: "nothing",
    words: { did: "acknowledged it", one: "Acknowledged.", several: "acknowledged" },
    set: ({ acked_by }, { by, now }) =>
      acked_by === null
        ? { acked_at: formatInstant(now), acked_by: by.name }
        : acked_by === by.name
          ? "same"
          : "acknowledged",
  },
  unacknowledge: {
    noun: "acknowledgement",
    takesBack: true,
    onlyOpen: true,
    asks: "nothing",
    words: {
      did: "took the acknowledgement back",
      one: "No longer acknowledged.",
      several: "no longer acknowledged",
    },
    set: ({ acked_by }) => (acked_by === null ? "same" : { acked_at: null, acked_by: null }),
  },
  /** A running snooze may be moved. */
  snooze: {
    noun: "snooze",
    onlyOpen: true,
    asks: "until",
    words: { did: "snoozed it", one: "Snoozed.", several: "snoozed" },
    set: (flag, { until }) => {
      const snoozed_until = formatInstant(until);
      return flag.snoozed_until === snoozed_until ? "same" : { snoozed_until };
    },
  },
  /** A snooze that has run out needs no waking. */
  wake: {
    noun: "snooze",
    takesBack: true,
    onlyOpen: true,
    asks: "nothing",
    words: { did: "ended the snooze", one: "No longer snoozed.", several: "no longer snoozed" },
    set: (flag, { now }) => (isSnoozed(flag, now) ? { snoozed_until: null } : "same"),
  },
  /** A reference, or what happened, in the operator's words; a new text takes the place of the old one. */
  incident: noted("incident", {
    did: "linked an incident",
    one: "The incident is linked.",
    several: "linked to an incident",
  }),
  unlink_incident: unnoted("incident"),
  /** What could explain the flag, in the operator's words. Nothing is concluded from it. */
  hypothesis: noted("hypothesis", {
    did: "noted a hypothesis",
    one: "The hypothesis is noted.",
    several: "given a hypothesis",
  }),
  drop_hypothesis: unnoted("hypothesis"),
  /** A rule whose condition still holds raises a new flag at its next run. */
  resolve: {
    noun: "resolution",
    onlyOpen: false,
    asks: "nothing",
    words: {
      did: "resolved it by hand",
      one: "Resolved. It stays here with its record.",
      several: "resolved",
    },
    set: ({ status, resolution }, { now }) => {
      if (status === "open")
        return { status: "resolved", resolved_at: formatInstant(now), resolution: RESOLVED_BY_HAND };
      return resolution === RESOLVED_BY_HAND ? "same" : "resolved";
    },
  },
  reopen: {
    noun: "resolution",
    takesBack: true,
    onlyOpen: false,
    asks: "newId",
    words: { did: "raised it again", one: "Raised again.", several: "raised again" },
    set: ({ status, resolution }) => {
      if (status === "open") return "same";
      return resolution === RESOLVED_BY_HAND ? {} : "resolved";
    },
  },
  /** Writing the thresholds into the constants document is the caller's part; the text says what was changed. */
  tune: {
    noun: null,
    onlyOpen: false,
    asks: "text",
    words: {
      did: "tuned its rule",
      one: "The thresholds are changed. They hold from the next reading on.",
      several: "tuned",
    },
    set: (_, { now }) => ({ tuned_at: formatInstant(now) }),
  },
} as const satisfies Readonly<Record<string, Act>>;

/** The acts as their records name them. */
export type ActName = keyof typeof ACTS;
/** The acts as addresses name them. */
export type ActNoun = NonNullable<(typeof ACTS)[ActName]["noun"]>;

export const ACT_NAMES = Object.keys(ACTS) as readonly ActName[];
export const ACT_NOUNS: readonly ActNoun[] = [...new Set(ACT_NAMES.flatMap((name) => ACTS[name].noun ?? []))];

/** The act that an address names. */
export function actOfNoun(noun: ActNoun, takesBack: boolean): ActName {
  const name = ACT_NAMES.find((one) => {
    const act: Act = ACTS[one];
    return act.noun === noun && (act.takesBack === true) === takesBack;
  });
  if (name === undefined) throw new Error(`no act for ${noun}`);
  return name;
}

/**
 * The result of an act. On a conflict the flag is as it is now; where it was `renewed` it is the one that renewed
 * it, which the operator has not seen yet.
 */
export type ActOutcome =
  | { readonly state: "done" | "same"; readonly flag: ChainedFlag }
  | { readonly state: "conflict"; readonly reason: Refusal | "changed"; readonly flag: ChainedFlag }
  | { readonly state: "missing" };

/** A request with what the act asks for. */
type RequestOf<N extends ActName> = ActRequest & Answers[(typeof ACTS)[N]["asks"]];

/**
 * Performs an act in the caller's transaction. Of two operators the first wins: the second saw an older version and gets a
 * conflict. An act repeated by the same operator (a double click) is no conflict.
 *
 * Decided here: an act on a flag that was renewed meanwhile is refused with the flag that renewed it. To pass it on would be an
 * act on numbers that the operator never saw, and to write it on the old row would lose it. That a rule was tuned is a note
 * about the row it was tuned for, whatever follows.
 */
export function performAct<N extends ActName>(tx: Tx, name: N, request: RequestOf<N>): ActOutcome {
  const {
    id,
    by,
    now,
    seen,
    until,
    text,
    newId: idOf,
  } = request as ActRequest & {
    readonly until?: number;
    readonly text?: string;
    readonly newId?: () => string;
  };
  const act: Act = ACTS[name];
  // A caller may give more than its act asks for.
  const newId = name === "reopen" ? idOf : undefined;
  const flag = findChainedFlag(tx, id);
  if (flag === undefined) return { state: "missing" };
  const wasLastOfActor = () => findLastActor(tx, id) === by.id;
  if (flag.chain.renewed_by !== null && name !== "tune") {
    const current = findLastOfChain(tx, flag.chain.first) ?? flag;
    if (name === "reopen" && wasLastOfActor()) return { state: "same", flag: current };
    return { state: "conflict", reason: "renewed", flag: current };
  }
  const changed = seen !== undefined && seen !== versionOf(flag);
  const decided =
    act.onlyOpen && flag.status === "resolved"
      ? "resolved"
      : act.set(flag, { by, now, until: until ?? now, text: text ?? "" });
  if (decided === "same") {
    const isAsAsked = act.takesBack === true || wasLastOfActor();
    return isAsAsked ? { state: "same", flag } : { state: "conflict", reason: "changed", flag };
  }
  const refusal =
    typeof decided === "string" ? decided : newId === undefined ? undefined : reopenRefusal(tx, flag);
  if (refusal !== undefined) return { state: "conflict", reason: refusal, flag };
  if (changed) return { state: "conflict", reason: "changed", flag };
  const set = decided as FlagChange;
  const words = act.asks === "text" ? { text } : {};
  appendRecord(tx, { flag: id, at: now, type: "act", actor: by.id, data: { act: name, set, ...words } });
  const raised = newId === undefined ? undefined : raiseAgain(tx, flag, newId(), { by, now });
  if (raised === undefined) changeFlag(tx, id, set);
  if (name === "snooze") startSnooze(tx, flag, { until: until ?? now, now, by: by.id });
  if (name === "wake") endSnooze(tx, flag);
  auditAct(tx, { actor: by.id, now }, `flag.${name}`, `flag:${id}`, {
    asset: flag.asset,
    ...(name === "snooze" && until !== undefined && { until: formatInstant(until) }),
    ...(raised !== undefined && { raised }),
  });
  return { state: "done", flag: findChainedFlag(tx, raised ?? id) ?? flag };
}

/** Why a flag that an operator resolved cannot be raised again. */
function reopenRefusal(tx: Tx, flag: ChainedFlag): Refusal | undefined {
  if (isRetired(tx, flag.asset)) return "retired";
  return flag.rule !== null && isOpenAlready(tx, { ...flag, rule: flag.rule }) ? "raised" : undefined;
}

/** Raises again what was resolved: it is one lasting thing, over as many reports as before. Answers its new id. */
function raiseAgain(tx: Tx, flag: ChainedFlag, id: string, { by, now }: Pick<ActRequest, "by" | "now">) {
  const before = findPredecessor(tx, flag.id);
  if (before === undefined) throw new Error(`flag ${flag.id} is gone within its own transaction`);
  const { asset, rule, source, subject, origin, severity, kind, metric, message, rule_inputs } = flag;
  const raised = { asset, rule, source, subject, origin, severity, kind, metric, message, rule_inputs };
  const renewal = { ...renewalOf(before, severity, now), reports: before.reports, tuned_at: flag.tuned_at };
  insertOpenFlag(tx, id, raised, now, by.id, renewal);
  markRenewed(tx, flag.id, id, now, by.id);
  return id;
}
