/**
 * A rule's verdicts about one asset, applied to its open flags; when the new flag renews an earlier one, with what it carries on; and
 * lasting conditions, which keep one flag open.
 */

import type { AssetId } from "../base/contract.ts";
import { DAY_MS, daysBetween, parseUtcDay, type UtcDay, utcDayOf } from "../base/time.ts";
import { seriesName, titleFrom } from "../sites/rule_catalogue.ts";
import { statement, type Tx } from "../store/store.ts";
import {
  FLOW_IDS,
  type FlagKind,
  type FlagOrigin,
  type FlagRow,
  type FlagState,
  lineOf,
  type RuleInputs,
  SEVERITIES,
  type SeriesSource,
  type Severity,
  snoozeRuns,
} from "./flags.ts";
import {
  appendRecord,
  changeFlag,
  findHeldFlag,
  fromStored,
  inputChange,
  insertOpenFlag,
  listOpenRuleFlags,
  markRenewed,
  type Renewal,
  resolveFlag,
  type StoredFlag,
} from "./store.ts";

// Spelt as the partial index of the flow flags that are over.
const IS_FLOW_OVER = `status = 'resolved' AND renewed_by IS NULL AND rule IN (${FLOW_IDS})`;

const doneByHand = statement<{ rule: string }, [string, string, string, string]>(
  `SELECT rule FROM flag
   WHERE asset = ? AND source = ? AND metric = ? AND rule_inputs ->> '$.day' = ? AND ${IS_FLOW_OVER} AND resolution = 'operator'`,
);

/** Whether an operator resolved what a flow rule says again of the same day: the same thing, whichever of its rules said it. */
export function isResolvedByHand(
  tx: Tx,
  of: {
    readonly asset: string;
    readonly source: SeriesSource;
    readonly metric: string;
    readonly rule: string;
    readonly day: string;
  },
): boolean {
  const { rules } = lineOf(of.rule);
  return doneByHand(tx)
    .all(of.asset, of.source, of.metric, of.day)
    .some(({ rule }) => rules.includes(rule));
}

const flagById = statement<StoredFlag, [string]>("SELECT * FROM flag WHERE id = ?");

/** A flag with all that one which renews it carries on. */
export function findPredecessor(tx: Tx, id: string): FlagState | undefined {
  const stored = flagById(tx).first(id);
  return stored === undefined ? undefined : fromStored(stored);
}

// What an operator resolved, or retiring the site did, is over for good.
const flowOver = statement<StoredFlag, [string, string, string, number]>(
  `SELECT * FROM flag
   WHERE asset = ? AND source = ? AND metric = ? AND resolved_at >= ? AND ${IS_FLOW_OVER}
     AND resolution IN ('cleared', 'renewed', 'next_reading')
   ORDER BY resolved_at DESC, raised_at DESC, rowid DESC LIMIT 8`,
);

/** The flow flags of a series that a reading resolved since an instant and nothing renewed yet, newest first. */
export function listFlowFlagsOver(
  tx: Tx,
  of: Pick<FlagState, "asset" | "source"> & { readonly metric: string; readonly since: number },
): FlagState[] {
  return flowOver(tx)
    .all(of.asset, of.source ?? "", of.metric, of.since)
    .map(fromStored);
}

/** What a rule says of one asset and subject. */
export type Verdict =
  /** The rule's input is absent: it neither resolves nor raises. */
  | { readonly state: "not_run" }
  /** The condition does not hold. */
  | { readonly state: "clear" }
  /** The new reading cannot be tested: a flag of the reading before is resolved, and nothing is known of the condition. */
  | { readonly state: "next_reading" }
  /** The condition holds. */
  | {
      readonly state: "fires";
      readonly severity: Severity;
      readonly kind: FlagKind;
      /** Left out by a rule whose words are made of its inputs. */
      readonly message?: string;
      readonly inputs: RuleInputs;
    };

/** A verdict with what it is about. */
export interface JudgedRule extends Pick<FlagRow, "source" | "subject" | "metric"> {
  readonly rule: string;
  readonly verdict: Verdict;
}

