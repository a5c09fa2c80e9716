import { and, desc, eq, inArray, or, sql } from "drizzle-orm";
import { endFailures } from "../health/monitoring.ts";
import { endPauses } from "../health/pause_store.ts";
import { FLOW_RULES, isFlowRule, MILESTONE_TOTAL, STALE_INGEST } from "../sites/rule_catalogue.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { type FlagRow, flag, type RuleInputs, type SeriesSource, type Severity } from "./flags.ts";
import { appendRecord } from "./records.ts";
import { endSnooze, listSnoozes, type Snooze } from "./replay.ts";
import { findFlag, resolveFlag } from "./store.ts";

// Spelt as the index spells it, whose last entry for the series is the answer.
const highestMilestone = statement<{ milestone: number | null }, [string, string, string]>(
  `SELECT rule_inputs ->> '$.milestone' AS milestone FROM flag
   WHERE asset = ? AND source = ? AND metric = ? AND rule = '${MILESTONE_TOTAL}'
   ORDER BY rule_inputs ->> '$.milestone' DESC LIMIT 1`,
);

/** The highest milestone of a series that was ever raised: a total that was corrected down passes nothing twice. */
export function latestMilestone(
  db: Db,
  asset: string,
  source: SeriesSource,
  metric: string,
): number | undefined {
  return highestMilestone(db).first(asset, source, metric)?.milestone ?? undefined;
}

// 'open' is written out, so that the partial index of what is open fits.
const openSubjects = statement<
  Pick<FlagRow, "id" | "subject" | "severity" | "message"> & { readonly rule_inputs: string | null },
  [string, string]
>(
  "SELECT id, subject, severity, message, rule_inputs FROM flag WHERE asset = ? AND rule = ? AND status = 'open' ORDER BY id",
);

/** A subject that a rule holds open, with what is said of it and the inputs it was last judged by. */
interface OpenSubject extends Pick<FlagRow, "id" | "severity" | "message"> {
  readonly subject: string;
  readonly inputs: RuleInputs;
}

/** The subjects a rule holds open on an asset. */
export function listOpenSubjects(db: Db, rule: string, asset: string): OpenSubject[] {
  return openSubjects(db)
    .all(asset, rule)
    .map(({ rule_inputs, subject, ...row }) => ({
      ...row,
      subject: subject ?? "",
      inputs: rule_inputs === null ? {} : (JSON.parse(rule_inputs) as RuleInputs),
    }));
}

/** An open flag of a lasting condition: whose it is, and until when it is put away, in milliseconds since the epoch. */
export interface HeldFlag {
  readonly id: string;
  readonly subject: string;
  readonly snoozedUntil: number | null;
}

/** The flags that a rule holds open on an asset; of one subject where it is given. */
export function listHeld(
  db: Db,
  of: { readonly rule: string; readonly asset: string; readonly subject?: string },
): HeldFlag[] {
  return db
    .select({ id: flag.id, subject: flag.subject, snoozedUntil: flag.snoozed_until })
    .from(flag)
    .where(
      and(
        eq(flag.rule, of.rule),
        eq(flag.asset, of.asset),
        eq(flag.source, ""),
        of.subject === undefined ? undefined : eq(flag.subject, of.subject),
        sql`${flag.status} = 'open' AND ${flag.rule} IS NOT NULL`,
      ),
    )
    .all();
}

/** The ids of an asset's open flags; of one rule and subject when both are given. */
function listOpenIds(
  db: Db,
  of: { readonly asset: string; readonly rule?: string; readonly subject?: string },
): string[] {
  return db
    .select({ id: flag.id })
    .from(flag)
    .where(
      and(
        eq(flag.asset, of.asset),
        sql`${flag.status} = 'open'`,
        of.rule === undefined ? undefined : eq(flag.rule, of.rule),
        of.subject === undefined ? undefined : eq(flag.subject, of.subject),
      ),
    )
    .all()
    .map(({ id }) => id);
}

/** Whether a rule's flag could not be raised, because one like it is open: at most one of a rule and subject, and of a metric one flow flag. */
export function isTold(
  db: Db,
  of: {
    readonly asset: string;
    readonly rule: string;
    readonly source: SeriesSource | null;
    readonly subject: string;
    readonly metric: string | null;
  },
): boolean {
  const same = and(eq(flag.rule, of.rule), eq(flag.subject, of.subject));
  const flows = isFlowRule(of.rule)
    ? and(inArray(flag.rule, [...FLOW_RULES]), eq(flag.metric, of.metric ?? ""))
    : undefined;
  return (
    db
      .select({ id: flag.id })
      .from(flag)
      .where(
        and(
          eq(flag.asset, of.asset),
          sql`${flag.status} = 'open'`,
          eq(flag.source, of.source ?? ""),
          or(same, flows),
        ),
      )
      .get() !== undefined
  );
}

