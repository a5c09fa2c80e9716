/** The flags that a site sends: which ones a nightly report raises, repeats and ends; and how all of a site's flags end when it is retired. */

import type { AssetId } from "../base/contract.ts";
import type { UtcDay } from "../base/time.ts";
import { endFailures } from "../health/monitoring.ts";
import { endPauses } from "../health/pauses.ts";
import { STALE_INGEST } from "../sites/rule_catalogue.ts";
import { isRetired } from "../sites/sites.ts";
import type { Tx } from "../store/store.ts";
import type { FlagKind, FlagRow, RuleInputs, Severity } from "./flags.ts";
import { findLatestOf, listOpenIds } from "./queries.ts";
import { endSnooze, listSnoozes, type Snooze } from "./snoozes.ts";
import { appendRecord, changeFlag, insertOpenFlag, listOpenSiteFlags, resolveFlag } from "./store.ts";

/** A flag as a site sends it. */
export interface SentFlag {
  readonly severity: Severity;
  readonly kind: FlagKind;
  readonly metric?: string | undefined;
  readonly msg: string;
}

/** A flag of the site that is open. */
interface OpenSiteFlag extends Pick<FlagRow, "id" | "severity" | "kind" | "metric" | "message"> {
  /** Day of the report that raised it. */
  readonly raisedBy: UtcDay | undefined;
}

/** What to do with one sent flag; a resolution means that it is resolved at once. */
type SitePlanStep =
  | { readonly act: "repeat"; readonly id: string }
  | { readonly act: "raise"; readonly resolution: "milestone" | "older_report" | "retired" | null };

interface SitePlan {
  /** One step for each sent flag, in the order sent. */
  readonly steps: readonly SitePlanStep[];
  /** Raised by an earlier revision of the same day. */
  readonly superseded: readonly string[];
  /** Raised by an earlier day and not sent again. */
  readonly notRepeated: readonly string[];
}

/**
 * Plans a report. A report for an older day than the newest changes nothing that is open. A flag that an earlier revision of
 * the same day raised is superseded, sent again or not; one from an earlier day lives on when it is sent again with the same
 * severity, kind and metric. A retired site holds no flag open: what it sends is noted and over. Where a site sends several alike, those with the same message pair up first, the rest in order.
 */
function planSiteFlags(report: {
  readonly date: UtcDay;
  readonly isNewestDay: boolean;
  readonly isRetired: boolean;
  readonly flags: readonly SentFlag[];
  readonly open: readonly OpenSiteFlag[];
}): SitePlan {
  const { date, isNewestDay, isRetired, flags, open } = report;
  if (isRetired || !isNewestDay) {
    const resolution = isRetired ? "retired" : "older_report";
    return {
      steps: flags.map(() => ({ act: "raise", resolution })),
      superseded: [],
      notRepeated: [],
    };
  }
  const superseded: string[] = [];
  const earlier: OpenSiteFlag[] = [];
  for (const flag of open) {
    if (flag.raisedBy === date) superseded.push(flag.id);
    else earlier.push(flag);
  }
  const taken = new Set<string>();
  const same = new Waiting(earlier, (flag) => keyOf(flag, flag.message), taken);
  const alike = new Waiting(earlier, (flag) => keyOf(flag), taken);
  const repeats = flags.map((flag) =>
    flag.kind === "milestone" ? undefined : same.take(keyOf(flag, flag.msg)),
  );
  const steps = flags.map((flag, index): SitePlanStep => {
    if (flag.kind === "milestone") return { act: "raise", resolution: "milestone" };
    const id = repeats[index] ?? alike.take(keyOf(flag));
    return id === undefined ? { act: "raise", resolution: null } : { act: "repeat", id };
  });
  return {
    steps,
    superseded,
    notRepeated: earlier.filter((flag) => !taken.has(flag.id)).map((flag) => flag.id),
  };
}

/** Open flags by key, each given out once. */
class Waiting {
  readonly #queues = new Map<string, string[]>();
  readonly #taken: Set<string>;

  constructor(open: readonly OpenSiteFlag[], key: (flag: OpenSiteFlag) => string, taken: Set<string>) {
    this.#taken = taken;
    for (const flag of open.toReversed()) {
      const queue = this.#queues.get(key(flag)) ?? [];
      queue.push(flag.id);
      this.#queues.set(key(flag), queue);
    }
  }

  /** The oldest flag of the key that is not taken, and takes it. */
  take(key: string): string | undefined {
    const queue = this.#queues.get(key);
    for (;;) {
      const id = queue?.pop();
      if (id === undefined) return undefined;
      if (this.#taken.has(id)) continue;
      this.#taken.add(id);
      return id;
    }
  }
}

function keyOf(
  flag: { readonly severity: Severity; readonly kind: FlagKind; readonly metric?: string | null | undefined },
  message?: string,
): string {
  return JSON.stringify([flag.severity, flag.kind, flag.metric ?? null, message]);
}

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
  const rule_inputs = { report: sender, first_report: firstReport(open?.rule_inputs ?? null) ?? sender };
  const set = { rule_inputs, ...(open?.message === flag.msg ? {} : { message: flag.msg }) };
  changeFlag(tx, id, set);
  const reading = { report: sender, message: flag.msg };
  appendRecord(tx, { flag: id, at: now, type: "evidence", actor: ACTOR, data: { reading, set } });
}

function firstReport(inputs: RuleInputs | null): ReportName | undefined {
  return inputs?.["first_report"] as ReportName | undefined;
}

const RETIRED = "retired";

/**
 * Ends everything about a site that is no longer monitored, in the transaction that retires it: its open flags, the flag about its
 * silence on the service's own asset, its snoozes, pauses and monitoring failures. A site that is monitored again starts clean.
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
  const { rule, source } = snooze;
  const newest = findLatestOf(tx, {
    ...snooze,
    rule: rule === "" ? null : rule,
    source: source === "" ? null : source,
  });
  if (newest !== undefined) {
    appendRecord(tx, { flag: newest.id, at: now, type: "act", actor, data: { act: "wake", set: {} } });
  }
  endSnooze(tx, snooze);
}