/** A flag that changed state. */
export interface ChangedFlag {
  readonly id: string;
  readonly rule: string;
}

/** Why a rule resolves its own flag before it raises the next (spec, Codebase alert). */
const RESOLUTION = { cleared: "cleared", renewed: "renewed", next_reading: "next_reading" } as const;

type Fires = Extract<Verdict, { state: "fires" }>;

/**
 * Applies verdicts to the open flags of an asset: each rule first resolves its own open flag, then raises a new one if it
 * fires. A rule that did not run neither resolves nor raises. What is resolved and raised again is one lasting thing: the new
 * row renews the old one and carries what an operator made of it. Runs inside the caller's transaction.
 */
export function reconcileFlags(
  tx: Tx,
  options: {
    readonly asset: AssetId;
    readonly origin: FlagOrigin;
    readonly judged: readonly JudgedRule[];
    readonly now: number;
    readonly actor: string;
    readonly newId: () => string;
  },
): { readonly raised: readonly ChangedFlag[]; readonly resolved: readonly ChangedFlag[] } {
  const { asset, origin, judged, now, actor, newId } = options;
  const raised: ChangedFlag[] = [];
  const resolved: ChangedFlag[] = [];
  // One of each: a unique index holds it.
  const openFlags = listOpenRuleFlags(tx, asset);
  // Most nights: one query, and nothing fires.
  if (openFlags.length === 0 && judged.every(({ verdict }) => verdict.state !== "fires")) {
    return { raised, resolved };
  }
  const open = Map.groupBy(openFlags, keyOf);
  const continued = new Set(judged.flatMap((one) => (one.verdict.state === "fires" ? [lineKeyOf(one)] : [])));
  const ended = new Map<string, FlagState>();
  for (const one of judged) {
    const { rule, source, subject, metric, verdict } = one;
    if (verdict.state === "not_run") continue;
    const line = lineKeyOf(one);
    const id = verdict.state === "fires" ? newId() : null;
    const own = open.get(keyOf(one))?.[0];
    if (own !== undefined) {
      resolveFlag(tx, own.id, continued.has(line) ? RESOLUTION.renewed : endOf(verdict), now, actor, id);
      resolved.push({ id: own.id, rule });
      ended.set(line, own);
    }
    if (verdict.state !== "fires" || id === null) continue;
    const before = predecessorOf(tx, asset, one, verdict, ended.get(line), now);
    const { severity, kind } = verdict;
    const rule_inputs = inputsOf(one, verdict, ended.has(line) ? before : undefined);
    const about = seriesName(metric ?? subject, source);
    insertOpenFlag(
      tx,
      id,
      {
        asset,
        rule,
        source,
        subject,
        origin,
        severity,
        kind,
        metric,
        message: titleFrom(rule, about, rule_inputs, now) ?? verdict.message ?? rule,
        rule_inputs,
      },
      now,
      actor,
      before === undefined ? undefined : renewalOf(before, severity, now),
    );
    if (before !== undefined && before.id !== own?.id) markRenewed(tx, before.id, id, now, actor);
    raised.push({ id, rule });
  }
  return { raised, resolved };
}

/** Why a flag that nothing continues is over: what could not be tested is not said to be over. */
function endOf({ state }: Verdict): string {
  return state === "next_reading" ? RESOLUTION.next_reading : RESOLUTION.cleared;
}

/** The flag that the one to be raised continues: the one just resolved, else one that an earlier reading resolved. */
function predecessorOf(
  tx: Tx,
  asset: AssetId,
  { rule, source, metric }: JudgedRule,
  { inputs }: Fires,
  justResolved: FlagState | undefined,
  now: number,
): FlagState | undefined {
  if (justResolved !== undefined) return justResolved;
  const { rules, gapMs } = lineOf(rule);
  if (gapMs === 0 || metric === null) return undefined;
  const over = listFlowFlagsOver(tx, { asset, source, metric, since: now - gapMs });
  return over.find((before) => rules.includes(before.rule ?? "") && isNear(before, inputs, now));
}