/** The newest flag of what a snooze belongs to. */
function findNewestOf(
  db: Db,
  { rule, asset, source, subject }: Pick<Snooze, "rule" | "asset" | "source" | "subject">,
): string | undefined {
  const ofRule = rule === "" ? sql`${flag.rule} IS NULL` : eq(flag.rule, rule);
  return db
    .select({ id: flag.id })
    .from(flag)
    .where(and(eq(flag.asset, asset), ofRule, eq(flag.source, source), eq(flag.subject, subject)))
    .orderBy(desc(flag.raised_at))
    .limit(1)
    .get()?.id;
}

/** The newest flag that a rule raised on a subject of an asset, where no series is judged; open or over. */
export function findLatestOf(
  db: Db,
  of: { readonly rule: string; readonly asset: string; readonly subject: string },
): FlagRow | undefined {
  const id = findNewestOf(db, { ...of, source: "" });
  return id === undefined ? undefined : findFlag(db, id);
}

/** A flag of a flow rule, as it is held against the others of its day. */
export interface FlowFlag {
  readonly id: string;
  readonly rule: string;
  readonly severity: Severity;
  readonly raisedAt: number;
  readonly inputs: RuleInputs;
  /** Whether the same thing was flagged for the day before the one it judged, too. */
  readonly isSecondDay: boolean;
}

type FlowFlagRow = Omit<FlowFlag, "inputs" | "isSecondDay"> & {
  readonly inputs: string | null;
  readonly isSecondDay: number;
};

const OF_FLOW = `rule IN (${FLOW_RULES.map((rule) => `'${rule}'`).join(", ")})`;
// The first row of a chain has no place in its index.
const IS_DAY_BEFORE = "b.rule_inputs ->> '$.day' = date(f.rule_inputs ->> '$.day', '-1 day')";
const FLOW_FLAG = `SELECT id, rule, severity, raised_at AS raisedAt, rule_inputs AS inputs, f.reports > 1 AND (
    EXISTS (SELECT 1 FROM flag AS b WHERE b.id = f.chain AND ${IS_DAY_BEFORE})
    OR EXISTS (SELECT 1 FROM flag AS b WHERE b.chain = f.chain AND b.renews IS NOT NULL AND ${IS_DAY_BEFORE})
  ) AS isSecondDay FROM flag AS f`;

const openFlowFlags = statement<FlowFlagRow, []>(`${FLOW_FLAG} WHERE status = 'open' AND ${OF_FLOW}`);
const flowFlagById = statement<FlowFlagRow, [string]>(`${FLOW_FLAG} WHERE id = ? AND ${OF_FLOW}`);
const flowFlagsRaised = statement<FlowFlagRow, [number, number, number]>(
  `${FLOW_FLAG} WHERE raised_at >= ? AND raised_at < ? AND ${OF_FLOW}
   AND (status = 'open' OR resolution = 'operator' OR resolved_at >= ?)`,
);

/** The open flags of the flow rules; of a flag that is over, itself alone. */
export function listFlowFlags(db: Db, id?: string): FlowFlag[] {
  return (id === undefined ? openFlowFlags(db).all() : flowFlagById(db).all(id)).map(toFlowFlag);
}

/** The flags that the flow rules raised from one instant until another, without those that a later judging took back until then. */
export function listFlowFlagsRaised(db: Db, from: number, to: number): FlowFlag[] {
  return flowFlagsRaised(db).all(from, to, to).map(toFlowFlag);
}

function toFlowFlag({ inputs, isSecondDay, ...row }: FlowFlagRow): FlowFlag {
  return {
    ...row,
    inputs: inputs === null ? {} : (JSON.parse(inputs) as RuleInputs),
    isSecondDay: isSecondDay === 1,
  };
}

/** How flags end that were open when their site was retired. */

const RETIRED = "retired";

/**
 * Ends everything about a site that is no longer monitored, in the transaction that retires it: its open flags, what the
 * service's own asset holds open about its silence, its snoozes and pauses, and what could not be judged or recorded of it, so that a site that comes
 * back starts clean.
 */
export function retireFlags(
  tx: Tx,
  retired: {
    readonly asset: string;
    readonly serviceAsset: string;
    readonly now: number;
    readonly actor: string;
  },
): void {
  const { asset, serviceAsset, now, actor } = retired;
  const silence = { asset: serviceAsset, rule: STALE_INGEST, subject: asset };
  for (const id of [...listOpenIds(tx, { asset }), ...listOpenIds(tx, silence)]) {
    resolveFlag(tx, id, RETIRED, now, actor);
  }
  const ofSilence = listSnoozes(tx, serviceAsset).filter(
    ({ rule, subject }) => rule === STALE_INGEST && subject === asset,
  );
  for (const snooze of [...listSnoozes(tx, asset), ...ofSilence]) wake(tx, snooze, now, actor);
  endPauses(tx, asset, { actor, now });
  for (const kind of ["rule", "recorder"] as const) endFailures(tx, { kind, asset }, now);
}

/** Ends a snooze as an act on the newest flag it belongs to: snoozes are what the acts in the records lead to. */
function wake(tx: Tx, snooze: Snooze, now: number, actor: string): void {
  const newest = findNewestOf(tx, snooze);
  if (newest !== undefined) {
    appendRecord(tx, { flag: newest, at: now, type: "act", actor, data: { act: "wake", set: {} } });
  }
  endSnooze(tx, snooze);
}
