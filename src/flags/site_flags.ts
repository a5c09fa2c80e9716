/** The flags that a site sends: which ones a nightly report raises, repeats and ends; and how all of a site's flags end when it is retired. */

import type { AssetId } from "../base/contract.ts";
import type { UtcDay } from "../base/time.ts";
import { endFailures } from "../health/monitoring.ts";
import { endPauses } from "../health/pauses.ts";
import { STALE_INGEST } from "../sites/rule_catalogue.ts";
import { isRetired } from "../sites/sites.ts";
import type { Tx } from "../store/store.ts";
import {
  endSnooze,
  type FlagKind,
  listSnoozes,
  type RuleInputs,
  type Severity,
  type Snooze,
} from "./flags.ts";
import { findLatestOf, listOpenIds } from "./queries.ts";
import { findPredecessor, renewalOf } from "./reconcile.ts";
import {
  appendRecord,
  changeFlag,
  findHeldFlag,
  insertOpenFlag,
  listOpenSiteFlags,
  type OpenSiteFlag,
  resolveFlag,
} from "./store.ts";

/** A flag as a site sends it. */
export interface SentFlag {
  readonly severity: Severity;
  readonly kind: FlagKind;
  readonly metric?: string | undefined;
  readonly msg: string;
}

/**
 * The earlier open flag that each sent one repeats, in the order sent: one of the same severity, kind and metric, each taken once. Where a
 * site sends several alike, those with the same message pair up first, the rest in order. A milestone repeats nothing.
 */
function repeatsOf(flags: readonly (SentFlag | undefined)[], earlier: readonly OpenSiteFlag[]) {
  const left = [...earlier];
  const take = (sent: SentFlag, isSameMessage: boolean): OpenSiteFlag | undefined => {
    const at = left.findIndex(
      ({ severity, kind, metric, message }) =>
        severity === sent.severity &&
        kind === sent.kind &&
        metric === (sent.metric ?? null) &&
        (!isSameMessage || message === sent.msg),
    );
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const repeatable = flags.map((flag) => (flag?.kind === "milestone" ? undefined : flag));
  const same = repeatable.map((flag) => flag && take(flag, true));
  return repeatable.map((flag, place) => same[place] ?? (flag && take(flag, false)));
}

const ACTOR = "site";
const RETIRED = "retired";

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
  const sender: ReportName = { date, revision };
  // Decided: a report for an older day than the newest, or of a site that is retired, changes nothing that is open.
  const over = isRetired(tx, asset) ? RETIRED : isNewestDay ? null : "older_report";
  const of = over === null ? open : [];
  const isOfDay = ({ rule_inputs }: OpenSiteFlag) => firstReport(rule_inputs)?.date === date;
  const [ofDay, earlier] = [of.filter(isOfDay), of.filter((one) => !isOfDay(one))];
  const repeats = repeatsOf(flags, earlier);
  // What the day's next revision sends again is one lasting thing: the new row renews the superseded one.
  const renewals = repeatsOf(
    flags.map((flag, place) => (repeats[place] === undefined ? flag : undefined)),
    ofDay,
  );
  for (const { id } of earlier.filter((one) => !repeats.includes(one)))
    resolveFlag(tx, id, "not_repeated", now, ACTOR);
  for (const { id } of ofDay.filter((one) => !renewals.includes(one)))
    resolveFlag(tx, id, "superseded", now, ACTOR);
  return flags.map(({ severity, kind, metric = null, msg: message }, place) => {
    const repeated = repeats[place];
    if (repeated !== undefined) {
      repeat(tx, repeated, message, sender, now);
      return repeated.id;
    }
    const id = newId();
    const renewed = renewals[place];
    const before = renewed && findPredecessor(tx, renewed.id);
    if (before !== undefined) resolveFlag(tx, before.id, "superseded", now, ACTOR, id);
    const renewal = before && renewalOf(before, severity, now);
    const raised = { asset, rule: null, source: null, subject: metric ?? "", origin: "site" } as const;
    const rule_inputs = { report: sender, first_report: sender };
    insertOpenFlag(tx, id, { ...raised, severity, kind, metric, message, rule_inputs }, now, ACTOR, renewal);
    const resolution = over ?? (kind === "milestone" ? "milestone" : null);
    if (resolution !== null) resolveFlag(tx, id, resolution, now, ACTOR);
    return id;
  });
}

function repeat(
  tx: Tx,
  { id, message: before, rule_inputs: inputs }: OpenSiteFlag,
  message: string,
  sender: ReportName,
  now: number,
): void {
  const rule_inputs = { report: sender, first_report: firstReport(inputs) ?? sender };
  const set = { rule_inputs, ...(before === message ? {} : { message }) };
  changeFlag(tx, id, set);
  const reading = { report: sender, message };
  appendRecord(tx, { flag: id, at: now, type: "evidence", actor: ACTOR, data: { reading, set } });
}

function firstReport(inputs: RuleInputs | null): ReportName | undefined {
  return inputs?.["first_report"] as ReportName | undefined;
}

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
  const silence = findHeldFlag(tx, { rule: STALE_INGEST, asset: serviceAsset, source: null, subject: asset });
  for (const id of [...listOpenIds(tx, asset), ...(silence === undefined ? [] : [silence.id])]) {
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