/**
 * A flow flag is read by itself, night after night: its inputs say since when. Only a flag that was open until this reading goes on with
 * its days: of one that an earlier reading resolved, normal days may lie between. Days without a reading do not resolve it.
 */
function inputsOf({ rule }: JudgedRule, { inputs }: Fires, open: FlagState | undefined): RuleInputs {
  if (open === undefined || lineOf(rule).gapMs === 0) return inputs;
  const [last, day] = [dayIn(open.rule_inputs, "day"), dayIn(inputs, "day")];
  const run = open.rule_inputs?.["days_in_a_row"];
  const soFar = typeof run === "number" ? run : 1;
  const apart = last === undefined || day === undefined ? undefined : daysBetween(last, day);
  // A corrected report tells the same day again.
  const days = apart === 0 ? soFar : apart === 1 ? soFar + 1 : 1;
  return { ...inputs, since: firstDayOf(open), ...(days > 1 ? { days_in_a_row: days } : {}) };
}

function keyOf(of: Pick<JudgedRule, "source" | "subject"> & { readonly rule: string | null }): string {
  return JSON.stringify([of.rule, of.source, of.subject]);
}

function lineKeyOf({ rule, source, subject }: JudgedRule): string {
  return JSON.stringify([lineOf(rule).rules[0], source, subject]);
}

/** What is carried on. An acknowledgement was given to something milder when the severity rose: then it falls away. */
export function renewalOf(before: FlagState, severity: Severity, now: number): Renewal {
  const worse = SEVERITIES.indexOf(severity) > SEVERITIES.indexOf(before.severity);
  const { chain, since, snoozed_until, incident, hypothesis } = before;
  return {
    renews: before.id,
    chain,
    since,
    reports: before.reports + 1,
    snoozed_until:
      snoozed_until !== null && snoozeRuns(Date.parse(snoozed_until), now) ? snoozed_until : null,
    acked_at: worse ? null : before.acked_at,
    acked_by: worse ? null : before.acked_by,
    incident,
    hypothesis,
  };
}

/**
 * Whether a flag that some earlier reading resolved is near enough to continue. Tower's clock decides. Years of reports may be judged
 * within a minute, though, and then the clock says nothing: so the days judged, less the time the flag was open, must lie as near.
 */
function isNear(before: FlagState, inputs: RuleInputs, now: number): boolean {
  const { gapMs } = lineOf(before.rule ?? "");
  if (before.resolved_at === null) return false;
  const resolvedAt = Date.parse(before.resolved_at);
  if (now - resolvedAt > gapMs) return false;
  const [from, to] = [dayIn(before.rule_inputs, "day"), dayIn(inputs, "day")];
  // A day more than the gap: the reading that resolved it was of the next day.
  return (
    from === undefined ||
    to === undefined ||
    daysBetween(from, to) * DAY_MS - (resolvedAt - Date.parse(before.raised_at)) <= gapMs + DAY_MS
  );
}

/** The first of the days that a flag goes on with; its own where it goes on with none. */
function firstDayOf({ rule_inputs, raised_at }: FlagState): UtcDay {
  return dayIn(rule_inputs, "since") ?? dayIn(rule_inputs, "day") ?? utcDayOf(Date.parse(raised_at));
}

function dayIn(inputs: RuleInputs | null, name: string): UtcDay | undefined {
  const value = inputs?.[name];
  return typeof value === "string" ? parseUtcDay(value) : undefined;
}

// Lasting conditions: one open flag for as long as a condition is true, with every run's own reading in its evidence record.

/** What a condition is about; without a `source` where no series is judged, with the subject '' where a rule has one condition per asset. */
interface Held {
  readonly rule: string;
  readonly asset: AssetId;
  readonly source?: SeriesSource | null;
  readonly subject: string;
}

/** One run that found the condition to be true. */
interface HeldRun extends Held {
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
