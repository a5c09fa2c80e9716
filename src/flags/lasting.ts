/** Lasting conditions: one open flag for as long as a condition is true, with every run's own reading in its evidence record. */

import type { AssetId } from "../base/contract.ts";
import { seriesName, titleFrom } from "../sites/rule_catalogue.ts";
import type { Tx } from "../store/store.ts";
import type { FlagKind, FlagOrigin, RuleInputs, SeriesSource, Severity } from "./flags.ts";
import { type JudgedRule, RESOLUTION } from "./reconcile.ts";
import { appendRecord, changeFlag, findHeldFlag, inputChange, insertOpenFlag, resolveFlag } from "./store.ts";

/** What a condition is about; without a `source` where no series is judged, with the subject '' where a rule has one condition per asset. */
interface Held {
  readonly rule: string;
  readonly asset: AssetId;
  readonly source?: SeriesSource | null;
  readonly subject: string;
}

/** One run that found the condition to be true. */
export interface HeldRun extends Held {
  readonly severity: Severity;
  readonly kind: FlagKind;
  readonly metric?: string | null;
  readonly origin?: FlagOrigin;
  readonly message: string;
  readonly inputs: RuleInputs;
  /** What this run saw. */
  readonly reading: RuleInputs;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly newId: () => string;
  readonly actor?: string;
}

/**
 * Raises the flag of a condition once; every later run brings its message and inputs up to date. Each run, the first too,
 * appends its own reading. Severity and kind stay as raised. Three prepared statements a run at most.
 */
export function holdOpen(tx: Tx, run: HeldRun): { readonly id: string; readonly raised: boolean } {
  const { rule, asset, source = null, subject } = run;
  const open = findHeldFlag(tx, { rule, asset, source, subject });
  if (open === undefined) {
    const id = run.newId();
    const { severity, kind, metric = null, origin = "rule", message, reading, now, actor = "rule" } = run;
    insertOpenFlag(
      tx,
      id,
      { asset, rule, source, subject, origin, severity, kind, metric, message, rule_inputs: run.inputs },
      now,
      actor,
    );
    appendRecord(tx, { flag: id, at: now, type: "evidence", actor, data: { reading } });
    return { id, raised: true };
  }
  appendRun(tx, open, run);
  return { id: open.id, raised: false };
}

/**
 * Brings the open flag of a provider's day up to date after a revision of that day: the same verdict with other numbers. False where
 * none is open for the day: then the verdict is another one, and is resolved or raised. What was resolved is never opened again, so a
 * day that fires, clears and fires again gets a second row which renews the first: a drop that nobody sees would be worse.
 */
export function reviseOpen(
  tx: Tx,
  asset: AssetId,
  { rule, source, subject, metric, verdict }: JudgedRule,
  now: number,
): boolean {
  if (verdict.state !== "fires") return false;
  const open = findHeldFlag(tx, { rule, asset, source, subject });
  const { day, since } = JSON.parse(open?.rule_inputs ?? "{}") as RuleInputs;
  if (open === undefined || day === undefined || day !== verdict.inputs["day"]) return false;
  const inputs = { ...verdict.inputs, ...(since === undefined ? {} : { since }) };
  const message = titleFrom(rule, seriesName(metric ?? subject, source), inputs, now) ?? open.message;
  const { count } = verdict.inputs["observed"] as { readonly count: number };
  appendRun(tx, open, {
    message,
    inputs,
    reading: { seen: count, expected: verdict.inputs["expected"] },
    now,
  });
  return true;
}

/** Appends what a run saw to an open flag's record, and brings its message and inputs up to date. */
function appendRun(
  tx: Tx,
  open: NonNullable<ReturnType<typeof findHeldFlag>>,
  run: Pick<HeldRun, "message" | "inputs" | "reading" | "now" | "actor">,
): void {
  const { message, reading, now, actor = "rule" } = run;
  const rule_inputs = JSON.stringify(run.inputs);
  const isOther = open.rule_inputs !== rule_inputs;
  const words = open.message === message ? {} : { message };
  const whole = { ...words, rule_inputs: run.inputs };
  const changed = isOther ? inputChange(open.rule_inputs, rule_inputs) : undefined;
  const set = isOther && changed === undefined ? whole : words;
  if (isOther || "message" in words) changeFlag(tx, open.id, isOther ? whole : words);
  const data = {
    reading,
    ...(Object.keys(set).length === 0 ? {} : { set }),
    ...(changed === undefined ? {} : { changed }),
  };
  appendRecord(tx, { flag: open.id, at: now, type: "evidence", actor, data });
}

/** The inputs of a condition's open flag; undefined where none is open. */
export function findHeldInputs(
  tx: Tx,
  { rule, asset, source = null, subject }: Held,
): RuleInputs | undefined {
  const open = findHeldFlag(tx, { rule, asset, source, subject });
  return open === undefined ? undefined : (JSON.parse(open.rule_inputs ?? "{}") as RuleInputs);
}

/** Resolves the flag of a condition that is over; undefined when none was open. */
export function release(
  tx: Tx,
  held: Held & { readonly now: number; readonly actor?: string; readonly resolution?: string },
): string | undefined {
  const { rule, asset, source = null, subject } = held;
  const open = findHeldFlag(tx, { rule, asset, source, subject });
  if (open === undefined) return undefined;
  resolveFlag(tx, open.id, held.resolution ?? RESOLUTION.cleared, held.now, held.actor ?? "rule");
  return open.id;
}
