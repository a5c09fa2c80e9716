import { isRetired } from "../assets/mod.ts";
import type { Tx } from "../db/mod.ts";
import type { AssetId } from "../lib/asset_id.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import type { RuleInputs } from "./contract.ts";
import { appendRecord } from "./record_store.ts";
import { planSiteFlags, type SentFlag } from "./site_plan.ts";
import { changeFlag, insertOpenFlag, listOpenSiteFlags, resolveFlag } from "./store.ts";

const ACTOR = "site";

/** The report that sent a flag. */
interface ReportName {
  readonly date: UtcDay;
  readonly revision: number;
}

/**
 * Stores the flags of a nightly report in the report's own transaction (decisions, Flags: "a flag a site sent lives while the
 * site repeats it"). Answers the ids in the order sent; a repeated flag keeps its id. `rule_inputs.report` names the latest
 * report that sent it, `first_report` the one that raised it.
 */
export function applySiteFlags(
  tx: Tx,
  report: ReportName & {
    readonly asset: AssetId;
    /** Whether no newer day has a report. */
    readonly isNewestDay: boolean;
    readonly flags: readonly SentFlag[];
    readonly now: number;
    readonly newId: () => string;
  },
): string[] {
  const { asset, date, revision, isNewestDay, flags, now, newId } = report;
  const open = listOpenSiteFlags(tx, asset);
  if (open.length === 0 && flags.length === 0) return [];
  const plan = planSiteFlags({
    date,
    isNewestDay,
    isRetired: isRetired(tx, asset),
    flags,
    open: open.map((flag) => ({ ...flag, raisedBy: firstReport(flag.rule_inputs)?.date })),
  });
  for (const id of plan.superseded) resolveFlag(tx, id, "superseded", now, ACTOR);
  for (const id of plan.notRepeated) resolveFlag(tx, id, "not_repeated", now, ACTOR);
  const byId = new Map(open.map((flag) => [flag.id, flag]));
  const sender: ReportName = { date, revision };
  return flags.map((flag, index) => {
    const step = plan.steps[index];
    if (step?.act === "repeat") {
      repeat(tx, step.id, byId.get(step.id), flag, sender, now);
      return step.id;
    }
    const id = newId();
    const metric = flag.metric ?? null;
    insertOpenFlag(
      tx,
      id,
      {
        asset,
        rule: null,
        source: null,
        subject: metric ?? "",
        origin: "site",
        severity: flag.severity,
        kind: flag.kind,
        metric,
        message: flag.msg,
        rule_inputs: { report: sender, first_report: sender },
      },
      now,
      ACTOR,
    );
    if (step !== undefined && step.resolution !== null) resolveFlag(tx, id, step.resolution, now, ACTOR);
    return id;
  });
}

function repeat(
  tx: Tx,
  id: string,
  open: { readonly message: string; readonly rule_inputs: RuleInputs | null } | undefined,
  flag: SentFlag,
  sender: ReportName,
  now: number,
): void {
  const rule_inputs = JSON.stringify({
    report: sender,
    first_report: firstReport(open?.rule_inputs ?? null) ?? sender,
  });
  const set = { rule_inputs, ...(open?.message === flag.msg ? {} : { message: flag.msg }) };
  changeFlag(tx, id, set);
  const reading = { report: sender, message: flag.msg };
  appendRecord(tx, { flag: id, at: now, type: "evidence", actor: ACTOR, data: { reading, set } });
}

function firstReport(inputs: RuleInputs | null): ReportName | undefined {
  return inputs?.["first_report"] as ReportName | undefined;
}
