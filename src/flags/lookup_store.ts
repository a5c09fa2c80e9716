import { and, desc, eq, inArray, or, sql } from "drizzle-orm";
import { type Db, statement } from "../db/mod.ts";
import { FLOW_RULES, isFlowRule, MILESTONE_TOTAL } from "../rules/mod.ts";
import type { FlagRow, RuleInputs, SeriesSource } from "./contract.ts";
import type { Snooze } from "./snooze_store.ts";
import { findFlag } from "./store.ts";
import { flag } from "./table.ts";

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
export interface OpenSubject extends Pick<FlagRow, "id" | "severity" | "message"> {
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
export function listOpenIds(
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
export function findNewestOf(
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
